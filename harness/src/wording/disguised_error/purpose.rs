//! What a tool is there for, by its name.

/// Whether a tool checks something: that it is wrong is an answer.
pub(super) fn checks(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["valid", "check", "lint", "verif", "test", "parse"].iter().any(|word| tool.contains(word))
}

/// Whether a tool seeks something: that it is not there is an answer.
pub(super) fn seeks(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["search", "find", "grep", "list", "filter", "match", "exist", "has_"]
        .iter()
        .any(|word| tool.contains(word))
        || checks(&tool)
}
