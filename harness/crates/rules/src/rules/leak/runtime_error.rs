//! `leak/runtime-error`: the raw error of a runtime or library comes through.

use std::ops::Range;

use serde_json::Value;

use crate::expression::Expression;
use crate::finding::Diagnostic;
use crate::pattern;
use crate::rules::{Context, Rule};
use crate::wording::mention::stands_in;

/// BC-20: no raw runtime error without context; A6 says where the border runs.
pub(crate) static RULE: Rule =
    Rule::of_reply("leak/runtime-error", include_str!("runtime_error.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Catch this error in the tool, say in your own words which operation failed on what, and keep \
        the raw error for the log.";
    super::judged(context, RULE.id, "a raw runtime error", help)
}

/// Whether the words are about what the caller wrote: a constraint error of a database if the call contains a
/// statement that changes rows, a division by zero if the call contains one, or a sentence that names a parameter and the
/// value that was sent in it.
pub(super) fn is_of_what_was_written(context: &Context<'_>, found: &str, line: &str) -> bool {
    let holds = |what: &Expression| super::sends_text(context.arguments(), &|text| what.is_match(text));
    found.contains("constraint") && holds(pattern!("leak/changing-statement"))
        || found.contains("by zero") && holds(pattern!("leak/division-by-zero"))
        || names_what_was_sent(context, line)
        || names_a_name_of_code_sent(context, line)
}

/// Whether a line says that a name is not defined, and the caller sent it within code of its own.
fn names_a_name_of_code_sent(context: &Context<'_>, line: &str) -> bool {
    let line = line.lines().next().unwrap_or_default();
    let Some(found) = pattern!("leak/undefined-name").captures(line) else { return false };
    let Some(name) = ["name", "b", "c"].iter().find_map(|group| found.name(group)) else { return false };
    let is_code = |sent: &str| sent.trim().contains([' ', '\n', '(']) && stands_in(sent, name.as_str());
    super::sends_text(context.arguments(), &is_code)
}

/// Whether a sentence begins with a parameter and the value that was sent in it, or with its bound, or marks both:
/// `year 0 is out of range`, `month must be in 1..12`, `The argument 'flags' is invalid. Received 'q'`. That a library
/// wrote it is not to be seen.
fn names_what_was_sent(context: &Context<'_>, line: &str) -> bool {
    let line = line.lines().next().unwrap_or_default();
    context.arguments().as_object().into_iter().flatten().any(|(name, sent)| {
        match sent {
            Value::Number(number) => {
                // What a part of a date is called there, whatever language the parameter's name is in.
                let parts = ["year", "month", "day", "hour", "minute", "second"];
                let value = number.to_string();
                let behind = |prefix: &str| Some(line.strip_prefix(prefix)?.strip_prefix(' ')?.trim_start());
                let is_value = |rest: &str| {
                    rest.strip_prefix(&value).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
                };
                let is_bound =
                    |rest: &str| rest.strip_prefix("must be in ").is_some_and(|rest| rest.contains(".."));
                behind(name).is_some_and(|rest| is_value(rest) || is_bound(rest))
                    || parts.into_iter().filter_map(behind).any(is_value)
            }
            Value::String(text) => {
                !text.is_empty()
                    && line.starts_with(&format!("The argument '{name}' is invalid"))
                    && line.ends_with(&format!("Received '{text}'"))
            }
            _ => false,
        }
    })
}

/// Whether the words are raw, and no more than the end of what the server says itself: behind advice, or of a text that the
/// caller sent to be read as code.
pub(super) fn is_less(text: &str, span: &Range<usize>) -> bool {
    is_behind_advice(text, span) || is_of_code_sent(text, span)
}

/// Whether a parser of JSON speaks of a text that was sent to a tool for JSON, and is none.
pub(super) fn is_of_json_sent(context: &Context<'_>, found: &str) -> bool {
    let is_for_json = context.called().to_ascii_lowercase().contains("json");
    let is_none = |sent: &str| serde_json::from_str::<Value>(sent).is_err();
    let is_of_a_place = found.starts_with("Expecting ") || found.starts_with("Extra data");
    is_for_json && is_of_a_place && super::sends_text(context.arguments(), &is_none)
}

/// Whether words of the server's own say that a text is no JSON, or of another format, and only the place in it is a parser's.
pub(super) fn is_of_data_read(text: &str, span: &Range<usize>) -> bool {
    pattern!("state/unreadable-data")
        .find_iter(text)
        .any(|found| found.start() < span.start && span.end <= found.end())
}

/// Whether Python's compiler speaks of a text that is in no file, behind other words:
/// `Evaluation failed: invalid syntax (<string>, line 1)`.
fn is_of_code_sent(text: &str, span: &Range<usize>) -> bool {
    let lead = text[..span.start].trim_end();
    pattern!("leak/code-in-no-file").is_match(&text[span.start..])
        && lead.contains(": ")
        && !lead.ends_with("Error:")
}

/// Whether the words stand in brackets at the end of a text that says before them, in words of its own, what to do: the cause is
/// there for whoever wants it.
fn is_behind_advice(text: &str, span: &Range<usize>) -> bool {
    let Some(open) = text[..span.start].rfind('(') else { return false };
    let is_open = !text[open..span.start].contains(')');
    is_open
        && text[span.end..].trim_end().trim_end_matches('.').ends_with(')')
        && pattern!("leak/advice").is_match(&text[..open])
}
