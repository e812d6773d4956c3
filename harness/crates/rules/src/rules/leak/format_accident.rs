//! `leak/format-accident`: a message contains the remains of failed formatting.

use serde_json::Value;

use crate::finding::Diagnostic;
use crate::json::leaves;
use crate::names::name_words;
use crate::pattern;
use crate::rules::{Context, Rule};

use super::pattern::{Confidence, Language};
use super::search::Leak;

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

/// The language's word for nothing right behind the name of an argument in which a value was sent: "Coupon undefined".
pub(super) fn behind_a_name(
    context: &Context<'_>,
    text: &str,
    blank: &dyn Fn(&str) -> String,
) -> Option<Leak> {
    let (sent, words) = (context.arguments().as_object()?, pattern!("leak/name-and-nothing"));
    // Few texts have such a word, and blanking what was sent costs more.
    let blank = words.is_match(text).then(|| blank(text))?;
    let found = words.captures_iter(&blank).find(|found| {
        let noun = found["noun"].to_lowercase();
        // "not" of `not_before` may be any word.
        let is_first = |name: &str| name_words(name).first() == Some(&noun) && noun.len() > 3;
        let is_of = |name: &str| name.to_lowercase() == noun || is_first(name);
        let has_value = |value: &Value| !value.is_null() && value.as_str() != Some("");
        noun.len() > 2 && sent.iter().any(|(name, value)| is_of(name) && has_value(value))
    })?;
    Some(Leak {
        rule: RULE.id,
        pattern: "nothing-behind-a-name",
        what: "the language's word for nothing where a value should stand",
        language: Language::Any,
        confidence: Confidence::Low,
        span: found.name("nothing")?.range(),
    })
}

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Format the value itself: an error as its message, a path as a string. Test this message with \
        every value that it can get.";
    super::judged(context, RULE.id, "the leftovers of failed formatting", help)
}
