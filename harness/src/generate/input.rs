//! What a campaign sends as a tool's arguments.
//!
//! The main type is [`Input`]: text rather than a value, because unpaired surrogates, broken escapes and
//! duplicate keys are sent too. Of how it was drawn it only knows the labels of its changes.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::tree::{Size, Tree};

/// The deepest nesting that `serde_json` reads.
const DEEPEST: usize = 127;

/// The arguments of one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// The arguments as JSON text on one line, as it is sent.
    pub arguments: String,
    /// The differences from plain valid arguments; empty if there are none.
    pub changes: Vec<AppliedMutation>,
    /// Whether the tool's own schema allows it.
    pub validity: Validity,
}

/// One change of valid arguments.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AppliedMutation {
    /// The place, as a JSON Pointer into the arguments; empty for the arguments object.
    pub path: String,
    /// The schema keyword that it violates, or the name of the change if it violates none.
    pub keyword: String,
    /// The change in words: "integer -> null".
    pub label: String,
}

/// Whether a tool's own schema allows arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Validity {
    /// Allowed.
    Valid,
    /// Forbidden.
    Invalid,
    /// Unknown: the schema cannot be compiled, or parsers may refuse the text or read it in different ways.
    Unknown,
}

impl Input {
    /// The arguments as a value, if they are valid JSON; the last of duplicate keys counts.
    pub fn value(&self) -> Option<Value> {
        serde_json::from_str(&self.arguments).ok()
    }

    /// Whether no value can hold the arguments: unpaired surrogates, broken escapes, or too deep nesting.
    pub fn has_no_value(&self) -> bool {
        match self.validity {
            Validity::Unknown => self.value().is_none(),
            // The validity is known, so the text was parsed; it can be parsed again unless it nests too deep.
            Validity::Valid | Validity::Invalid => nests_deeper(&self.arguments, DEEPEST),
        }
    }

    /// Whether the text follows the grammar of JSON, which allows unpaired surrogates. A server cannot answer
    /// any other line like a call, because it may not find the request's id.
    pub fn is_json(&self) -> bool {
        serde_json::from_str::<&RawValue>(&self.arguments).is_ok()
    }

    /// The size of the input.
    pub fn size(&self) -> Size {
        match Tree::parse(&self.arguments) {
            Some(tree) => tree.size(),
            None => Size { values: self.arguments.len(), letters: self.arguments.len(), weight: 0 },
        }
    }
}

/// Whether arrays and objects of well-formed JSON are nested deeper than this.
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
