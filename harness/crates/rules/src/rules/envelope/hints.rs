//! `envelope/hints`: the hints of an error are not the list that the contract requires, or reveal the file.

use crate::contract::ErrorReply;
use crate::finding::{Diagnostic, Evidence};
use crate::pattern;
use crate::rules::{Context, Rule};

use super::object;

/// EE-04: a non-empty list of texts, general advice. EE-08: nothing of the file that the call did not send, and no
/// suggestion of what was meant.
pub(crate) static RULE: Rule = Rule::of_reply("envelope/hints", include_str!("hints.toml"), check);

/// From this many characters on, a part of a file does not stand in a hint by accident.
const SHOWN: usize = 12;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let (Some(form), Some(error)) = (object::of_json(context), context.error) else { return Vec::new() };
    let Some(data) = error.data.as_ref().filter(|_| !form.hints.is_empty()) else { return Vec::new() };
    let faults = context.contract.schema().map(|schema| schema.faults(data)).unwrap_or_default();
    let within = |place: &str, pointer: &str| place == pointer || place.starts_with(&format!("{pointer}/"));
    let of_hints = faults.iter().find(|fault| form.hints.iter().any(|pointer| within(&fault.place, pointer)));
    let mut diagnostics = Vec::new();
    if let Some(fault) = of_hints {
        let message =
            format!("the hints of an error of `{}`: `{}` {}", context.called(), fault.place, fault.problem);
        let help = "Send a list of at least one string that says what to do next.";
        diagnostics.push((message, help.to_owned()));
    }
    let demands = |id: &str| context.contract.requirements.contains_key(id);
    if demands("EE-08")
        && let Some((hint, why)) =
            error.hints.iter().find_map(|hint| Some((hint, suggests(hint, error, context)?)))
    {
        let message = format!("a hint of `{}` {why}: {}", context.called(), shortened(hint));
        let help = "Advise the caller to read the file again; its content belongs in `context`.";
        diagnostics.push((message, help.to_owned()));
    }
    let diagnostic =
        |(message, help)| Diagnostic::new(message, help).evidence(Evidence::whole(error.text.as_str()));
    diagnostics.into_iter().map(diagnostic).collect()
}

/// The words by which a hint suggests what was meant, if any.
fn suggests(hint: &str, error: &ErrorReply, context: &Context<'_>) -> Option<&'static str> {
    if pattern!("value/suggestion").is_match(hint) {
        return Some("suggests what was meant");
    }
    let files = context.run_record.case_of(context.exchange)?.files.iter();
    let sent = context.exchange.call.arguments.to_string();
    let sent = |part: &str| {
        // The part as it was sent, and as JSON escapes it.
        let escaped = serde_json::to_string(part).unwrap_or_default();
        sent.contains(part) || sent.contains(escaped.trim_matches('"'))
    };
    // Words that every message of this server contains are not taken from the file.
    let message = error.message();
    let shown = files.flat_map(|file| parts(file)).find(|part| {
        hint.contains(part)
            && !sent(part)
            && !message.contains(part)
            && part.chars().any(char::is_alphanumeric)
    });
    shown.map(|_| "shows text of the file that the call did not send")
}

/// Every part of the searched length within a line of the file.
fn parts(file: &str) -> impl Iterator<Item = &str> {
    /// Only this many bytes of a longer file are searched.
    const SEARCHED: usize = 64 * 1024;
    let end = file.floor_char_boundary(SEARCHED);
    file[..end].lines().flat_map(|line| {
        let starts = line.char_indices().map(|(start, _)| start);
        starts.filter_map(|start| {
            let length: usize = line[start..].chars().take(SHOWN).map(char::len_utf8).sum();
            let part = &line[start..start + length];
            (part.chars().count() == SHOWN).then_some(part)
        })
    })
}

/// The beginning of a hint, long enough to recognise it.
fn shortened(hint: &str) -> String {
    const LENGTH: usize = 60;
    match hint.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("\"{}...\"", &hint[..end]),
        None => format!("\"{hint}\""),
    }
}
