//! Values that a message shows in JSON, and numbers that must be in order.
//!
//! The main function is [`shown`].

use std::ops::Range;

use serde_json::{Map, Value};

use super::context::RepairContext;
use super::requested::{RequestedChange, StatedChange};
use super::slot::ArgumentSlot;
use crate::pattern;
use crate::wording::mention::{names_parameter, stands_in};

/// At most this many braces of a message are examined.
const BRACES: usize = 12;
/// How far before a brace, in bytes, the name of the called tool may stand.
const BEFORE: usize = 60;

/// A text with its JSON objects replaced by spaces.
pub(super) fn without_objects(text: &str) -> String {
    let mut blank = text.to_owned();
    for (at, _) in text.match_indices('{').take(BRACES) {
        let mut read = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Map<String, Value>>();
        // `{"path": <string>}` is not JSON, but ends at its brace too.
        let end = match read.next() {
            Some(Ok(_)) => at + read.byte_offset(),
            _ => text[at..].find('}').map_or(at, |end| at + end + 1),
        };
        blank.replace_range(at..end, &" ".repeat(end - at));
    }
    blank
}

/// The values of a parameter in calls that a text shows, and the positions of these calls.
fn values(text: &str, slot: &ArgumentSlot, around: RepairContext<'_>) -> Vec<(Value, Range<usize>)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('{').take(BRACES) {
        let mut read = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Map<String, Value>>();
        let Some(Ok(members)) = read.next() else { continue };
        let begin = text.floor_char_boundary(at.saturating_sub(BEFORE));
        let mut words = text[begin..at].split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let is_of_another = words.any(|word| word != around.called && around.tools.contains(&word));
        if let Some(value) = members.get(&slot.name).filter(|_| !is_of_another) {
            found.push((value.clone(), at..at + read.byte_offset()));
        }
    }
    found
}

/// Whether a call that a text shows has this parameter.
pub(super) fn shows(text: &str, slot: &ArgumentSlot, around: RepairContext<'_>) -> bool {
    slot.place.len() == 1 && !values(text, slot, around).is_empty()
}

/// The value of a parameter in a call that the message shows: `call view with {"view_range": [1, 20]}`. A
/// parameter that the message is not about is only part of the example.
pub(super) fn shown(text: &str, slot: &ArgumentSlot, around: RepairContext<'_>) -> Option<StatedChange> {
    let is_new = |value: &Value| {
        let is_template = value.as_str().is_some_and(|text| text.contains(['<', '>', '{', '}']));
        !is_template && slot.sent.as_ref() != Some(value)
    };
    let (value, at) = values(text, slot, around).into_iter().find(|(value, _)| is_new(value))?;
    let outside = without_objects(text);
    let is_echoed = slot.sent_text().is_some_and(|sent| stands_in(&outside, &sent));
    (is_echoed || names_parameter(&outside, &slot.name)).then_some((RequestedChange::Shown(value), at))
}

/// The numbers of a range, moved within its bounds and put in order: "lines from 1 to 12".
pub(super) fn ranged(text: &str, slot: &ArgumentSlot) -> Option<StatedChange> {
    let sent = slot.sent.as_ref()?.as_array()?;
    let numbers: Option<Vec<i64>> = sent.iter().map(Value::as_i64).collect();
    let mut numbers = numbers.filter(|numbers| numbers.len() > 1)?;
    let found = pattern!("bound/range").captures(text)?;
    let (least, most) = (found["a"].parse::<i64>().ok()?, found["b"].parse::<i64>().ok()?);
    if least > most {
        return None;
    }
    numbers.iter_mut().for_each(|number| *number = (*number).clamp(least, most));
    numbers.sort_unstable();
    let (numbers, whole) = (Value::from(numbers), found.get_match().range());
    (slot.sent.as_ref() != Some(&numbers)).then_some((RequestedChange::Set(numbers), whole))
}

/// Of two parameters in the wrong order, the one that is adapted to the other: "an `end` that is not before
/// `start`".
pub(super) fn ordered(text: &str, slot: &ArgumentSlot, around: RepairContext<'_>) -> Option<StatedChange> {
    let found = pattern!("bound/order").captures_iter(text).find(|found| found["a"] == slot.name)?;
    let other = &found["b"];
    if !around.parameters.contains(&other) || *other == slot.name {
        return None;
    }
    let value = around.sent.get(other).filter(|value| value.is_number())?;
    let whole = found.get_match().range();
    (slot.sent.as_ref() != Some(value)).then(|| (RequestedChange::Set(value.clone()), whole))
}
