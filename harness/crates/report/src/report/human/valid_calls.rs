//! The successful calls that a campaign started from, in words.
//!
//! The main function is [`valid_calls`].

use std::fmt::Write as _;

use crate::escape;
use crate::judge::{FoundBy, KnownCall, Report, ValidCallSearch};

use super::{Detail, Frame};
use crate::report::words::counted;

/// How much of a call is shown, in columns.
const LONG: usize = 200;

/// For how many tools of a campaign a successful call is known, and how it was found; each call if details are
/// requested.
pub(super) fn valid_calls(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    let Some(search) = &report.learnt else { return };
    let strong = frame.theme.strong;
    let _ = writeln!(shown, "{strong}{}{strong:#}", headline(search));
    for line in [sources(search), left(search), stale(search)].into_iter().flatten() {
        frame.width.paragraph(shown, "  ", &line);
    }
    if frame.detail == Detail::Full {
        for call in &search.known {
            frame.width.paragraph(shown, "  - ", &in_words(call));
        }
    }
    shown.push('\n');
}

fn headline(search: &ValidCallSearch) -> String {
    format!(
        "a working call is known for {} of {}",
        search.known.len(),
        counted(search.tools, "tool", "tools")
    )
}

fn sources(search: &ValidCallSearch) -> Option<String> {
    let by = |source: FoundBy| search.known.iter().filter(|call| call.by == source).count();
    let parts: Vec<String> = [
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
    (!parts.is_empty()).then(|| {
        format!(
            "{} ({})",
            parts.join(", "),
            counted(usize::try_from(search.calls).unwrap_or(usize::MAX), "call", "calls")
        )
    })
}

fn left(search: &ValidCallSearch) -> Option<String> {
    (search.left > 0)
        .then(|| format!("{} not tried: time or calls ran out", counted(search.left, "tool", "tools")))
}

fn stale(search: &ValidCallSearch) -> Option<String> {
    let names: Vec<String> = search.stale.iter().map(|tool| escape::line_within(tool, 80)).collect();
    (!names.is_empty()).then(|| format!("kept in the corpus, and refused now: {}", names.join(", ")))
}

fn in_words(call: &KnownCall) -> String {
    let mut text = format!(
        "{} {}",
        escape::line_within(&call.tool, 80),
        escape::line_within(&call.valid.to_string(), LONG)
    );
    if !call.first.is_empty() {
        let first: Vec<String> = call.first.iter().map(|tool| escape::line_within(tool, 80)).collect();
        text.push_str(&format!(", after {}", first.join(", ")));
    }
    if let Some(words) = &call.words {
        text.push_str(&format!(", by: {}", escape::line_within(words, LONG)));
    }
    text
}
