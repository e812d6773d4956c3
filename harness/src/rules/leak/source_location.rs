//! `leak/source-location`: a place in the server's own source comes through.

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

use super::{Confidence, Language, Pattern, Place};

/// How it shows.
pub(super) static PATTERNS: &[Pattern] = &[
    // A file of source and a line, as compilers and runtimes write it.
    Pattern {
        language: Language::Any,
        tells: "a file of the server's source code with a line number",
        regex: r"(?:[\w@.-]*/|\b)[\w.-]*\w\.(?:rs|go|py|ts|tsx|js|mjs|cjs|java|kt|cs|cpp|cc|rb|php|swift|ex|exs):(?:line )?\d+(?::\d+)?\b",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["failed (src/tools/view.rs:41:17)"],
        misses: &["failed in view.rs at the first line"],
    },
    // Python's form of a frame.
    Pattern {
        language: Language::Python,
        tells: "a frame of Python",
        regex: r#"File "[^"\n]{1,200}\.py", line \d+"#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["see File \"/app/server.py\", line 12"],
        misses: &["File \"a.py\", the first line"],
    },
    // `die` and `warn` append it where the text has no newline at its end.
    Pattern {
        language: Language::Perl,
        tells: "a place in a Perl script",
        regex: r" at (?:-e|\S+\.(?:pl|pm|cgi|t)|\(eval \d+\)) line \d+\b",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["open: No such file or directory at -e line 1."],
        misses: &["the match at line 1"],
    },
    Pattern {
        language: Language::Shell,
        tells: "a line in one of the server's scripts",
        regex: r"\S+\.(?:sh|bash|zsh|ksh)(?:: line \d+: |: \d+: |:\d+: )",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["/app/tool.sh: line 12: rg: command not found"],
        misses: &["/app/tool.sh has 12 lines"],
    },
    Pattern {
        language: Language::Php,
        tells: "a place in a PHP script",
        regex: r"\bin (?:/|[A-Z]:\\)[^\s:]+\.(?:php|phtml|rb|inc)(?::\d+| on line \d+)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["Division by zero in /srv/app/View.php on line 12"],
        misses: &["in view.php there is no line 12"],
    },
    Pattern {
        language: Language::Any,
        tells: "a file of the server's source code with a line number",
        regex: r"\b[\w-]+\.(?:c|h|cpp|hpp|cc|cxx|rs|go|java|kt|cs|swift|rb|php|ts|py|scala|ex|clj|lua|dart|zig|nim)(?:, line \d+|\(\d+(?:,\d+)?\)|[ \t]+line \d+)",
        place: Place::Anywhere,
        confidence: Confidence::Low,
        hits: &["raised in view.cs(41,9)", "server.lua, line 3"],
        misses: &["line 41 of view.cs"],
    },
    Pattern {
        language: Language::Node,
        tells: "the place of a module of JavaScript",
        regex: r#"\bfile:///?[^\s'\"()]+\.(?:m|c)?(?:js|ts)(?::\d+)*|\bnode:internal/\w+|\(eval at \w+ "#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["file:///app/dist/index.js:12"],
        misses: &["file:///workspace/a.txt"],
    },
    Pattern {
        language: Language::Cpp,
        tells: "the place of a failed assertion",
        regex: r"\w+\.(?:c|cc|cpp|cxx|h|hpp):\d+: (?:\w[^\n]{0,200}: )?Assertion `",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["tool.cpp:88: Assertion `path != nullptr' failed."],
        misses: &["Assertion 3 of tool.cpp failed"],
    },
];

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
