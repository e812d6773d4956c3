//! What a tool is there for, by its name.

use crate::wording::mention::name_words;

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

/// Whether a tool changes a thing that it names: that this is not there is why nothing came of the call. Of one that removes
/// things it may be the answer.
pub(super) fn changes(tool: &str) -> bool {
    const VERBS: [&str; 22] = [
        "set", "add", "update", "edit", "rename", "move", "assign", "link", "insert", "append", "complete",
        "modify", "attach", "replace", "write", "change", "patch", "reorder", "tag", "pin", "start",
        "finish",
    ];
    has_any(tool, &VERBS)
}

/// Whether a tool hands on texts that others wrote, or that a program printed: those may begin in any way.
pub(super) fn retells(tool: &str) -> bool {
    const WORDS: [&str; 30] = [
        "read",
        "get",
        "cat",
        "view",
        "show",
        "open",
        "fetch",
        "request",
        "http",
        "web",
        "page",
        "run",
        "exec",
        "execute",
        "shell",
        "command",
        "terminal",
        "bash",
        "eval",
        "output",
        "log",
        "logs",
        "tail",
        "history",
        "message",
        "messages",
        "explain",
        "translate",
        "text",
        "download",
    ];
    has_any(tool, &WORDS)
}

fn has_any(tool: &str, words: &[&str]) -> bool {
    name_words(tool).iter().any(|word| words.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tool_does_its_name_says() {
        for (tool, does) in
            [("kg_set_domain", true), ("addNote", true), ("offset", false), ("delete_note", false)]
        {
            assert_eq!(changes(tool), does, "{tool}");
        }
        for (tool, does) in
            [("get_logs", true), ("runQuery", true), ("create_diagram", false), ("widget", false)]
        {
            assert_eq!(retells(tool), does, "{tool}");
        }
    }
}
