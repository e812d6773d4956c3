//! Why a tool is bound to a role as it is, and why it cannot be bound, in words for the user.

use serde_json::{Map, Value};

use crate::catalog::Tool;
use crate::document::nearest;

/// The reason for a tool that the configuration names.
pub(super) const BY_HAND: &str = "the configuration says so";

/// The reason that a tool's parameters are in an argument of their own.
pub(super) fn within(tool: &Tool) -> String {
    tool.wrapper().map(|name| format!("; its parameters are inside `{name}`")).unwrap_or_default()
}

/// The reason for arguments that are sent only because the tool requires them.
pub(super) fn demanded(fixed: &Map<String, Value>, chosen: usize) -> String {
    fixed
        .iter()
        .skip(chosen)
        .map(|(name, value)| format!("; it requires `{name}`: {value} is sent"))
        .collect()
}

/// That a required parameter of a role has no place in the tool.
pub(super) fn unplaced(tool: &Tool, name: &str) -> String {
    format!(
        "it is not known which parameter of `{}` is the role's `{name}`: set `{name} = \"...\"`",
        tool.name
    )
}

/// That there is no fair value for an argument that the tool requires.
pub(super) fn unfilled(tool: &Tool) -> String {
    format!(
        "`{}` requires a parameter that the role does not have, and it is not known what to send in it",
        tool.name
    )
}

/// The nearest of these names to a word that is none of them, or else all of them.
pub(super) fn known(word: &str, names: &[String]) -> String {
    match nearest(word, names.iter().map(String::as_str)) {
        Some(near) => format!(": did you mean `{near}`?"),
        None => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!(": it has {}", names.join(", "))
        }
    }
}
