//! Odd numbers: middling ones find more than extreme ones.

use serde_json::{Number, Value, json};

use super::super::compiled::{Kind, Node};
use super::super::rng::Rng;
use super::{ValueMutation, log_uniform};

/// Where counting ends in one language or another, and one beyond.
const LIMITS: [(&str, i128); 24] = [
    ("the end of i8", 127),
    ("one beyond i8", 128),
    ("the end of u8", 255),
    ("one beyond u8", 256),
    ("the end of i16", 32_767),
    ("the end of u16", 65_535),
    ("one beyond u16", 65_536),
    ("the end of i32", 2_147_483_647),
    ("one beyond i32", 2_147_483_648),
    ("the beginning of i32", -2_147_483_648),
    ("one before i32", -2_147_483_649),
    ("the end of u32", 4_294_967_295),
    ("one beyond u32", 4_294_967_296),
    ("the last whole number of a double", 9_007_199_254_740_991),
    ("2^53", 9_007_199_254_740_992),
    ("one beyond 2^53", 9_007_199_254_740_993),
    ("-2^53", -9_007_199_254_740_992),
    ("the end of i64", 9_223_372_036_854_775_807),
    ("one beyond i64", 9_223_372_036_854_775_808),
    ("the beginning of i64", -9_223_372_036_854_775_808),
    ("one before i64", -9_223_372_036_854_775_809),
    ("the end of u64", 18_446_744_073_709_551_615),
    ("one beyond u64", 18_446_744_073_709_551_616),
    ("far beyond any counter", 123_456_789_012_345_678_901_234_567_890),
];

/// Numbers as no value writes them.
const WRITTEN: [(&str, &str); 10] = [
    ("minus nothing", "-0"),
    ("minus nothing, with a fraction", "-0.0"),
    ("a whole number with a fraction", "1.0"),
    ("a whole number with an exponent", "1e3"),
    ("the largest double", "1.7976931348623157e308"),
    ("beyond the largest double", "1e400"),
    ("below the smallest double", "-1e400"),
    ("the smallest double", "5e-324"),
    ("between two doubles", "0.30000000000000004"),
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
        8 => ValueMutation::set("zero", "nothing", json!(0)),
        9 | 10 => {
            let number = if rng.one_in(2) { -1 } else { -(log_uniform(rng, 1.0, 1e13) as i64) };
            ValueMutation::set("negative", format!("{number}"), json!(number))
        }
        11 | 12 => out_of_range(rng, node),
        13 => {
            let number = log_uniform(rng, 1.0, 1e9) as i64;
            ValueMutation::set("magnitude", format!("{number}"), json!(number))
        }
        14 if node.is_some_and(|node| node.kinds == [Kind::Integer]) => {
            let number = current.as_f64().unwrap_or(1.0) + 0.5;
            ValueMutation::set("type", "integer -> number with a fraction", json!(number))
        }
        _ => {
            let by = [1, -1, 2, -2, 10, -10, 100][rng.below(7)];
            let number = current.as_i64().unwrap_or(1).saturating_add(by);
            ValueMutation::set("near", format!("{by:+}"), json!(number))
        }
    }
}

/// Between what is usual and what is checked for: a server that takes it may try to do it.
fn middling(rng: &mut Rng) -> ValueMutation {
    let number = log_uniform(rng, 1e9, 1e13);
    let number = if rng.one_in(3) { 10_f64.powf(number.log10().floor()) } else { number };
    ValueMutation::set("middling", format!("{number:e}"), json!(number as i64))
}

/// Just beyond a bound of the schema, where it has one.
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
