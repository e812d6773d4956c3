//! `message/hint-repeated`: a so-called hint only repeats that the call failed.

use serde_json::{Map, Value};

use crate::contract::ErrorReply;
use crate::finding::{Diagnostic, Evidence};
use crate::pattern;
use crate::rules::should_read::sentence;
use crate::rules::{Context, Rule};
use crate::wording::hint;
use crate::words;

/// BC-19: what to change is more than what was wrong.
pub(crate) static RULE: Rule =
    Rule::of_reply("message/hint-repeated", include_str!("hint_repeated.toml"), check);

/// Members of a JSON object with the error, and those with its hint.
const MESSAGES: [&str; 7] = ["error", "message", "detail", "details", "reason", "description", "msg"];

/// An error and its so-called hints.
struct Hinted {
    message: String,
    hints: Vec<String>,
}

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(error) = context.error else { return Vec::new() };
    let Some(hinted) = by_contract(error).or_else(|| by_member(error)).or_else(|| by_label(error)) else {
        return Vec::new();
    };
    let said = words(&hinted.message);
    let repeats = |hint: &String| repeats(&said, &words(unlabelled(hint)));
    if hinted.hints.is_empty() || !hinted.hints.iter().all(repeats) {
        return Vec::new();
    }
    if context.with_asked(|asked| hint::gives_hint(&hinted.message, asked)) {
        return Vec::new();
    }
    let message = format!("the hint in the error reply of `{}` repeats the error", context.called());
    let help = format!(
        "Say in the hint what to send instead, or what to do first; or leave it out.{}",
        sentence(context)
    );
    // If two read alike, the last one is the hint.
    let hint = hinted.hints[0].as_str();
    let evidence = match error.text.rfind(hint) {
        Some(start) => Evidence::marked(&error.text, start..start + hint.len()),
        None => Evidence::whole(error.text.as_str()),
    };
    vec![Diagnostic::new(message, help).evidence(evidence)]
}

/// The hints, if the contract has a place for them.
fn by_contract(error: &ErrorReply) -> Option<Hinted> {
    let hints = error.hints.clone();
    (!hints.is_empty()).then(|| Hinted { message: error.message().to_owned(), hints })
}

/// The hints of a JSON object with a member for each, at its top level or within the member with the error.
fn by_member(error: &ErrorReply) -> Option<Hinted> {
    let members: Map<String, Value> = serde_json::from_str(error.text.trim()).ok()?;
    let nested = MESSAGES.iter().chain(&["problem"]).filter_map(|name| members.get(*name)?.as_object());
    std::iter::once(&members).chain(nested).find_map(|members| {
        let message = MESSAGES.iter().find_map(|name| members.get(*name)?.as_str())?;
        let hints =
            words!("messages/hint_repeated-hints").iter().find_map(|name| match members.get(*name)? {
                Value::String(hint) => Some(vec![hint.clone()]),
                Value::Array(hints) => hints.iter().map(|hint| hint.as_str().map(str::to_owned)).collect(),
                _ => None,
            })?;
        Some(Hinted { message: message.to_owned(), hints })
    })
}

/// The hint of a message with a word that introduces it.
fn by_label(error: &ErrorReply) -> Option<Hinted> {
    let message = error.message();
    let found = pattern!("order/label").captures(message)?;
    let (whole, hint) = (found.get(0)?, found.get(1)?);
    let hints = vec![hint.as_str().trim().to_owned()];
    Some(Hinted { message: message[..whole.start()].to_owned(), hints })
}

/// A hint without the word that introduces it.
fn unlabelled(hint: &str) -> &str {
    pattern!("order/label").captures(hint).and_then(|found| found.get(1)).map_or(hint, |hint| hint.as_str())
}

/// The words of a text in lower case.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Whether all words of a hint stand in the message side by side.
fn repeats(message: &[String], hint: &[String]) -> bool {
    hint.len() > 1 && message.windows(hint.len()).any(|part| part == hint)
}
