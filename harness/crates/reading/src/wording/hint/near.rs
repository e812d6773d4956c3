//! Suggested names: names similar to one that was sent.
//!
//! It needs no words for similarity, and no language.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::Asked;
use super::view::{SENT, View};
use crate::pattern;

/// At most this many names are compared, which bounds the search.
const MOST: usize = 60;
/// A shorter name is similar to too many others.
const SHORT: usize = 3;
/// A longer value is not a name.
const LONG: usize = 80;

/// Whether a text names something similar to a value, or to a surplus argument, of the call.
pub(super) fn offers_a_like_name(view: &View<'_>, asked: &Asked<'_>) -> bool {
    let mut values = Vec::new();
    collect(asked.arguments, &mut values);
    let strangers = asked.arguments.as_object().into_iter().flat_map(Map::keys);
    let strangers =
        strangers.filter(|name| !asked.parameters.is_empty() && !asked.parameters.contains(&name.as_str()));
    values.extend(strangers.map(|name| name.to_lowercase()));
    if values.is_empty() {
        return false;
    }
    let known: HashSet<String> = values
        .iter()
        .map(String::as_str)
        .chain(asked.parameters.iter().copied())
        .chain([asked.tool])
        .map(flat)
        .collect();
    let names = pattern!("text/name").captures_iter(&view.text).filter_map(|found| {
        let quoted = found.name("quoted").map(|name| (name.as_str(), true));
        quoted.or_else(|| found.name("bare").map(|name| (name.as_str(), false)))
    });
    // A word of the sentence counts as a name only if it is marked as one.
    let marked =
        |name: &str| name.contains(['.', '/', '_', '-']) || name.contains(|c: char| c.is_ascii_digit());
    names.filter(|(name, quoted)| !name.contains(SENT) && (*quoted || marked(name))).take(MOST).any(
        |(name, quoted)| {
            let lower = name.to_lowercase();
            let plain = flat(name);
            let repeats = known.contains(&plain) || values.iter().any(|value| value.contains(&lower));
            plain.len() >= SHORT && !repeats && values.iter().any(|value| is_like(value, &lower, quoted))
        },
    )
}

/// Collects the strings of the call that may be names, whole and word by word, in lower case.
fn collect(value: &Value, values: &mut Vec<String>) {
    match value {
        _ if values.len() >= MOST => {}
        Value::String(text) if (SHORT..=LONG).contains(&text.len()) => {
            let text = text.to_lowercase();
            let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')));
            values.extend(words.filter(|word| word.len() >= SHORT && *word != text).map(str::to_owned));
            values.push(text);
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, values)),
        Value::Object(members) => members.values().for_each(|member| collect(member, values)),
        _ => {}
    }
}

fn flat(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// "job-3" for "job-77": the same name with another number.
fn is_numbered_alike(value: &str, name: &str) -> bool {
    /// The letters of a text without its digits, if it has both.
    fn letters(text: &str) -> Option<String> {
        let digits = text.chars().filter(char::is_ascii_digit).count();
        let rest: String = text.chars().filter(|c| !c.is_ascii_digit()).collect();
        (digits > 0 && rest.contains(char::is_alphabetic)).then_some(rest)
    }
    let is_plain = |text: &str| !text.contains(['/', '.', ' ']);
    is_plain(value)
        && is_plain(name)
        && value != name
        && letters(value).is_some_and(|own| Some(own) == letters(name))
}

/// Whether a name has most of its letters in common with a value.
fn is_like(value: &str, name: &str, quoted: bool) -> bool {
    let (long, short) = (value.len().max(name.len()), value.len().min(name.len()));
    if long - short > (value.len() / 2).max(SHORT) {
        return false;
    }
    // Another path to the same file is not another file.
    let last = |path: &str| path.rsplit('/').next().map(str::to_owned);
    if (value.contains('/') || name.contains('/')) && last(value) == last(name) {
        return false;
    }
    if is_numbered_alike(value, name) {
        return true;
    }
    let distance = strsim::osa_distance(value, name);
    let begins_alike = || {
        let head = (value.len() * 2 / 3).max(SHORT);
        value.get(..head).is_some_and(|head| name.starts_with(head))
            && !name.contains('/')
            && !name.ends_with(value)
    };
    distance > 0 && distance <= (short / 4).max(1) || quoted && begins_alike()
}
