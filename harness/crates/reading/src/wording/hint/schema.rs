//! What a tool's schema allows, repeated in the message: values of a closed set, or a bound. It needs no
//! language.

use serde_json::Value;

use super::view::View;
use super::{Asked, measure};
use crate::json_schema::with_parts;
use crate::wording::mention;

/// Schemas nested deeper than this do not describe the value itself.
const DEPTH: usize = 3;

/// Whether a text names unsent values of a closed set: two of them, or the only one.
pub(super) fn lists_valid_values(view: &View<'_>, asked: &Asked<'_>) -> bool {
    let lower = view.echoed.to_lowercase();
    asked.suspects().any(|(name, schema)| {
        let mut values = Vec::new();
        with_parts(schema, DEPTH).into_iter().for_each(|part| collect_values(part, &mut values));
        let sent = asked.arguments.get(name).and_then(Value::as_str);
        if sent.is_some_and(|sent| values.iter().any(|value| value == sent)) {
            // Something else is wrong.
            return false;
        }
        let reported = values
            .iter()
            .filter(|value| !value.is_empty() && mention::stands_in(&lower, &value.to_lowercase()));
        let reported = reported.count();
        reported > 1 || reported == 1 && (values.len() == 1 || lists_the_whole_set(view.raw, &values))
    })
}

/// Whether every value of a closed set occurs in a text, even those that another argument contains: "not one of
/// ['C', 'F']".
fn lists_the_whole_set(raw: &str, values: &[String]) -> bool {
    values.iter().all(|value| mention::stands_in(raw, value))
}

/// Whether a text contains an unsent number that is a bound in the schema.
pub(super) fn gives_a_bound(view: &View<'_>, asked: &Asked<'_>) -> bool {
    let mut bounds = Vec::new();
    let parts = asked.suspects().flat_map(|(_, schema)| with_parts(schema, DEPTH));
    parts.for_each(|part| collect_bounds(part, &mut bounds));
    !bounds.is_empty()
        && (measure::unsent_numbers(view, asked).iter().any(|reported| bounds.contains(reported))
            || bounds.iter().any(|bound| stands_as_a_word(&view.plain, *bound)))
}

/// A bound in words: "One to twenty". The words for the smallest numbers occur in many sentences.
fn stands_as_a_word(text: &str, bound: f64) -> bool {
    const WORDS: [(f64, &str); 26] = [
        (4.0, "four"),
        (5.0, "five"),
        (6.0, "six"),
        (7.0, "seven"),
        (8.0, "eight"),
        (9.0, "nine"),
        (10.0, "ten"),
        (11.0, "eleven"),
        (12.0, "twelve"),
        (13.0, "thirteen"),
        (14.0, "fourteen"),
        (15.0, "fifteen"),
        (16.0, "sixteen"),
        (18.0, "eighteen"),
        (20.0, "twenty"),
        (24.0, "twenty-four"),
        (30.0, "thirty"),
        (40.0, "forty"),
        (50.0, "fifty"),
        (60.0, "sixty"),
        (70.0, "seventy"),
        (80.0, "eighty"),
        (90.0, "ninety"),
        (100.0, "hundred"),
        (1000.0, "thousand"),
        (1_000_000.0, "million"),
    ];
    let word = WORDS.iter().find(|(number, _)| number.to_bits() == bound.to_bits());
    word.is_some_and(|(_, word)| mention::stands_in(&text.to_lowercase(), word))
}

/// Collects the allowed texts of closed sets.
fn collect_values(schema: &Value, values: &mut Vec<String>) {
    let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    values.extend(listed.chain(schema.get("const")).filter_map(Value::as_str).map(str::to_owned));
}

/// Collects the numbers that bound a value, its length or its number of items.
fn collect_bounds(schema: &Value, bounds: &mut Vec<f64>) {
    const KEYWORDS: [&str; 9] = [
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
    ];
    bounds.extend(KEYWORDS.iter().filter_map(|keyword| schema.get(keyword)?.as_f64()));
}
