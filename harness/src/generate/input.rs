//! What a campaign sends as a tool's arguments.
//!
//! The main type is [`Input`]: text rather than a value, because unpaired surrogates, broken escapes and
//! duplicate keys are sent too. Of how it was drawn it only knows the labels of its changes.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::tree::{Size, Tree};

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
        self.value().is_none()
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
