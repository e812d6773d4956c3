//! Bounds recognised by their numbers alone: "the scale ends at 100", "31 MB; 25 MB is what a message holds".
//!
//! The numbers that the caller sent decide: another number beside one of them is its bound, and of two unsent
//! measures of the same kind one is the bound. It knows no words for limits, and needs no language.

use serde_json::{Map, Value};

use super::Asked;
use super::view::View;
use crate::json::leaves;
use crate::pattern;
use crate::wording::mention;
use crate::words;

/// From this many characters on, a string may be refused for its length.
const LONG: usize = 30;

/// A number in a text, with the word after it.
struct Measure<'t> {
    value: f64,
    unit: &'t str,
    sent: bool,
}

/// Whether a text contains a number that bounds what was sent.
pub(super) fn gives_bound(view: &View<'_>, asked: &Asked<'_>) -> bool {
    let arguments = asked.arguments;
    let text = &view.for_numbers();
    let sent = numbers(arguments);
    let measures = measures(text, &sent);
    let reported: Vec<&Measure<'_>> = measures.iter().filter(|measure| !measure.sent).collect();
    if reported.is_empty() {
        return false;
    }
    let of_one_kind = || {
        reported.iter().any(|one| {
            is_size(one.unit)
                && reported.iter().any(|other| {
                    !same(one.value, other.value) && (other.unit == one.unit || !is_size(other.unit))
                })
        })
    };
    // "Quantity (1-99)": the value is not repeated, but its parameter is named.
    let of_a_named_parameter = || {
        let measured = |value: &Value| match value {
            Value::String(text) => text.parse::<f64>().is_ok() || text.len() > LONG,
            value => value.is_number(),
        };
        let lower = view.echoed.to_lowercase();
        let mut arguments = arguments.as_object().into_iter().flat_map(Map::iter);
        arguments.any(|(name, value)| measured(value) && mention::stands_in(&lower, &name.to_lowercase()))
    };
    // For a value out of range any number that bounds it is a hint.
    let of_the_range = asked.condition == "out-of-range";
    of_the_range || measures.iter().any(|measure| measure.sent) || of_one_kind() || of_a_named_parameter()
}

/// The numbers in a text that measure something and were not sent.
pub(super) fn unsent_numbers(view: &View<'_>, asked: &Asked<'_>) -> Vec<f64> {
    let text = view.for_numbers();
    let measures = measures(&text, &numbers(asked.arguments));
    measures.iter().filter(|measure| !measure.sent).map(|measure| measure.value).collect()
}

/// The numbers that were sent, as numbers or texts, also within lists and objects.
fn numbers(value: &Value) -> Vec<f64> {
    let number = |leaf: &Value| leaf.as_f64().or_else(|| leaf.as_str()?.trim().parse().ok());
    leaves(value).into_iter().filter_map(number).collect()
}

/// The numbers that measure something: not statuses, places, times, counts of matches or parts of names.
fn measures<'t>(text: &'t str, sent: &[f64]) -> Vec<Measure<'t>> {
    let pointless = pattern!("bound/dotted").find_iter(text).map(|found| found.range()).collect::<Vec<_>>();
    let mut measures = Vec::new();
    for found in pattern!("bound/number").captures_iter(text) {
        let number = found.name("number").expect("the group always takes part");
        let torn = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | '\u{1a}');
        let torn_left = text[..number.start()].chars().next_back().is_some_and(torn);
        let behind = &text[number.end()..];
        let goes_on = |c: char| c.is_ascii_alphanumeric();
        let torn_right = behind.starts_with(['_', '/', '\u{1a}'])
            || behind.starts_with(['.', ':']) && behind[1..].starts_with(goes_on)
            || behind.starts_with('-') && behind[1..].starts_with(|c: char| c.is_ascii_alphabetic());
        let within = |range: &std::ops::Range<usize>| range.contains(&number.start());
        if torn_left || torn_right || pointless.iter().any(within) {
            continue;
        }
        let plain: String = number.as_str().chars().filter(|c| !matches!(c, ',' | '_')).collect();
        let Ok(value) = plain.parse::<f64>() else { continue };
        let unit = found.name("unit").map_or("", |unit| unit.as_str());
        let before = found.name("before").map_or("", |before| before.as_str());
        let is_sent = sent.iter().any(|other| same(*other, value));
        let counts_parts = begins_a_tally(behind, unit) || ends_a_tally(text, number.start(), sent);
        if is_sent || !(is_no_measure(before, unit) || counts_parts) {
            measures.push(Measure { value, unit, sent: is_sent });
        }
    }
    measures
}

/// As in "2 of 3" or "2 bytes of 3", where the first number counts some of the parts.
fn begins_a_tally(behind: &str, unit: &str) -> bool {
    let of = match unit {
        "of" => Some(behind),
        _ => behind.trim_start_matches([' ', '-']).strip_prefix(unit),
    };
    of.and_then(|rest| rest.strip_prefix(" of "))
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The 3 in "2 of 3", if the 2 was not sent: it counts all the parts.
fn ends_a_tally(text: &str, start: usize, sent: &[f64]) -> bool {
    let Some(before) = text[..start].strip_suffix(" of ") else { return false };
    let before = before.trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim_end();
    let first = before.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    first.parse().is_ok_and(|first: f64| !sent.iter().any(|other| same(*other, first)))
}

/// Whether the number is a status, a place in a text, a duration, or a count of matches.
fn is_no_measure(before: &str, unit: &str) -> bool {
    let before = before.trim_matches(|c: char| !c.is_alphabetic()).to_ascii_lowercase();
    let unit = unit.to_ascii_lowercase();
    words!("messages/measure-before").iter().copied().any(|word| word == before)
        || words!("messages/measure-units").iter().copied().any(|word| word == unit)
}

/// Whether the unit is one for the size of contents.
fn is_size(unit: &str) -> bool {
    let unit = unit.to_ascii_lowercase();
    words!("messages/measure-sizes").iter().copied().any(|size| size == unit)
}

/// Whether two numbers are equal, apart from lost digits.
fn same(left: f64, right: f64) -> bool {
    (left - right).abs() <= left.abs().max(right.abs()) * 1e-9
}
