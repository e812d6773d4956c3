//! What a message may ask for of one parameter.
//!
//! The main type is [`RequestedChange`].

use std::ops::Range;

use serde_json::Value;

use super::slot::ArgumentSlot;

/// What should become of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RequestedChange {
    /// It is missing, or empty.
    Given,
    /// It must not be there.
    Absent,
    /// It is called so.
    Renamed(String),
    /// It is one of these.
    OneOf(Vec<String>),
    /// It, or its length, is within these.
    Bound { least: Option<f64>, most: Option<f64>, of: BoundUnit },
    /// It is of this JSON type.
    Kind(&'static str),
    /// It looks like this, which is the message's own.
    Like(String),
    /// It is like one of these, which the message shows as examples.
    Examples(Vec<String>),
    /// It is this, which fits what the message says of sizes.
    Fitting(Value),
    /// It is a text of a form, such as this one of ours.
    Form(&'static str),
    /// It leads elsewhere.
    Path(RequestedPath),
    /// It is this.
    Set(Value),
    /// It is this, as a call that the message shows has it.
    Shown(Value),
    /// It is what its caller means: the message says what to do, and the rest he knows.
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

/// What a bound measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BoundUnit {
    Value,
    Length,
}

/// What a message asks for, and where it says so.
pub(super) type StatedChange = (RequestedChange, Range<usize>);

/// Where a path should lead instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RequestedPath {
    /// To a file.
    File,
    /// To a file: what was sent leads to a folder.
    FileNotFolder,
    /// To a folder: what was sent leads to a file.
    FolderNotFile,
    /// To a file with one of these endings.
    Ending(Vec<String>),
    /// To a folder.
    Folder,
    /// To a folder that holds files with this ending.
    FolderOf(String),
    /// To a project with its configuration.
    Project,
    /// To a git repository.
    Repository,
    /// To the same place, told from the root of the file system.
    Absolute,
    /// To the same place, told from the server's own folder.
    Relative,
    /// To somewhere below this folder.
    Below(String),
}

/// The bound, where what was sent is not within it.
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

/// The JSON type that a language's word for one means.
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

/// Whether a value is of a JSON type.
pub(super) fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}
