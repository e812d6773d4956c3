//! What a campaign sends as a tool's arguments.
//!
//! The main type is [`Input`]: text rather than a value, because half a surrogate pair, a broken escape and a key that
//! stands twice are sent too. It knows nothing of how it was drawn beyond the labels of its changes.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::tree::{Size, Tree};

/// A text of JSON that nests deeper is not read by `serde_json`.
const DEEPEST: usize = 127;

/// The arguments of one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// JSON text, on one line, as it goes on the wire.
    pub arguments: String,
    /// In what it differs from plain valid arguments; none if it does not.
    pub changes: Vec<AppliedMutation>,
    /// What the tool's own schema says of it.
    pub validity: Validity,
}

/// One change of valid arguments.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AppliedMutation {
    /// The place, as a JSON Pointer into the arguments; empty for the arguments themselves.
    pub path: String,
    /// The schema's keyword that it goes against, or the name of the change where it goes against none.
    pub keyword: String,
    /// In words: "integer -> null".
    pub label: String,
}

/// What a tool's own schema says of arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Validity {
    /// It allows them.
    Valid,
    /// It forbids them.
    Invalid,
    /// Nobody can tell: the schema cannot be compiled, or a parser may refuse the text or read it in several ways.
    Unknown,
}

impl Input {
    /// The arguments as a value, where a value holds them: a key that stands twice keeps its last value.
    pub fn value(&self) -> Option<Value> {
        serde_json::from_str(&self.arguments).ok()
    }

    /// Whether no value holds the arguments: half a surrogate pair, a broken escape, too deep a nest.
    pub fn has_no_value(&self) -> bool {
        match self.validity {
            Validity::Unknown => self.value().is_none(),
            // What the schema was asked about was a value: it is read again unless it nests too deep.
            Validity::Valid | Validity::Invalid => nests_deeper(&self.arguments, DEEPEST),
        }
    }

    /// Whether the text keeps to the grammar of JSON, which allows half a surrogate pair. A server cannot answer a line
    /// that does not as it would answer a call: it may not find the request's id.
    pub fn is_json(&self) -> bool {
        serde_json::from_str::<&RawValue>(&self.arguments).is_ok()
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        match Tree::parse(&self.arguments) {
            Some(tree) => tree.size(),
            None => Size { values: self.arguments.len(), letters: self.arguments.len(), weight: 0 },
        }
    }
}

/// Whether lists and objects of well-formed JSON stand within each other more than this many times.
fn nests_deeper(text: &str, most: usize) -> bool {
    if text.len() <= 2 * most {
        return false;
    }
    let mut bytes = text.bytes();
    let (mut depth, mut is_text) = (0_usize, false);
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => is_text = !is_text,
            b'\\' if is_text => {
                bytes.next();
            }
            b'[' | b'{' if !is_text => depth += 1,
            b']' | b'}' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > most {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_value_holds_is_known_whatever_its_schema_says() {
        let input =
            |arguments: String, validity: Validity| Input { arguments, changes: Vec::new(), validity };
        let nest = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for (arguments, has_none) in [
            (r#"{"a":"b"}"#.to_owned(), false),
            (nest(DEEPEST), false),
            (nest(DEEPEST + 1), true),
            (format!(r#"{{"a":"{}"}}"#, "b".repeat(1_000)), false),
            (format!(r#"{{"a":"{}\"[["}}"#, r#"[\"[\\"#.repeat(1_000)), false),
            (format!(r#"{{"a\\":{}}}"#, nest(DEEPEST - 1)), false),
            (format!(r#"{{"a\\":{}}}"#, nest(DEEPEST)), true),
            (format!("[{}]", "[],".repeat(1_000) + "[]"), false),
        ] {
            for validity in [Validity::Valid, Validity::Invalid, Validity::Unknown] {
                let input = input(arguments.clone(), validity);
                assert_eq!(input.has_no_value(), has_none, "{input:?}");
                assert_eq!(input.value().is_none(), has_none, "{input:?}");
            }
        }
        for broken in [r#"{"a":"\ud800"}"#, r#"{"a":"\q"}"#] {
            assert!(input(broken.to_owned(), Validity::Unknown).has_no_value(), "{broken}");
        }
    }
}
