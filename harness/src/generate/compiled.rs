//! A tool's schema, made ready to be drawn from many thousand times a second.
//!
//! The main type is [`CompiledSchema`]: nodes that refer to one another, so that a schema which refers to itself is a
//! circle and not without end. Whatever it leaves out of JSON Schema, the validator finds in what is drawn.

use serde_json::Value;

use super::executable::ExecutableKind;
use super::sampler::Sampler;

mod compile;
mod locate;
mod merge;

pub(super) use compile::SchemaSource;

/// A node of a compiled schema.
pub(super) type NodeId = usize;

/// A schema as nodes; the first one is the arguments themselves.
#[derive(Debug)]
pub(super) struct CompiledSchema {
    nodes: Vec<Node>,
}

impl CompiledSchema {
    /// The node of the arguments themselves.
    pub(super) const ROOT: NodeId = 0;

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// The arguments that the schema names, with their nodes; where there are alternatives, those of all of them.
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
    /// The parameter's or member's name, letters and digits in small letters; an item has its array's.
    pub(super) plain: String,
    /// Its types; none if it says nothing of them.
    pub(super) kinds: Vec<SchemaType>,
    /// The only values, where they are listed.
    pub(super) closed: Vec<Value>,
    /// Examples and defaults.
    pub(super) given: Vec<Value>,
    /// Where there are some, the value is one of these nodes' instead.
    pub(super) alternatives: Vec<NodeId>,
    pub(super) number: NumberSchema,
    pub(super) text: TextSchema,
    pub(super) list: ListSchema,
    pub(super) members: MembersSchema,
    /// What is drawn here could be executed, opened or sent; with the schema that says the shape.
    pub(super) executable: Option<(ExecutableKind, Value)>,
    /// How many nested arrays and objects a value needs at least; [`ENDLESS`] if none can be made.
    pub(super) depth: u32,
}

/// No value can be made.
pub(super) const ENDLESS: u32 = u32::MAX / 2;

/// Bounds of a number.
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

/// What a text must look like.
#[derive(Debug)]
pub(super) struct TextSchema {
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) pattern: Option<Sampler>,
    pub(super) role: TextRole,
    /// Texts that such a parameter may well take.
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

/// What a text is for.
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

/// What an array holds.
#[derive(Debug, Default)]
pub(super) struct ListSchema {
    pub(super) prefix: Vec<NodeId>,
    pub(super) items: Option<NodeId>,
    pub(super) contains: Option<NodeId>,
    pub(super) least: usize,
    pub(super) most: Option<usize>,
    pub(super) is_set: bool,
}

/// What an object holds.
#[derive(Debug, Default)]
pub(super) struct MembersSchema {
    pub(super) known: Vec<Member>,
    /// Members whose names an expression tells.
    pub(super) patterns: Vec<(Sampler, NodeId)>,
    pub(super) others: Others,
    pub(super) least: usize,
    pub(super) most: Option<usize>,
    /// With a member of this name come those.
    pub(super) along: Vec<(String, Vec<String>)>,
}

/// A member that the schema names.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) id: NodeId,
    pub(super) presence: Presence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Required,
    Optional,
}

/// Members that the schema does not name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Others {
    #[default]
    Allowed,
    Forbidden,
    /// Each is such a value.
    Of(NodeId),
}
