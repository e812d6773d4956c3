//! What a campaign stood on, in words.
//!
//! The main function is [`ground`].

use std::fmt::Write as _;

use crate::escape;
use crate::judge::{FoundBy, KnownCall, Report, ValidCallSearch};

use super::prose::counted;
use super::{Detail, Frame};

/// So much of a call is shown.
const LONG: usize = 200;

/// For how many tools of a campaign a call that succeeds is known, and from what; each of them where all is asked for.
pub(super) fn ground(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    let Some(ground) = &report.learnt else { return };
    let strong = frame.theme.strong;
    let _ = writeln!(shown, "{strong}{}{strong:#}", headline(ground));
    for told in [sources(ground), left(ground), stale(ground)].into_iter().flatten() {
        frame.width.paragraph(shown, "  ", &told);
    }
    if frame.detail == Detail::Full {
        for call in &ground.known {
            frame.width.paragraph(shown, "  - ", &in_words(call));
        }
    }
    shown.push('\n');
}

fn headline(ground: &ValidCallSearch) -> String {
    format!(
        "a working call is known for {} of {}",
        ground.known.len(),
        counted(ground.tools, "tool", "tools")
    )
}

fn sources(ground: &ValidCallSearch) -> Option<String> {
    let by = |source: FoundBy| ground.known.iter().filter(|call| call.by == source).count();
    let told: Vec<String> = [
        (FoundBy::Configuration, "from the configuration"),
        (FoundBy::Schema, "from schemas and descriptions"),
        (FoundBy::Refusals, "from what refusals said"),
        (FoundBy::OtherCalls, "from other calls that succeeded"),
    ]
    .into_iter()
    .map(|(source, words)| (by(source), words))
    .filter(|(count, _)| *count > 0)
    .map(|(count, words)| format!("{count} {words}"))
    .collect();
    (!told.is_empty()).then(|| {
        format!(
            "{} ({})",
            told.join(", "),
            counted(usize::try_from(ground.calls).unwrap_or(usize::MAX), "call", "calls")
        )
    })
}

fn left(ground: &ValidCallSearch) -> Option<String> {
    (ground.left > 0)
        .then(|| format!("{} not tried: time or calls ran out", counted(ground.left, "tool", "tools")))
}

fn stale(ground: &ValidCallSearch) -> Option<String> {
    let names: Vec<String> = ground.stale.iter().map(|tool| escape::line_within(tool, 80)).collect();
    (!names.is_empty()).then(|| format!("kept in the corpus, and refused now: {}", names.join(", ")))
}

fn in_words(call: &KnownCall) -> String {
    let mut told = format!(
        "{} {}",
        escape::line_within(&call.tool, 80),
        escape::line_within(&call.valid.to_string(), LONG)
    );
    if !call.first.is_empty() {
        let first: Vec<String> = call.first.iter().map(|tool| escape::line_within(tool, 80)).collect();
        told.push_str(&format!(", after {}", first.join(", ")));
    }
    if let Some(words) = &call.words {
        told.push_str(&format!(", by: {}", escape::line_within(words, LONG)));
    }
    told
}
