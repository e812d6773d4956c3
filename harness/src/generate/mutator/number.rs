//! Odd numbers: medium ones find more than extreme ones.

use serde_json::{Number, Value, json};

use super::super::compiled::{Node, SchemaType};
use super::super::rng::Rng;
use super::{ValueMutation, log_uniform};

/// The limits of number types in various languages, and one beyond each.
const LIMITS: [(&str, i128); 24] = [
    ("i8::MAX", 127),
    ("i8::MAX + 1", 128),
    ("u8::MAX", 255),
    ("u8::MAX + 1", 256),
    ("i16::MAX", 32_767),
    ("u16::MAX", 65_535),
    ("u16::MAX + 1", 65_536),
    ("i32::MAX", 2_147_483_647),
    ("i32::MAX + 1", 2_147_483_648),
    ("i32::MIN", -2_147_483_648),
    ("i32::MIN - 1", -2_147_483_649),
    ("u32::MAX", 4_294_967_295),
    ("u32::MAX + 1", 4_294_967_296),
    ("the largest safe integer (2^53 - 1)", 9_007_199_254_740_991),
    ("2^53", 9_007_199_254_740_992),
    ("2^53 + 1", 9_007_199_254_740_993),
    ("-2^53", -9_007_199_254_740_992),
    ("i64::MAX", 9_223_372_036_854_775_807),
    ("i64::MAX + 1", 9_223_372_036_854_775_808),
    ("i64::MIN", -9_223_372_036_854_775_808),
    ("i64::MIN - 1", -9_223_372_036_854_775_809),
    ("u64::MAX", 18_446_744_073_709_551_615),
    ("u64::MAX + 1", 18_446_744_073_709_551_616),
    ("an integer wider than any machine word", 123_456_789_012_345_678_901_234_567_890),
];

/// Numbers in notations that no value produces.
const WRITTEN: [(&str, &str); 10] = [
    ("negative zero", "-0"),
    ("negative zero, as a float", "-0.0"),
    ("an integer written as a float", "1.0"),
    ("an integer written with an exponent", "1e3"),
    ("the largest double", "1.7976931348623157e308"),
    ("above the largest double", "1e400"),
    ("below the lowest double", "-1e400"),
    ("the smallest positive double", "5e-324"),
    ("a decimal between two doubles", "0.30000000000000004"),
    ("a long fraction", "3.14159265358979323846264338327950288"),
];

pub(super) fn mutate(rng: &mut Rng, current: &Number, node: Option<&Node>) -> ValueMutation {
    match rng.below(16) {
        0..=3 => middling(rng),
        4..=6 => {
            let (label, number) = LIMITS[rng.below(LIMITS.len())];
            match i64::try_from(number) {
                Ok(number) => ValueMutation::set("limit", label, json!(number)),
                Err(_) => ValueMutation::raw("limit", label, number.to_string()),
            }
        }
        7 => {
            let (label, number) = WRITTEN[rng.below(WRITTEN.len())];
            ValueMutation::raw("limit", label, number)
        }
        8 => ValueMutation::set("zero", "zero", json!(0)),
        9 | 10 => {
            let number = if rng.one_in(2) { -1 } else { -(log_uniform(rng, 1.0, 1e13) as i64) };
            ValueMutation::set("negative", format!("{number}"), json!(number))
        }
        11 | 12 => out_of_range(rng, node),
        13 => {
            let number = log_uniform(rng, 1.0, 1e9) as i64;
            ValueMutation::set("magnitude", format!("{number}"), json!(number))
        }
        14 if node.is_some_and(|node| node.kinds == [SchemaType::Integer]) => {
            let number = current.as_f64().unwrap_or(1.0) + 0.5;
            ValueMutation::set("type", "integer -> float", json!(number))
        }
        _ => {
            let by = [1, -1, 2, -2, 10, -10, 100][rng.below(7)];
            let number = current.as_i64().unwrap_or(1).saturating_add(by);
            ValueMutation::set("near", format!("{by:+}"), json!(number))
        }
    }
}

/// Numbers above the usual and below common checks: a server that accepts one may try to do it.
fn middling(rng: &mut Rng) -> ValueMutation {
    let number = log_uniform(rng, 1e9, 1e13);
    let number = if rng.one_in(3) { 10_f64.powf(number.log10().floor()) } else { number };
    ValueMutation::set("middling", format!("{number:e}"), json!(number as i64))
}

/// A number just beyond a bound of the schema, if it has one.
fn out_of_range(rng: &mut Rng, node: Option<&Node>) -> ValueMutation {
    let (least, most) =
        node.map_or((f64::NEG_INFINITY, f64::INFINITY), |node| (node.number.least, node.number.most));
    let beyond = |bound: f64, step: f64| -> Option<Value> {
        let number = bound + step;
        (bound.is_finite() && number.abs() < 9e15)
            .then(|| if number.fract() == 0.0 { json!(number as i64) } else { json!(number) })
    };
    let below = beyond(least, -1.0).map(|value| ("minimum", value));
    let above = beyond(most, 1.0).map(|value| ("maximum", value));
    let both = if rng.one_in(2) { below.or(above) } else { above.or(below) };
    match both {
        Some((keyword, value)) => {
            ValueMutation::set(keyword, format!("{value}, beyond the declared range"), value)
        }
        None => middling(rng),
    }
}
