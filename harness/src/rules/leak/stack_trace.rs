//! `leak/stack-trace`: frames of the server's own call stack come through.

use std::sync::LazyLock;

use crate::finding::{Breach, Level};
use crate::rules::{Check, Example, Rule, Scene, Tier};

use super::{Pattern, Patterns, Place};

pub(super) static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(&[LIST]));

static LIST: &[Pattern] = &[
    // Python's `traceback.format_exc()`.
    Pattern {
        tells: "a Python traceback",
        regex: r"Traceback \(most recent call last\):(?s:.*)",
        place: Place::Anywhere,
        level: None,
        hit: "Traceback (most recent call last):\n  File \"/app/server.py\", line 5, in t",
        miss: "the trace of the most recent call is not kept",
    },
    Pattern {
        tells: "a frame of a Python traceback",
        regex: r#"File "[^"\n]+", line \d+, in [^\n]+"#,
        place: Place::Anywhere,
        level: None,
        hit: "File \"/app/server.py\", line 88, in view",
        miss: "File \"/app/server.py\" has no line 88",
    },
    // V8's `error.stack`.
    Pattern {
        tells: "a frame of a JavaScript stack",
        regex: r"(?m:^)\s+at (?:async )?(?:[^\s(][^\n(]* \()?(?:node:|file://|/|\[eval\]|<anonymous>|[A-Za-z]:\\)[^\n]*",
        place: Place::Anywhere,
        level: None,
        hit: "TypeError: x\n    at open (node:internal/fs/promises:634:10)",
        miss: "Matches:\n    at line 3\n    at line 9",
    },
    // Throwable.printStackTrace().
    Pattern {
        tells: "a frame of a Java stack",
        regex: r"\bat [\w.$/]+(?:<\w+>)?\((?:[\w$]+\.java(?::\d+)?|Native Method|Unknown Source)\)",
        place: Place::Anywhere,
        level: None,
        hit: "at com.acme.mcp.View.run(View.java:88)",
        miss: "at position 88 (of View.java)",
    },
    // Exception.StackTrace of .NET and Mono.
    Pattern {
        tells: "a frame of a .NET stack",
        regex: r"(?m:^)\s+at [A-Z][\w+<>`]*(?:\.[\w+<>`\[\],]+)+ ?\([^\n)]*\)",
        place: Place::Anywhere,
        level: None,
        hit: "Invalid pattern.\n   at System.Text.RegularExpressions.RegexParser.ScanRegex()",
        miss: "Matches:\n   at line 3 (column 5)",
    },
    // runtime/debug.Stack() and an uncaught panic of Go.
    Pattern {
        tells: "a Go stack dump",
        regex: r"goroutine \d+ \[[a-z ,0-9]+\]:(?s:.*)",
        place: Place::Anywhere,
        level: None,
        hit: "boom\n\ngoroutine 34 [running]:\nmain.main()",
        miss: "too many goroutines: 34 are running",
    },
    Pattern {
        tells: "a frame of a Go stack",
        regex: r"(?m:^)\t[^\n]+\.go:\d+(?: \+0x[0-9a-f]+)?",
        place: Place::Anywhere,
        level: None,
        hit: "main.main()\n\t/build/src/main.go:49 +0x14b",
        miss: "Nothing at line 49 of main.go matches",
    },
    // std::backtrace::Backtrace.
    Pattern {
        tells: "a Rust backtrace",
        regex: r"(?:stack backtrace:|Stack backtrace:|(?m:^)\s+\d+: [\w<>: {}&$]+\n\s+at [^\n]+:\d+)(?s:.*)",
        place: Place::Anywhere,
        level: None,
        hit: "boom\nstack backtrace:\n   0: rust_begin_unwind",
        miss: "Matches:\n   0: fn main() {",
    },
    Pattern {
        tells: "the report of a sanitizer",
        regex: r"==\d+==ERROR: \w+Sanitizer: ",
        place: Place::Anywhere,
        level: None,
        hit: "==2==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000014",
        miss: "ERROR: the sanitizer removed 2 lines",
    },
];

/// BC-20: no stack trace in a message.
pub(crate) static RULE: Rule = Rule {
    id: "leak/stack-trace",
    tier: Tier::Ungated,
    level: Level::Must,
    requirements: &["BC-20"],
    summary: "an error reply holds frames of the server's own call stack",
    page: r#"A stack trace costs the model hundreds of tokens, tells it nothing that it could change in the call, and tells
everybody else how the server is built.

**Counts:** a Python traceback, the frames of a JavaScript, Java or .NET stack, a Go stack dump, a Rust backtrace, a
sanitizer's report; one frame is enough.

**Does not count:** a trace that the caller sent itself, and what a tool reads, finds or runs: only error replies are
searched.

**To mend it:** answer with a sentence and write the trace to the log. Where a framework adds it, switch off its
development mode. Where a stack trace shows, the other leak rules say nothing of the same place."#,
    check: Check::Exchange(check),
    bad: Example {
        call: r#"{"tool": "grep", "arguments": {"pattern": "("}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[GREP_INVALID_PATTERN] The pattern was not understood.\n    at new RegExp (<anonymous>)\n    at grep (file:///srv/dist/grep.js:41:17)"}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
    good: Example {
        call: r#"{"tool": "grep", "arguments": {"pattern": "("}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[GREP_INVALID_PATTERN] The pattern '(' does not compile: the group is never closed."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

fn check(scene: &Scene<'_>) -> Vec<Breach> {
    let help =
        "Answer with one sentence for the caller and write the trace to the log, where only you read it.";
    super::judged(scene, &PATTERNS, "the server's call stack", help)
}
