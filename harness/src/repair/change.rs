//! A change of one parameter that a message asks for.
//!
//! The main type is [`ParameterChange`].

use serde_json::Value;

use super::requested::RequestedChange;
use super::shown::without_objects;
use super::slot::ArgumentSlot;
use crate::wording::mention::names_parameter;

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
        let is_quoted = |value: &String| {
            ["'", "\"", "`"].iter().any(|mark| text.contains(&format!("{mark}{value}{mark}")))
        };
        match &self.requested {
            // If only some of the values are listed, or what they look like, others may be accepted too.
            RequestedChange::OneOf(values) => {
                !VAGUE.iter().any(|word| lower.contains(word)) && values.iter().all(is_quoted)
            }
            RequestedChange::Like(like) => is_quoted(like) && chosen.as_str() == Some(like),
            RequestedChange::Bound { .. } => chosen.is_number(),
            RequestedChange::Renamed(_) => true,
            RequestedChange::Set(value) | RequestedChange::Shown(value) => chosen == value,
            RequestedChange::Meant(_)
            | RequestedChange::Given
            | RequestedChange::Absent
            | RequestedChange::Kind(_)
            | RequestedChange::Form(_)
            | RequestedChange::Path(_)
            | RequestedChange::Examples(_)
            | RequestedChange::Fitting(_) => false,
        }
    }
}
