//! Why a tool was bound, in words: what its schema adds to every role.

use serde_json::{Map, Value};

use crate::catalog::Tool;

/// That a tool's parameters stand in an argument of their own.
pub(super) fn within(tool: &Tool) -> String {
    tool.wrapper().map(|name| format!("; its parameters are inside `{name}`")).unwrap_or_default()
}

/// What is sent only because the tool demands it.
pub(super) fn demanded(fixed: &Map<String, Value>, chosen: usize) -> String {
    fixed
        .iter()
        .skip(chosen)
        .map(|(name, value)| format!("; it requires `{name}`: {value} is sent"))
        .collect()
}
