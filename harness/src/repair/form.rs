//! Value formats that a message names or shows as a template, with a value of each.
//!
//! The main functions are [`asked_for`] and [`of_template`]. The values are ours: addresses lead nowhere, and
//! anything that could be evaluated does nothing.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use crate::expression::expression;
use crate::generate::{document, document_words};
use crate::pattern;

/// The forms of texts that messages ask for: `forms.toml` beside this file, which explains itself.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Forms {
    forms: Vec<(String, String)>,
    parts: Vec<(String, String)>,
}

static KNOWN: LazyLock<Forms> =
    LazyLock::new(|| toml::from_str(include_str!("forms.toml")).expect("a test reads this file"));

/// A statement of SQL that does no harm, however often it is executed.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS alpha (id INTEGER, name TEXT)";

/// The format that a message asks for: a text in it, and the position of the words.
pub(super) fn asked_for(text: &str) -> Option<(&'static str, Range<usize>)> {
    static ASKED: LazyLock<Regex> = LazyLock::new(|| {
        let names: Vec<String> = KNOWN
            .forms
            .iter()
            .enumerate()
            .map(|(number, (names, _))| format!("(?P<f{number}>{names})"))
            .collect();
        expression(&format!(
            r#"(?i)\b(?:invalid|malformed|bad|(?:can(?:not|'t)|could(?: not|n't)|failed to|unable to|error) (?:parse|read|decode|interpret)|parsing|decoding|not an?|not (?:a |an )?(?:valid|well-formed)|(?:must|should|has to|needs to) be(?: in| given in| written in| of)?|to be|match(?:es)?(?: the)? format|expected|expects|requires?|unrecogni[sz]ed|unknown|unparse?able|input should be|does not look like|wrong|in|as)\s+(?:an? |the |valid |correct |proper |well-formed |supported )*["'`]?(?:{})\b"#,
            names.join("|")
        ))
    });
    if let Some(found) = pattern!("kind/cron").find(text) {
        return Some(("0 12 * * *", found.range()));
    }
    if let Some(found) = pattern!("kind/create-table").find(text) {
        return Some((TABLE, found.range()));
    }
    if let Some(found) = pattern!("kind/digits").find(text) {
        return Some(("1234567890", found.range()));
    }
    if let Some(found) = pattern!("kind/letter").captures(text) {
        let is_small =
            found.name("upper").is_some_and(|upper| upper.as_str().to_ascii_lowercase().starts_with('l'));
        return Some((if is_small { "a" } else { "A" }, found.get_match().range()));
    }
    let Some(found) = ASKED.captures(text) else { return document_asked_for(text) };
    let number = (0..KNOWN.forms.len()).find(|number| found.name(&format!("f{number}")).is_some())?;
    Some((&KNOWN.forms[number].1, found.get_match().range()))
}

/// The kind of document that a message asks for: "Failed to parse DOT content", "not a valid GraphML document".
fn document_asked_for(text: &str) -> Option<(&'static str, Range<usize>)> {
    static ASKED: LazyLock<Regex> = LazyLock::new(|| {
        let words: Vec<&str> = document_words().collect();
        let words = words.join("|");
        expression(&format!(
            r"(?i)\b(?:invalid|malformed|parse|parsing|not|no|valid|expected|expects|requires?|must be|is not)\s+(?:an? |the |valid )*(?P<a>{words})\b|\b(?P<b>{words}) (?:format|content|data|document|syntax|parser|parse|parsing|error)\b"
        ))
    });
    let found = ASKED.captures(text)?;
    let word = found.name("a").or(found.name("b"))?;
    Some((document(&word.as_str().to_ascii_lowercase())?, word.range()))
}

/// The format implied by a parameter's name, if a message calls its value unreadable: `fire_at`, `startDate`.
pub(super) fn of_name(text: &str, name: &str) -> Option<(&'static str, Range<usize>)> {
    const NAMES: [(&str, &str); 14] = [
        ("at", "2026-01-31T12:00:00Z"),
        ("since", "2026-01-31T12:00:00Z"),
        ("until", "2026-01-31T12:00:00Z"),
        ("due", "2026-01-31T12:00:00Z"),
        ("deadline", "2026-01-31T12:00:00Z"),
        ("timestamp", "2026-01-31T12:00:00Z"),
        ("datetime", "2026-01-31T12:00:00Z"),
        ("date", "2026-01-31"),
        ("time", "12:00"),
        ("timezone", "UTC"),
        ("color", "#336699"),
        ("colour", "#336699"),
        ("cron", "0 12 * * *"),
        ("schedule", "0 12 * * *"),
    ];
    let last = crate::generate::name_words(name).pop()?;
    let (_, value) = NAMES.iter().find(|(word, _)| *word == last)?;
    let found = pattern!("kind/unreadable").find(text).filter(|_| text.contains(name))?;
    Some((value, found.range()))
}

/// A text in the format of a template: `YYYY-MM-DD`, `HH:MM`, `#RRGGBB`. What is not a template stays
/// unchanged; `None` if a part of the template is unknown.
pub(super) fn of_template(example: &str) -> Option<String> {
    if example.contains(['<', '>', '{', '}', '[', ']', '$']) {
        return None;
    }
    let is_template = KNOWN.parts.iter().any(|(part, _)| example.contains(part))
        && !example.chars().any(|letter| letter.is_ascii_digit())
        && example.chars().all(|letter| {
            KNOWN.parts.iter().any(|(part, _)| part.contains(letter)) || "TZ:-/.# +".contains(letter)
        });
    if !is_template {
        return Some(example.to_owned());
    }
    // In a time of day, `MM` stands for minutes and not for the month.
    let (date, time) = match example.find(['T', ' ']) {
        Some(at) => example.split_at(at),
        None if example.contains(':') => ("", example),
        None => (example, ""),
    };
    let filled = |text: &str| {
        KNOWN.parts.iter().fold(text.to_owned(), |text, (part, value)| text.replace(part, value))
    };
    Some(filled(&date.replace("mm", "01")) + &filled(&time.replace("MM", "00")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_known_by_its_own_name() {
        for (names, value) in &KNOWN.forms {
            let name = names.split(['|', '?', '(']).find(|part| part.len() > 1).unwrap_or_default();
            assert!(!value.is_empty() && !name.is_empty(), "{names}");
        }
    }
}
