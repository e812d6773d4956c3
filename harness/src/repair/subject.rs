//! Which parameter a message is about.
//!
//! The main function is [`ranked`].

use std::ops::Range;

use super::instruction::named_at;
use super::shown::without_objects;
use super::slot::{ArgumentSlot, untold_name};
use crate::generate::name_words;
use crate::pattern;
use crate::wording::mention::{introduces, names_parameter, stands_in};

/// The score for a parameter's name in the message; from here on it counts as named.
pub(super) const NAMED: u32 = 8;
/// The score if the sent value occurs in the message.
const ECHOED: u32 = 4;
/// The score if all words of the parameter's name occur.
pub(super) const WORDS: u32 = 2;
/// The score if the last word of its name occurs, or if it is the only text that was sent.
const SOME: u32 = 1;

/// How likely it is that a message is about a parameter; 0 if nothing suggests it.
pub(super) fn score(text: &str, slot: &ArgumentSlot, slots: &[ArgumentSlot]) -> u32 {
    let mut score = 0;
    let own = text;
    let text = &without_sent(text, slots);
    // An item is known by the array's name and has none of its own.
    if !slot.is_item() && (names_parameter(text, &slot.name) || names_beside(text, &slot.name, slots)) {
        score += NAMED;
    }
    if slot.sent.is_none() && untold_name(text).as_ref() == Some(&slot.name) {
        score += NAMED;
    }
    if lists_for(text, slot, slots) {
        score += ECHOED;
    }
    let ending = slot.sent_text().filter(|_| slot.is_path());
    let ending = ending.as_deref().and_then(|sent| sent.rsplit('/').next()?.rsplit_once('.'));
    if slot.sent_text().is_some_and(|sent| echoes(own, &sent))
        || ending.is_some_and(|(_, end)| !end.is_empty() && own.contains(&format!(".{end}'")))
    {
        score += ECHOED;
    }
    if slot.sent_text().is_some_and(|sent| sent.len() > 2 && introduces(own, &slot.name, &sent)) {
        score += WORDS;
    }
    let lower = text.to_ascii_lowercase();
    let words = name_words(&slot.name);
    let stands = |word: &String| word.len() > 2 && stands_in_any_number(&lower, word);
    if !words.is_empty() && words.iter().all(stands) {
        score += WORDS;
    } else if words.last().is_some_and(stands) {
        score += SOME;
    }
    // An empty or blank value can only be recognised in quotation marks.
    if slot.sent_text().is_some_and(|sent| sent.trim().is_empty()) {
        score += if own.contains("''") || own.contains("\"\"") { ECHOED } else { WORDS };
    }
    let is_text = |slot: &&ArgumentSlot| slot.sent.as_ref().is_some_and(serde_json::Value::is_string);
    if is_text(&slot) && slots.iter().filter(is_text).count() == 1 {
        score += SOME;
    }
    score
}

/// Whether a list of existing things is introduced by a noun from this parameter's name and no other's: "Column
/// 'x' not found in table 'y'. Available columns: a, b".
fn lists_for(text: &str, slot: &ArgumentSlot, slots: &[ArgumentSlot]) -> bool {
    let mut lists =
        pattern!("value/noun").captures_iter(text).chain(pattern!("value/all-are").captures_iter(text));
    lists.any(|list| {
        let noun = list["of"].to_ascii_lowercase();
        let is_of =
            |slot: &ArgumentSlot| name_words(&slot.name).iter().any(|word| stands_in_any_number(&noun, word));
        is_of(slot) && slots.iter().filter(|other| other.name != slot.name).all(|other| !is_of(other))
    })
}

/// A text with the sent values replaced by spaces, because a parameter's name within a value does not name the
/// parameter.
fn without_sent(text: &str, slots: &[ArgumentSlot]) -> String {
    let mut bare = text.to_owned();
    for sent in slots.iter().filter_map(ArgumentSlot::sent_text).filter(|sent| sent.len() > 3) {
        let is_name = slots.iter().any(|slot| slot.name == sent);
        if !is_name && bare.contains(&sent) {
            bare = bare.replace(&sent, &" ".repeat(sent.len()));
        }
    }
    bare
}

/// Whether a parameter is listed together with another one: "either keys, pattern or from", "both path and
/// url".
fn names_beside(text: &str, name: &str, slots: &[ArgumentSlot]) -> bool {
    let places = |name: &str| {
        let word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let stands =
            |at: &Range<usize>| !text[..at.start].ends_with(word) && !text[at.end..].starts_with(word);
        let length = name.len();
        let found = text.match_indices(name).map(|(at, _)| at..at + length).filter(stands);
        found.take(4).collect::<Vec<Range<usize>>>()
    };
    let own = places(name);
    if own.is_empty() {
        return false;
    }
    let others = slots.iter().filter(|other| other.name != name && !other.is_item());
    others.flat_map(|other| places(&other.name)).any(|other| {
        own.iter().any(|own| {
            let between = if own.end <= other.start { own.end..other.start } else { other.end..own.start };
            between.start <= between.end
                && between.len() < 24
                && pattern!("name/beside").is_match(&text[between])
        })
    })
}

/// The slots that a message may be about, with their scores, the likeliest first.
pub(super) fn ranked<'s>(text: &str, slots: &'s [ArgumentSlot]) -> Vec<(u32, &'s ArgumentSlot)> {
    let by = |text: &str| {
        let scored = slots.iter().map(|slot| (score(text, slot, slots), slot));
        let mut ranked: Vec<(u32, &ArgumentSlot)> = scored.filter(|(score, _)| *score > 0).collect();
        // A word as ordinary as `time` may not be a name if the value of another parameter is quoted.
        let is_quoted =
            |slot: &ArgumentSlot| slot.sent_text().is_some_and(|sent| sent.len() > 5 && echoes(text, &sent));
        let is_any = ranked.iter().any(|(_, slot)| is_quoted(slot));
        let is_ordinary = |slot: &ArgumentSlot| {
            let name = slot.name.as_str();
            named_at(text, name).is_none()
                && name.bytes().all(|letter| letter.is_ascii_lowercase())
                && !is_quoted(slot)
        };
        ranked.sort_by_key(|(score, slot)| {
            let less = if is_any && is_ordinary(slot) { NAMED - 3 } else { 0 };
            std::cmp::Reverse(score.saturating_sub(less))
        });
        ranked
    };
    // A call in the message names other parameters too.
    let outside = if text.contains('{') { by(&without_objects(text)) } else { Vec::new() };
    match outside.first() {
        Some((score, _)) if *score >= ECHOED => outside,
        _ => by(text),
    }
}

/// Whether a sent value occurs in a message; for a path that the server has appended to another one, its end
/// does.
fn echoes(text: &str, sent: &str) -> bool {
    let is_short_number = sent.len() < 2 && sent.bytes().all(|byte| byte.is_ascii_digit());
    !sent.trim().is_empty() && !is_short_number && stands_in(text, sent)
}

/// Whether a word occurs in the singular or plural: "unit", "units".
fn stands_in_any_number(text: &str, word: &str) -> bool {
    stands_in(text, word)
        || stands_in(text, &format!("{word}s"))
        || word.strip_suffix('s').is_some_and(|one| one.len() > 2 && stands_in(text, one))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::slot::slots;
    use super::*;

    #[test]
    fn each_message_is_first_of_all_about_the_parameter_of_its_line() {
        for line in include_str!("subject.jsonl").lines() {
            let case: Value = serde_json::from_str(line).expect("a line is a case");
            let slots = slots(&case["schema"], &case["sent"]);
            let found = ranked(case["text"].as_str().expect("a text"), &slots);
            assert_eq!(
                found.first().map(|(_, slot)| slot.name.as_str()),
                case["first"].as_str(),
                "{line}: {found:?}"
            );
        }
    }
}
