//! `leak/source-location`: a place in the server's own source comes through.

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

/// BC-20: no internal detail in a message.
pub(crate) static RULE: Rule = Rule {
    id: "leak/source-location",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: super::HANDLING,
    requirements: &["BC-20", "A6"],
    summary: "an error reply names a place in the server's source code",
    page: r#"The caller cannot open the file, and nobody can fix a call at `view.rs:41`.

**Counts:** a source file with a line number (`src/tools/view.rs:41:17`, `server.py", line 12`), anywhere in the
message.

**Does not count:** a path that the caller sent, and a line in such a file; the output of a search or of a command.
Inside a stack trace or a panic, the rules for those apply.

**How to fix it:** write the place to the log, and give the caller the cause."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] Could not read /workspace/a.txt: raised at src/tools/view.rs:41. Choose another file."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] Could not read /workspace/a.txt: permission denied. Choose another file."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

/// Whether a place is in a file of the caller's project and not in the server's source: no server runs from a test, and with
/// `./` a compiler names a file of the folder in which it was started.
pub(super) fn is_of_a_project(found: &str) -> bool {
    let name = found.rsplit('/').next().unwrap_or(found);
    found.starts_with("./")
        || name.starts_with("test_")
        || ["_test.", ".test.", ".spec.", "_spec."].iter().any(|part| name.contains(part))
}

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Write the place to the log, and give the caller only the cause.";
    super::judged(context, RULE.id, "a place in the server's source code", help)
}

#[cfg(test)]
mod tests {
    use super::is_of_a_project;

    #[test]
    fn a_test_and_a_file_that_a_compiler_was_given_are_of_the_project() {
        for (found, is_one) in [
            ("store_test.go:18", true),
            ("tests/test_store.py:4", true),
            ("web/store.spec.ts:9:1", true),
            ("./main.go:12:5", true),
            ("src/store.rs:9:1", false),
            ("latest.py:4", false),
        ] {
            assert_eq!(is_of_a_project(found), is_one, "{found}");
        }
    }
}
