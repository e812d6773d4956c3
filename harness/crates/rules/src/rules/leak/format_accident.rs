//! `leak/format-accident`: a message contains the remains of failed formatting.

use crate::finding::Diagnostic;
use crate::json::leaves;
use crate::pattern;
use crate::rules::{Context, Rule};

/// BC-20: no internal detail in a message.
pub(crate) static RULE: Rule =
    Rule::of_reply("leak/format-accident", include_str!("format_accident.toml"), check);

/// Whether the match is only a null that the caller sent, in the language's own word.
pub(super) fn is_null_told_back(context: &Context<'_>, found: &str) -> bool {
    const ACCIDENTS: [&str; 5] = ["%", "{", "undefined", "NaN", "[object O"];
    const NULLS: [&str; 6] = ["null", "None", "nil", "Null", "NULL", "<nil>"];
    NULLS.iter().any(|null| found.contains(null))
        && !ACCIDENTS.iter().any(|accident| found.contains(accident))
        && leaves(&context.exchange.call.arguments).iter().any(|leaf| leaf.is_null())
}

/// Whether the text before a match says that a placeholder follows, so that the server means it.
pub(super) fn is_introduced(before: &str) -> bool {
    pattern!("text/placeholder-ahead").is_match(before)
}

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Format the value itself: an error as its message, a path as a string. Test this message with \
        every value that it can get.";
    super::judged(context, RULE.id, "the leftovers of failed formatting", help)
}
