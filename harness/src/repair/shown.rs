//! Values that a message shows in JSON, and the order in which two parameters have to stand.
//!
//! The main function is [`shown`].

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::slot::Slot;
use super::told::Around;
use super::wish::{Said, Wish};
use crate::expression::expression;
use crate::wording::mention::{names_parameter, stands_in};

/// So many braces of a message are looked at.
const BRACES: usize = 12;
/// So far before a brace stands the tool that the call in it is of.
const BEFORE: usize = 60;

/// A text with blanks in the place of the objects of JSON in it.
pub(super) fn without_objects(text: &str) -> String {
    let mut blank = text.to_owned();
    for (at, _) in text.match_indices('{').take(BRACES) {
        let mut read = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Map<String, Value>>();
        // `{"path": <string>}` is none, and ends at its brace all the same.
        let end = match read.next() {
            Some(Ok(_)) => at + read.byte_offset(),
            _ => text[at..].find('}').map_or(at, |end| at + end + 1),
        };
        blank.replace_range(at..end, &" ".repeat(end - at));
    }
    blank
}

/// What a call that the message shows has in a parameter: `call view with {"view_range": [1, 20]}`.
pub(super) fn shown(text: &str, slot: &Slot, around: Around<'_>) -> Option<Said> {
    for (at, _) in text.match_indices('{').take(BRACES) {
        let mut read = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Map<String, Value>>();
        let Some(Ok(members)) = read.next() else { continue };
        let begin = text.floor_char_boundary(at.saturating_sub(BEFORE));
        let mut words = text[begin..at].split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        if words.any(|word| word != around.called && around.tools.contains(&word)) {
            continue;
        }
        let Some(value) = members.get(&slot.name) else { continue };
        // What it is not about it shows for the sake of another parameter.
        let outside = without_objects(text);
        let is_echoed = slot.sent_text().is_some_and(|sent| stands_in(&outside, &sent));
        if !is_echoed && !names_parameter(&outside, &slot.name) {
            continue;
        }
        let is_template = value.as_str().is_some_and(|text| text.contains(['<', '>', '{', '}']));
        if !is_template && slot.sent.as_ref() != Some(value) {
            return Some((Wish::Shown(value.clone()), at..at + read.byte_offset()));
        }
    }
    None
}

/// Of two parameters that stand in the wrong order the one that is brought to the other: "an `end` that is not before `start`".
pub(super) fn ordered(text: &str, slot: &Slot, around: Around<'_>) -> Option<Said> {
    static ORDER: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"(?i)['"`]?(?P<a>[\w-]+)['"`]?\s+(?:that |which )?(?:(?:must|should|can|may|has to|needs to|is|cannot|can't)\s+)?(?:not )?(?:be )?(?:(?:at or )?(?:before|after)|at least|at most|(?:greater|less|larger|smaller|higher|lower|later|earlier) than(?: or equal to)?|>=|<=|<|>|precede|exceed)\s+['"`]?(?P<b>[\w-]+)['"`]?"#,
        )
    });
    let found = ORDER.captures_iter(text).find(|found| found["a"] == slot.name)?;
    let other = &found["b"];
    if !around.parameters.contains(&other) || *other == slot.name {
        return None;
    }
    let value = around.sent.get(other).filter(|value| value.is_number())?;
    let whole = found.get(0).expect("group 0 is the match").range();
    (slot.sent.as_ref() != Some(value)).then(|| (Wish::Set(value.clone()), whole))
}
