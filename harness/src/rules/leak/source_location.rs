//! `leak/source-location`: a place in the server's own source comes through.

use std::sync::LazyLock;

use crate::finding::{Breach, Level};
use crate::rules::{Check, Example, Rule, Scene, Tier};

use super::{Pattern, Patterns, Place};

pub(super) static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(&[LIST]));

static LIST: &[Pattern] = &[
    // A file of source and a line, as compilers and runtimes write it.
    Pattern {
        tells: "a file of the server's source with a line",
        regex: r"(?:[\w@.-]*/|\b)[\w.-]*\w\.(?:rs|go|py|ts|tsx|js|mjs|cjs|java|kt|cs|cpp|cc|rb|php|swift|ex|exs):(?:line )?\d+(?::\d+)?\b",
        place: Place::Anywhere,
        level: None,
        hit: "failed (src/tools/view.rs:41:17)",
        miss: "failed in view.rs at the first line",
    },
    // Python's form of a frame.
    Pattern {
        tells: "a frame of Python",
        regex: r#"File "[^"\n]{1,200}\.py", line \d+"#,
        place: Place::Anywhere,
        level: None,
        hit: "File \"/app/server.py\", line 12, in call",
        miss: "File \"a.py\", the first line",
    },
];

/// BC-20: no internal detail in a message.
pub(crate) static RULE: Rule = Rule {
    id: "leak/source-location",
    tier: Tier::Ungated,
    level: Level::Must,
    requirements: &["BC-20", "A6"],
    summary: "an error reply names a place in the server's own source",
    page: r#"The caller cannot open the file, and nobody mends a call at `view.rs:41`.

**Counts:** a source file with a line number (`src/tools/view.rs:41:17`, `server.py", line 12`), wherever it stands.

**Does not count:** a path that the caller sent, and a line in such a file; the output of a search or of a command. Within a
stack trace or a panic those rules speak.

**To mend it:** write the place to the log, and give the caller the cause."#,
    check: Check::Exchange(check),
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

fn check(scene: &Scene<'_>) -> Vec<Breach> {
    let help = "Write the place to the log, and tell the caller the cause alone.";
    super::judged(scene, &PATTERNS, "a place in the server's source", help)
}
