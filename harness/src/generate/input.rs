//! What a campaign sends as a tool's arguments.
//!
//! The main type is [`Input`]: text rather than a value, because half a surrogate pair, a broken escape and a key that
//! stands twice are sent too. It knows nothing of how it was drawn beyond the labels of its changes.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::tree::Tree;

/// The arguments of one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// JSON text, on one line, as it goes on the wire.
    pub arguments: String,
    /// In what it differs from plain valid arguments; none where it does not.
    pub changes: Vec<Change>,
    /// What the tool's own schema says of it.
    pub standing: Standing,
}

/// One change of valid arguments.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Change {
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
pub enum Standing {
    /// It allows them.
    Valid,
    /// It forbids them.
    Invalid,
    /// Nobody can tell: the schema cannot be compiled, or a parser may refuse the text or read it in several ways.
    Unknown,
}

/// How large an input is; what shrinking lowers. Compared in this order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// So many values, keys and arrays and objects among them.
    pub values: usize,
    /// So many bytes of text in keys and strings.
    pub letters: usize,
    /// So large its numbers are, and how far its letters are from plain ones.
    pub weight: u128,
}

impl Input {
    /// The arguments as a value, where a value holds them: a key that stands twice keeps its last value.
    pub fn value(&self) -> Option<Value> {
        serde_json::from_str(&self.arguments).ok()
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
