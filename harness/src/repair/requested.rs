//! What a message may ask for of one parameter.
//!
//! The main types are [`RequestedChange`], and [`ParameterChange`] with the parameter and the words.

use std::ops::Range;

use serde_json::Value;

use crate::names::name_words;
use crate::pattern;
use crate::wording::mention::names_parameter;
use crate::words;

use super::instruction::named_at;
use super::shown::without_objects;
use super::slot::ArgumentSlot;

/// What should become of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RequestedChange {
    /// Give it: it is missing or empty.
    Given,
    /// Leave it out.
    Absent,
    /// Give it this name.
    Renamed(String),
    /// Choose one of these values.
    OneOf(Vec<String>),
    /// Keep the value, or its length, within these bounds.
    Bound { least: Option<f64>, most: Option<f64>, of: BoundUnit },
    /// Use this JSON type.
    Kind(&'static str),
    /// Use this text from the message, which looks as the value should.
    Like(String),
    /// Use a value like one of these examples in the message.
    Examples(Vec<String>),
    /// Use this value, which satisfies what the message says about sizes.
    Fitting(Value),
    /// Use this text of ours, which has the right format.
    Form(&'static str),
    /// Use another path.
    Path(RequestedPath),
    /// Use this value.
    Set(Value),
    /// Use this value from a call that the message shows.
    Shown(Value),
    /// Use the value that the caller intended: the message says what to do, and the caller knows the rest.
    Meant(Value),
}

impl RequestedChange {
    /// Whether a value that does it comes from the message's own words: what is missing, where something is, and what the caller
    /// means is filled in from elsewhere.
    pub(super) fn is_of_message(&self) -> bool {
        match self {
            Self::OneOf(_)
            | Self::Bound { .. }
            | Self::Kind(_)
            | Self::Like(_)
            | Self::Examples(_)
            | Self::Fitting(_)
            | Self::Form(_)
            | Self::Set(_)
            | Self::Shown(_) => true,
            Self::Given | Self::Absent | Self::Renamed(_) | Self::Path(_) | Self::Meant(_) => false,
        }
    }

    /// Whether it asks for something that is there already, and does not tell which.
    pub(super) fn is_of_what_exists(&self) -> bool {
        matches!(
            self,
            Self::Path(
                RequestedPath::File
                    | RequestedPath::Folder
                    | RequestedPath::Project
                    | RequestedPath::Repository
                    | RequestedPath::FolderOf(_)
            )
        )
    }
}

/// The quantity that a bound restricts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BoundUnit {
    Value,
    Length,
}

/// A requested change, and the position of the words that ask for it.
pub(super) type StatedChange = (RequestedChange, Range<usize>);

/// What a path should lead to instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RequestedPath {
    /// A file.
    File,
    /// A file: what was sent is a folder.
    FileNotFolder,
    /// A folder: what was sent is a file.
    FolderNotFile,
    /// A file with one of these extensions.
    Ending(Vec<String>),
    /// A folder.
    Folder,
    /// A folder that contains files with this extension.
    FolderOf(String),
    /// A project with its configuration.
    Project,
    /// A git repository.
    Repository,
    /// The same place, as an absolute path.
    Absolute,
    /// The same place, relative to the server's own folder.
    Relative,
    /// A place below this folder.
    Below(String),
}

/// The bound, if the value that was sent violates it.
pub(super) fn broken(
    slot: &ArgumentSlot,
    least: Option<f64>,
    most: Option<f64>,
    of: BoundUnit,
) -> Option<RequestedChange> {
    let size = match (slot.sent.as_ref(), of) {
        (Some(Value::String(text)), BoundUnit::Length) => Some(text.chars().count() as f64),
        (Some(Value::String(text)), BoundUnit::Value) => text.trim().parse().ok(),
        (Some(Value::Array(items)), _) => Some(items.len() as f64),
        (Some(Value::Number(number)), _) => number.as_f64(),
        _ => None,
    };
    let is_within = size
        .is_some_and(|size| least.is_none_or(|least| least <= size) && most.is_none_or(|most| size <= most));
    let is_sized = slot.takes("integer") || slot.takes("string") || slot.takes("array");
    (!is_within && is_sized).then_some(RequestedChange::Bound { least, most, of })
}

/// The JSON type that a programming language's type name stands for.
pub(super) fn type_named(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    Some(match word.as_str() {
        "whole number" | "whole numbers" | "usize" | "isize" | "int" | "integer" | "integers" | "ints"
        | "bigint" => "integer",
        "f32" | "f64" | "float" | "floats" | "float32" | "float64" | "number" | "numbers" | "numeric"
        | "decimal" => "number",
        "str" | "strs" | "string" | "strings" | "text" => "string",
        "bool" | "bools" | "boolean" | "booleans" => "boolean",
        "array" | "arrays" | "list" | "lists" | "vec" | "seq" | "sequence" | "sequences" | "seqs" => "array",
        "object" | "objects" | "dict" | "dicts" | "dictionary" | "dictionaries" | "map" | "maps"
        | "mapping" | "struct" => "object",
        word if word.starts_with(['u', 'i']) && word[1..].bytes().all(|byte| byte.is_ascii_digit()) => {
            "integer"
        }
        _ => return None,
    })
}

/// Beside one of these words, a list is not a list of all values.
const VAGUE: [&str; 7] = ["e.g", "such as", "for example", "for instance", "...", "etc", "\u{2026}"];

/// A change of one parameter that a message asks for.
pub(super) struct ParameterChange<'s> {
    pub(super) slot: &'s ArgumentSlot,
    pub(super) requested: RequestedChange,
    pub(super) words: String,
}

impl ParameterChange<'_> {
    /// Whether a text says outright which value would be accepted, and names the parameter.
    pub(super) fn is_stated_by(&self, text: &str, chosen: &Value) -> bool {
        if !names_parameter(&without_objects(text), &self.slot.name) {
            return false;
        }
        let lower = text.to_ascii_lowercase();
        let is_quoted = |value: &String| named_at(text, value).is_some();
        match &self.requested {
            // If only some of the values are listed, or what they look like, others may be accepted too.
            RequestedChange::OneOf(values) => {
                !VAGUE.iter().any(|word| lower.contains(word)) && values.iter().all(is_quoted)
            }
            RequestedChange::Like(like) => is_quoted(like) && chosen.as_str() == Some(like),
            RequestedChange::Bound { .. } => chosen.is_number(),
            RequestedChange::Renamed(_) => true,
            RequestedChange::Set(value) | RequestedChange::Shown(value) => chosen == value,
            RequestedChange::Examples(values) => {
                let is_one = values.iter().any(|value| chosen.as_str() == Some(value) && is_quoted(value));
                is_one && !self.may_name_a_thing(text)
            }
            RequestedChange::Meant(_)
            | RequestedChange::Given
            | RequestedChange::Absent
            | RequestedChange::Kind(_)
            | RequestedChange::Form(_)
            | RequestedChange::Path(_)
            | RequestedChange::Fitting(_) => false,
        }
    }

    /// Whether an example may be the name of a thing that there need not be: then it shows a form and no more.
    fn may_name_a_thing(&self, text: &str) -> bool {
        let is_of_kind = |word: &String| words!("names/kind-of-value").contains(&word.as_str());
        name_words(&self.slot.name).last().is_some_and(is_of_kind) || pattern!("cause/no-file").is_match(text)
    }
}
