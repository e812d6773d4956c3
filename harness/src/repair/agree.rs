//! Sizes that must agree according to a message: rows and columns with the data, a range with its values, the
//! number of parts of a text.
//!
//! The main functions are [`sizes`] and [`parts`].

use std::ops::Range;

use serde_json::{Value, json};

use super::requested::{RequestedChange, StatedChange};
use super::slot::ArgumentSlot;
use crate::generate::name_words;
use crate::pattern;

/// A list is extended to at most this many items.
const ITEMS: usize = 16;
/// The words for a text with a given number of parts.
const WORDS: [&str; 8] = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"];

/// New values of parameters that are changed together.
type Together<'s> = Vec<(&'s ArgumentSlot, RequestedChange)>;

/// The ways to make the sizes of a call's values agree, if a message says that they do not. Each is a set of
/// new values: first the numbers adapted to the list, then the range to the list, then the list to the number.
pub(super) fn sizes<'s>(text: &str, slots: &'s [ArgumentSlot]) -> Option<(Vec<Together<'s>>, Range<usize>)> {
    let found = pattern!("bound/sizes-differ").find(text)?;
    let list = slots.iter().find(|slot| {
        slot.place.len() == 1
            && slot.sent.as_ref().and_then(Value::as_array).is_some_and(|all| !all.is_empty())
    })?;
    let items = list.sent.as_ref()?.as_array()?;
    let (rows, columns) = (items.len(), items.iter().filter_map(Value::as_array).map(Vec::len).max());
    let even = rectangular(items, columns);
    let evened = (even != *items).then(|| (list, RequestedChange::Fitting(Value::Array(even.clone()))));
    let mut ways = Vec::new();
    let numbers = slots.iter().filter(|slot| slot.place.len() == 1).filter_map(|slot| {
        let words = name_words(&slot.name);
        let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
        let size = if has(&["rows", "row", "nrows", "height"]) {
            rows
        } else if has(&["cols", "col", "columns", "column", "ncols", "width"]) {
            columns?
        } else if has(&["count", "length", "size", "n"]) {
            rows
        } else {
            return None;
        };
        let sent = slot.sent.as_ref()?.as_f64()?;
        ((sent - size as f64).abs() > f64::EPSILON).then(|| (slot, RequestedChange::Fitting(json!(size))))
    });
    let numbers: Vec<_> = numbers.chain(evened.clone()).collect();
    if !numbers.is_empty() {
        ways.push(numbers);
    }
    let ranges = slots.iter().filter_map(|slot| {
        let range = cells(slot.sent.as_ref()?.as_str()?, rows, columns.unwrap_or(1))?;
        (slot.sent.as_ref()?.as_str() != Some(&range)).then(|| (slot, RequestedChange::Fitting(json!(range))))
    });
    if let Some(range) = ranges.take(1).next() {
        ways.push(std::iter::once(range).chain(evened).collect());
    }
    let wanted = numbers_in(text).into_iter().find(|number| *number != rows && (1..=ITEMS).contains(number));
    if let (Some(wanted), Some(last)) = (wanted, even.last()) {
        let padded = even.iter().chain(std::iter::repeat(last)).take(wanted).cloned();
        ways.push(vec![(list, RequestedChange::Fitting(padded.collect()))]);
    }
    (!ways.is_empty()).then(|| (ways, found.range()))
}

/// The change for a message that asks for a number of parts: "Expected 3 parts (subject relation object), got
/// 1".
pub(super) fn parts(text: &str, slot: &ArgumentSlot) -> Option<StatedChange> {
    let sent = slot.sent.as_ref().and_then(Value::as_str)?;
    let found = pattern!("bound/parts").captures(text).filter(|_| slot.takes("string") && !slot.is_path())?;
    let count = match found["count"].to_ascii_lowercase().as_str() {
        "two" => 2,
        "three" => 3,
        "four" => 4,
        digit => digit.parse::<usize>().ok()?,
    };
    let joint = if sent.contains(',') || text.contains("comma") { "," } else { " " };
    let made = WORDS.get(..count).filter(|words| words.len() > 1)?.join(joint);
    (made != sent).then(|| (RequestedChange::Fitting(json!(made)), found.get_match().range()))
}

/// The rows extended to equal length by repeating the last value of each.
fn rectangular(items: &[Value], columns: Option<usize>) -> Vec<Value> {
    let Some(columns) = columns.filter(|columns| (1..=ITEMS).contains(columns)) else {
        return items.to_vec();
    };
    let wide = |item: &Value| match item.as_array() {
        Some(cells) => {
            let last = cells.last().cloned().unwrap_or_else(|| json!("alpha"));
            let padded = cells.iter().cloned().chain(std::iter::repeat(last));
            padded.take(columns).collect()
        }
        None => item.clone(),
    };
    items.iter().map(wide).collect()
}

/// A range of spreadsheet cells, such as `A1:C10`, with the same start and another size.
fn cells(range: &str, rows: usize, columns: usize) -> Option<String> {
    let found = pattern!("text/cells").captures(range)?;
    let number = found["column"].bytes().fold(0, |sum, letter| sum * 26 + usize::from(letter - b'A') + 1);
    let row: usize = found["row"].parse().ok()?;
    let mut last = number + columns - 1;
    let mut letters = Vec::new();
    while last > 0 {
        letters.insert(0, char::from(b'A' + u8::try_from((last - 1) % 26).ok()?));
        last = (last - 1) / 26;
    }
    let sheet = found.name("sheet").map_or("", |sheet| sheet.as_str());
    let end: String = letters.into_iter().collect();
    Some(format!("{sheet}{}{row}:{end}{}", &found["column"], row + rows - 1))
}

fn numbers_in(text: &str) -> Vec<usize> {
    text.split(|letter: char| !letter.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::slot::slots;
    use super::*;

    fn check(text: &str, sent: &Value, expected: &[Value]) {
        let slots = slots(&json!({}), sent);
        let ways = sizes(text, &slots).map(|(ways, _)| ways).unwrap_or_default();
        let applied: Vec<Value> = ways
            .into_iter()
            .map(|way| {
                let mut call = sent.clone();
                for (slot, requested) in way {
                    let RequestedChange::Fitting(value) = requested else { panic!("a size is set") };
                    call[&slot.name] = value;
                }
                call
            })
            .collect();
        assert_eq!(applied, expected, "{text}");
    }

    #[test]
    fn numbers_follow_the_list() {
        check(
            "Data dimensions (2x2) don't match specified rows (7) and cols (7)",
            &json!({"rows": 7, "cols": 7, "data": [["a", "b"], ["c"]]}),
            &[
                json!({"rows": 2, "cols": 2, "data": [["a", "b"], ["c", "c"]]}),
                json!({"rows": 7, "cols": 7, "data": [["a", "b"], ["c", "c"], ["c", "c"], ["c", "c"], ["c", "c"], ["c", "c"], ["c", "c"]]}),
            ],
        );
        check(
            "row 0 has 2 columns and row 1 has 1. Every row is one period, so the rows all have the same length",
            &json!({"trials": [[1, 2], [3]], "blocks": 3}),
            &[json!({"trials": [[1, 2], [3, 3]], "blocks": 3}), json!({"trials": [[1, 2]], "blocks": 3})],
        );
        check("the disk is full", &json!({"rows": 7, "data": [1]}), &[]);
    }

    #[test]
    fn a_range_follows_the_list_or_the_list_the_number() {
        check(
            "number of rows in data (1) does not match range size (3)",
            &json!({"range": "B2:C4", "values": [["a", "b"]]}),
            &[
                json!({"range": "B2:C2", "values": [["a", "b"]]}),
                json!({"range": "B2:C4", "values": [["a", "b"], ["a", "b"], ["a", "b"]]}),
            ],
        );
    }

    #[test]
    fn a_text_gets_the_parts_that_are_asked_for() {
        let slots = slots(&json!({"properties": {"line": {"type": "string"}}}), &json!({"line": "alpha"}));
        let made = |text: &str| parts(text, &slots[0]).map(|(requested, _)| requested);
        let three = RequestedChange::Fitting(json!("alpha beta gamma"));
        assert_eq!(made("Line 1: Expected 3 parts (subject relation object), got 1: 'alpha'"), Some(three));
        assert_eq!(
            made("requires two comma-separated values"),
            Some(RequestedChange::Fitting(json!("alpha,beta")))
        );
        assert_eq!(made("Expected 9 o'clock"), None);
    }
}
