//! A tool's schema compiled for drawing many thousands of values a second.
//!
//! The main type is [`CompiledSchema`]: nodes that refer to one another, so that a recursive schema is a cycle
//! and not infinite. Parts of JSON Schema that it ignores are checked by the validator after drawing.

use serde_json::Value;

use super::executable::ExecutableKind;
use super::sampler::Sampler;

mod compile;
mod locate;
mod merge;

/// The index of a node in a compiled schema.
pub(super) type NodeId = usize;

/// A schema as nodes; the first one is for the arguments object.
#[derive(Debug)]
pub(super) struct CompiledSchema {
    nodes: Vec<Node>,
}

impl CompiledSchema {
    /// The node of the arguments object.
    pub(super) const ROOT: NodeId = 0;

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// The parameters in the schema with their nodes, including those of all alternatives.
    pub(super) fn arguments(&self) -> Vec<(String, NodeId)> {
        let root = self.node(Self::ROOT);
        let inner = root.alternatives.iter().flat_map(|id| &self.node(*id).members.known);
        let mut found: Vec<(String, NodeId)> = Vec::new();
        for member in root.members.known.iter().chain(inner) {
            if !found.iter().any(|(name, _)| *name == member.name) {
                found.push((member.name.clone(), member.id));
            }
        }
        found
    }
}

/// A type of JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SchemaType {
    Null,
    Boolean,
    Integer,
    Number,
    Text,
    List,
    Members,
}

impl SchemaType {
    pub(super) const ALL: [Self; 7] =
        [Self::Text, Self::Integer, Self::Boolean, Self::Number, Self::List, Self::Members, Self::Null];

    pub(super) fn from_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(number) if number.is_f64() => Self::Number,
            Value::Number(_) => Self::Integer,
            Value::String(_) => Self::Text,
            Value::Array(_) => Self::List,
            Value::Object(_) => Self::Members,
        }
    }

    /// Whether a value is of this type.
    pub(super) fn takes(self, value: &Value) -> bool {
        self == Self::from_value(value) || self == Self::Number && value.is_number()
    }

    /// Its name in a schema.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Text => "string",
            Self::List => "array",
            Self::Members => "object",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// What a value in one place may be.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// The plain name of the parameter or member; an item has its array's.
    pub(super) plain: String,
    /// The allowed types; empty if the schema names none.
    pub(super) kinds: Vec<SchemaType>,
    /// The allowed values, if they are listed.
    pub(super) closed: Vec<Value>,
    /// Examples and defaults.
    pub(super) given: Vec<Value>,
    /// If not empty, the value is drawn from one of these nodes instead.
    pub(super) alternatives: Vec<NodeId>,
    pub(super) number: NumberSchema,
    pub(super) text: TextSchema,
    pub(super) list: ListSchema,
    pub(super) members: MembersSchema,
    /// If the value could be executed, opened or sent: the kind, and the schema with its shape.
    pub(super) executable: Option<(ExecutableKind, Value)>,
    /// The least depth of nested arrays and objects in a value; [`ENDLESS`] if no value can be made.
    pub(super) depth: u32,
}

/// The depth of a node for which no value can be made.
pub(super) const ENDLESS: u32 = u32::MAX / 2;

/// The bounds of a number.
#[derive(Debug)]
pub(super) struct NumberSchema {
    pub(super) least: f64,
    pub(super) most: f64,
    pub(super) step: Option<f64>,
}

impl Default for NumberSchema {
    fn default() -> Self {
        Self { least: f64::NEG_INFINITY, most: f64::INFINITY, step: None }
    }
}

/// The requirements on a text.
#[derive(Debug)]
pub(super) struct TextSchema {
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) pattern: Option<Sampler>,
    pub(super) role: TextRole,
    /// Texts that such a parameter may accept.
    pub(super) words: Vec<String>,
    pub(super) format: String,
}

impl Default for TextSchema {
    fn default() -> Self {
        Self {
            least: 0,
            most: usize::MAX,
            pattern: None,
            role: TextRole::Plain,
            words: Vec::new(),
            format: String::new(),
        }
    }
}

/// The purpose of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum TextRole {
    #[default]
    Plain,
    /// A path of the file system.
    Path,
    /// A pattern of file names.
    Glob,
    /// A regular expression.
    Pattern,
}

/// The requirements on an array.
#[derive(Debug, Default)]
pub(super) struct ListSchema {
    pub(super) prefix: Vec<NodeId>,
    pub(super) items: Option<NodeId>,
    pub(super) contains: Option<NodeId>,
    pub(super) least: usize,
    pub(super) most: Option<usize>,
    pub(super) is_set: bool,
}

/// The requirements on an object.
#[derive(Debug, Default)]
pub(super) struct MembersSchema {
    pub(super) known: Vec<Member>,
    /// Members whose names match an expression.
    pub(super) patterns: Vec<(Sampler, NodeId)>,
    pub(super) others: Others,
    pub(super) least: usize,
    pub(super) most: Option<usize>,
    /// Members that are required if the named member is present.
    pub(super) along: Vec<(String, Vec<String>)>,
}

/// A member that the schema names.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) id: NodeId,
    pub(super) is_required: bool,
}

/// Members that the schema does not name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Others {
    #[default]
    Allowed,
    Forbidden,
    /// Allowed, with values from this node.
    Of(NodeId),
}
