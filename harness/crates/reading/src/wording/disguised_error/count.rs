//! What members of a JSON object count and list, by their names: failures and successes.

use crate::words;

use serde_json::{Map, Value};

/// Names of members that count failures.
pub(super) const FAILURES: &[&str] = &["errors", "failed", "failures"];

/// The words of a member's name, in lower case.
fn words(name: &str) -> Vec<String> {
    name.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase).collect()
}

pub(super) fn fails(words: &[String]) -> bool {
    words.iter().any(|word| FAILURES.contains(&word.as_str()))
}

/// Whether a word is a participle that means that something was done.
pub(super) fn done(word: &str) -> bool {
    word.starts_with("succe")
        || word == "ok"
        || word.ends_with("ed") && !words!("messages/count-idle").contains(&word)
}

pub(super) fn succeeds(words: &[String]) -> bool {
    words.iter().any(|word| done(word)) && !fails(words)
}

pub(super) fn counts(object: &Map<String, Value>) -> impl Iterator<Item = (&String, Vec<String>, u64)> {
    object.iter().filter_map(|(name, value)| Some((name, words(name), value.as_u64()?)))
}

pub(super) fn lists(
    object: &Map<String, Value>,
) -> impl Iterator<Item = (&String, Vec<String>, &Vec<Value>)> {
    object.iter().filter_map(|(name, value)| Some((name, words(name), value.as_array()?)))
}

/// A count of failures without a success beside it, such as `failed: 1`.
pub(super) fn failed_count(object: &Map<String, Value>) -> Option<String> {
    let mut successes = counts(object).filter(|(_, words, _)| succeeds(words)).peekable();
    successes.peek()?;
    if successes.any(|(_, _, count)| count > 0) {
        return None;
    }
    let (name, _, count) = counts(object).find(|(_, words, count)| fails(words) && *count > 0)?;
    Some(format!("{name}: {count}"))
}

/// Whether an object says that something was done: it counts or lists successes.
pub(super) fn did_some(object: &Map<String, Value>) -> bool {
    counts(object).any(|(_, words, count)| succeeds(&words) && count > 0)
        || lists(object).any(|(_, words, items)| succeeds(&words) && !items.is_empty())
}

/// Whether an object says that the call's purpose was not achieved, and lists the reasons: `committed: false`
/// beside `errors`.
pub(super) fn left_undone(object: &Map<String, Value>) -> bool {
    let tells_why = |item: &Value| item.is_string() || item.get("message").is_some_and(Value::is_string);
    let errors = object.get("errors").and_then(Value::as_array);
    words!("messages/count-deeds").iter().any(|deed| object.get(*deed) == Some(&Value::Bool(false)))
        && errors.is_some_and(|errors| !errors.is_empty() && errors.iter().all(tells_why))
}
