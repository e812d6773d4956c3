//! The reasons for a binding that come from the schema, for all roles.

use serde_json::{Map, Value};

use crate::catalog::Tool;

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
