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

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Write the place to the log, and give the caller only the cause.";
    super::judged(context, RULE.id, "a place in the server's source code", help)
}
