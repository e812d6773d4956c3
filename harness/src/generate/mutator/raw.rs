//! JSON text that no value can hold: unpaired surrogates, broken escapes, duplicate keys.
//!
//! The main type is [`RawTexts`]: the value contains a mark in place of such a text, which is replaced when the
//! value is written.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::super::rng::Rng;
use super::{Edit, ValueMutation};

/// The beginning of a mark: characters that no draw contains.
const MARK: &str = "\u{f8d0}\u{f8d7}raw";

/// Unpaired surrogates, or pairs in the wrong order. JSON's grammar allows them.
const HALVES: [(&str, &str); 6] = [
    ("a lone high surrogate", "\\ud83d"),
    ("a lone low surrogate", "\\ude00"),
    ("a reversed surrogate pair", "\\ude00\\ud83d"),
    ("a lone surrogate within text", "alpha\\ud800beta"),
    ("two high surrogates", "\\ud800\\ud800"),
    ("a NUL and a lone surrogate", "\\u0000\\udfff"),
];

/// Escapes that JSON does not have: a line with one is not a valid message.
const ESCAPES: [(&str, &str); 5] = [
    ("a truncated \\u escape", "\\u12"),
    ("an escape that JSON does not have (\\x)", "\\x41"),
    ("an unknown escape", "\\q"),
    ("a \\u escape with a sign", "\\u+041"),
    ("a raw control character", "\u{1}"),
];

/// The texts that replace the marks.
#[derive(Debug, Default)]
pub(in crate::generate) struct RawTexts {
    /// The mark as it is written, including quotation marks, and its replacement.
    texts: Vec<(String, String)>,
}

impl RawTexts {
    pub(in crate::generate) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// A value that is a mark for this text.
    pub(in crate::generate) fn mark(&mut self, text: String) -> Value {
        let mark = format!("{MARK}{}", self.texts.len());
        self.texts.push((format!("\"{mark}\""), text));
        Value::String(mark)
    }

    /// Writes a member before all others, even if its key exists already.
    pub(in crate::generate) fn twice(&mut self, members: &mut Map<String, Value>, key: &str, text: &str) {
        let mark = format!("{MARK}{}", self.texts.len());
        let key = Value::from(key);
        self.texts.push((format!("\"{mark}\":null"), format!("{key}:{text}")));
        members.shift_insert(0, mark, Value::Null);
    }

    /// The value as JSON text, with the marks replaced.
    pub(in crate::generate) fn written(&self, value: &Value) -> String {
        let mut written = value.to_string();
        for (mark, text) in &self.texts {
            written = written.replacen(mark, text, 1);
        }
        written
    }
}

/// A text that begins like this and cannot be written as a value.
pub(super) fn text(rng: &mut Rng, beginning: &str) -> ValueMutation {
    let (keyword, (label, odd)) = match rng.below(8) {
        0 => ("escape", ESCAPES[rng.below(ESCAPES.len())]),
        _ => ("surrogate", HALVES[rng.below(HALVES.len())]),
    };
    let mut text = String::from("\"");
    let beginning = Value::from(beginning).to_string();
    let _ = write!(text, "{}{odd}\"", &beginning[1..beginning.len() - 1]);
    ValueMutation::raw(keyword, label, text)
}

/// The member with a duplicate key, first with another value.
pub(super) fn twice(rng: &mut Rng, value: &Value) -> ValueMutation {
    let (label, other) = match rng.below(3) {
        0 => ("a duplicate key, null first", "null".to_owned()),
        1 => ("a duplicate key, a number first", "7".to_owned()),
        _ => ("a duplicate key with the same value", value.to_string()),
    };
    ValueMutation { keyword: "duplicate-key", label: label.to_owned(), edit: Edit::Twice(other) }
}

/// A text nested so deep that parsers give up.
pub(super) fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}
