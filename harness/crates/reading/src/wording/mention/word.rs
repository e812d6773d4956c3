//! Whether a parameter's name stands in a text as a word, or as words, of its own.
//!
//! The main function is [`stands_as_word`]. The name need not be marked: `count 0 is out of range` names
//! `count`.

use crate::wording::border;
use crate::wording::escape::readings;
use crate::words;

/// Words that may be joined to a parameter's name by a hyphen.
const JOINED: [&str; 7] = ["argument", "field", "option", "param", "property", "value", "wert"];

/// Whether a name stands in a text as a whole word, in any case; one of several parts also with spaces, hyphens
/// or nothing between them.
pub fn stands_as_word(text: &str, name: &str) -> bool {
    let parts = parts(name);
    let is_anywhere = |parts: &[String]| matches!(parts, [word] if words!("messages/word-grammar").contains(&word.as_str()) || words!("messages/word-nouns").contains(&word.as_str()));
    if parts.is_empty() || is_anywhere(&parts) {
        return false;
    }
    let other = in_the_plural(&parts).filter(|other| !is_anywhere(other));
    readings(text)
        .iter()
        .any(|text| holds(text, &parts) || other.as_ref().is_some_and(|other| holds(text, other)))
}

/// Whether a name that is a word of any error message stands in the same sentence as what was sent in it, and near to that:
/// "the type 20 is not known", "20 is no code". A word of the language's grammar must begin a line, with the value and a colon
/// behind it: "to 20: want a string".
pub fn stands_beside(text: &str, name: &str, sent: &str) -> bool {
    /// Between the two stand fewer words than this.
    const NEAR: usize = 6;
    let name = name.to_lowercase();
    let sent: Vec<String> = sentences(sent).into_iter().flatten().collect();
    if sent.is_empty() || sent.contains(&name) {
        return false;
    }
    if words!("messages/word-grammar").contains(&name.as_str()) {
        let is_marked = |line: &str| {
            let quotes = |letter: char| !letter.is_alphanumeric() && letter != ':';
            let rest = line.trim_start_matches(quotes).strip_prefix(&name);
            let rest = rest.and_then(|rest| rest.trim_start_matches(quotes).strip_prefix(&sent.join(" ")));
            rest.is_some_and(|rest| rest.trim_start_matches(quotes).starts_with(':'))
        };
        return readings(text).iter().any(|text| text.to_lowercase().lines().any(is_marked));
    }
    if !words!("messages/word-nouns").contains(&name.as_str()) {
        return false;
    }
    let is_near = |words: Vec<String>| {
        let named = |word: &String| *word == name || word.strip_suffix('s') == Some(&name);
        let values: Vec<usize> = (0..words.len()).filter(|at| words[*at..].starts_with(&sent)).collect();
        let is_near = |at: usize| {
            values.iter().any(|start| {
                let end = start + sent.len();
                at < *start && start - at <= NEAR || at >= end && at - end < NEAR
            })
        };
        (0..words.len()).filter(|at| named(&words[*at])).any(is_near)
    };
    readings(text).iter().flat_map(|text| sentences(text)).any(is_near)
}

/// The words of each sentence of a text, in small letters; what a hyphen joins is one.
fn sentences(text: &str) -> Vec<Vec<String>> {
    let lower = text.to_lowercase();
    let sentences = lower.split('\n').flat_map(|line| line.split(". "));
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    let words = |sentence: &str| {
        let words = sentence.split(|letter| !is_part(letter)).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    sentences.map(words).collect()
}

/// These words with the last one in the plural.
fn in_the_plural(parts: &[String]) -> Option<Vec<String>> {
    /// The plural of a shorter word may be another word: `i` and `is`.
    const SHORT: usize = 3;
    let (last, others) = parts.split_last()?;
    (!last.ends_with('s') && (!others.is_empty() || last.len() >= SHORT))
        .then(|| others.iter().cloned().chain([format!("{last}s")]).collect())
}

/// The words of a name, in lower case: `max_results`, `max-results` and `maxResults` have two.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (was_lower && letter.is_uppercase()) {
            parts.push(String::new());
        }
        was_lower = letter.is_lowercase() || letter.is_ascii_digit();
        if let Some(part) = parts.last_mut().filter(|_| letter.is_alphanumeric()) {
            part.extend(letter.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn holds(text: &str, parts: &[String]) -> bool {
    let text = text.to_lowercase();
    let Some((first, others)) = parts.split_first() else { return false };
    text.match_indices(first.as_str()).any(|(start, _)| {
        let mut after = &text[start + first.len()..];
        for part in others {
            let between = after.trim_start_matches([' ', '\n', '_', '-', '\u{a0}']);
            let Some(rest) = between.strip_prefix(part.as_str()).filter(|_| after.len() - between.len() <= 2)
            else {
                return false;
            };
            after = rest;
        }
        let (ours, theirs) = (first.chars().next(), parts.last().and_then(|part| part.chars().last()));
        !is_joined_before(&text[..start], ours) && !is_joined_after(after, theirs)
    })
}

/// Whether a character continues a name. A name in a script without spaces may end anywhere.
fn joins(ours: Option<char>, other: char) -> bool {
    other == '_' || ours.is_some_and(|ours| border::joins(ours, other) && !border::is_spaceless(ours))
}

fn is_joined_before(before: &str, ours: Option<char>) -> bool {
    let mut letters = before.chars().rev();
    let Some(last) = letters.next() else { return false };
    let beyond = letters.next().is_some_and(char::is_alphanumeric);
    // Part of a path or a compound; `--count` is neither.
    joins(ours, last) || matches!(last, '/' | '\\') || (matches!(last, '-' | '\'' | '\u{2019}') && beyond)
}

fn is_joined_after(after: &str, ours: Option<char>) -> bool {
    let mut letters = after.chars();
    let Some(next) = letters.next() else { return false };
    let rest = letters.as_str();
    let goes_on = rest.starts_with(char::is_alphanumeric);
    match next {
        '/' | '\\' | '@' => goes_on,
        '.' => goes_on && !rest.starts_with(|c: char| c.is_ascii_digit()),
        '-' => rest.starts_with(char::is_alphabetic) && !JOINED.iter().any(|word| rest.starts_with(word)),
        next => joins(ours, next),
    }
}
