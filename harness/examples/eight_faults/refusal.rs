//! What a sound part of the server says when it refuses a call.
//!
//! The main type is [`Refusal`]: a code of the contract `bracket-code` and a message.

use std::fmt;

use serde_json::Value;

/// At most this many characters of a value are repeated in a message.
const SHOWN: usize = 200;

/// An error reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    code: &'static str,
    message: String,
}

impl Refusal {
    /// The call itself is wrong.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self { code: "INVALID_INPUT", message: message.into() }
    }

    /// A path leads to nothing.
    pub(crate) fn path_not_found(message: impl Into<String>) -> Self {
        Self { code: "PATH_NOT_FOUND", message: message.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "[{}] {}", self.code, self.message)
    }
}

/// A word of the caller's between quotation marks, cut where it is long.
pub(crate) fn quoted(word: &str) -> String {
    match word.char_indices().nth(SHOWN) {
        None => format!("'{word}'"),
        Some((end, _)) => format!("'{}...'", &word[..end]),
    }
}

/// A value of the caller's for a sentence: what it is, and itself where it is short.
pub(crate) fn excerpt(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(said) => said.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.is_empty() => "the empty text".to_owned(),
        Value::String(text) => quoted(text),
        Value::Array(items) if items.is_empty() => "an empty array".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
