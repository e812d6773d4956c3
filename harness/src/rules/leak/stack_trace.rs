//! `leak/stack-trace`: frames of the server's own call stack come through.

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Handling, Rule, RuleCheck, Tier};

use super::{Confidence, Language, Pattern, Place};

/// How it shows.
pub(super) static PATTERNS: &[Pattern] = &[
    // Python's `traceback.format_exc()`.
    Pattern {
        language: Language::Python,
        tells: "a Python traceback",
        regex: r"Traceback \(most recent call last\):(?s:.*)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["Traceback (most recent call last):\n  File \"/app/server.py\", line 5, in t"],
        misses: &["the trace of the most recent call is not kept"],
    },
    Pattern {
        language: Language::Python,
        tells: "a frame of a Python traceback",
        regex: r#"File "[^"\n]+", line \d+, in [^\n]+"#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["File \"/app/server.py\", line 88, in view"],
        misses: &["File \"/app/server.py\" has no line 88"],
    },
    // V8's `error.stack`.
    Pattern {
        language: Language::Node,
        tells: "a frame of a JavaScript stack",
        regex: r"(?m:^)\s+at (?:async )?(?:[^\s(][^\n(]* \()?(?:node:|file://|/|\[eval\]|<anonymous>|[A-Za-z]:\\)[^\n]*",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["TypeError: x\n    at open (node:internal/fs/promises:634:10)"],
        misses: &["Matches:\n    at line 3\n    at line 9"],
    },
    // Throwable.printStackTrace().
    Pattern {
        language: Language::Jvm,
        tells: "a frame of a Java stack",
        regex: r"\bat [\w.$/]+(?:<\w+>)?\((?:[\w$]+\.java(?::\d+)?|Native Method|Unknown Source)\)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["at com.acme.mcp.View.run(View.java:88)"],
        misses: &["at position 88 (of View.java)"],
    },
    // Exception.StackTrace of .NET and Mono.
    Pattern {
        language: Language::DotNet,
        tells: "a frame of a .NET stack",
        regex: r"(?m:^)\s+at [A-Z][\w+<>`]*(?:\.[\w+<>`\[\],]+)+ ?\([^\n)]*\)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["Invalid pattern.\n   at System.Text.RegularExpressions.RegexParser.ScanRegex()"],
        misses: &["Matches:\n   at line 3 (column 5)"],
    },
    // runtime/debug.Stack() and an uncaught panic of Go.
    Pattern {
        language: Language::Go,
        tells: "a Go stack dump",
        regex: r"goroutine \d+ \[[a-z ,0-9]+\]:(?s:.*)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["boom\n\ngoroutine 34 [running]:\nmain.main()"],
        misses: &["too many goroutines: 34 are running"],
    },
    Pattern {
        language: Language::Go,
        tells: "a frame of a Go stack",
        regex: r"(?m:^)\t[^\n]+\.go:\d+(?: \+0x[0-9a-f]+)?",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["main.main()\n\t/build/src/main.go:49 +0x14b"],
        misses: &["Nothing at line 49 of main.go matches"],
    },
    // std::backtrace::Backtrace.
    Pattern {
        language: Language::Rust,
        tells: "a Rust backtrace",
        regex: r"(?:stack backtrace:|Stack backtrace:|(?m:^)\s+\d+: [\w<>: {}&$]+\n\s+at [^\n]+:\d+)(?s:.*)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["boom\nstack backtrace:\n   0: rust_begin_unwind"],
        misses: &["Matches:\n   0: fn main() {"],
    },
    Pattern {
        language: Language::Cpp,
        tells: "the report of a sanitizer",
        regex: r"==\d+==ERROR: \w+Sanitizer: ",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["==2==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000014"],
        misses: &["ERROR: the sanitizer removed 2 lines"],
    },
    Pattern {
        language: Language::Node,
        tells: "a JavaScript error with its stack",
        regex: r"(?:[A-Z]\w*(?:Error|Exception)|Error)(?: \[\w+\])?(?:: [^\n]*)?\n(?:[^\n]*\n){0,3}?\s+at (?:async )?(?:[^\s(][^\n(]* \()?(?:node:|file://|/|\[eval\]|<anonymous>|new |[A-Za-z.<>_$]+ \()(?s:.*)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["TypeError: x\n    at open (node:internal/fs/promises:634:10)"],
        misses: &["Error: no match\n  at line 3"],
    },
    Pattern {
        language: Language::Jvm,
        tells: "a Java exception with its stack",
        regex: r#"(?:Exception in thread \"[^\"\n]*\" )?(?:\w+\.)+\w+(?:Exception|Error)(?:: [^\n]*)?(?:\n[^\n]{0,300}){0,3}?\n\s+at [\w.$/]+(?:<\w+>)?\((?s:.*)"#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["java.lang.NullPointerException\n\tat com.acme.View.run(View.java:3)"],
        misses: &["com.acme.Exception was raised"],
    },
    Pattern {
        language: Language::DotNet,
        tells: "a .NET exception with its stack",
        regex: r"(?:System|Microsoft|[A-Z]\w+)(?:\.\w+)*Exception(?:: [^\n]*)?(?:\n[^\n]{0,300}){0,3}?\n\s+at [\w.+<>`\[\],]+ ?\((?s:.*)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["System.ArgumentException: x\n   at Acme.View.Run(String path)"],
        misses: &["System.ArgumentException was raised"],
    },
    Pattern {
        language: Language::Go,
        tells: "a Go panic with its stack",
        regex: r"(?:panic: |fatal error: )[^\n]*\n(?:[^\n]*\n){0,3}goroutine \d+ \[(?s:.*)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["panic: boom\n\ngoroutine 1 [running]:\nmain.main()"],
        misses: &["panic: goroutine"],
    },
    Pattern {
        language: Language::Ruby,
        tells: "a frame of a Ruby stack",
        regex: r"[\w./-]+\.rb:\d+:in [`'][^'\n]+'",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["from /srv/app/view.rb:12:in `run'"],
        misses: &["view.rb, line 12"],
    },
    Pattern {
        language: Language::Php,
        tells: "a frame of a PHP stack",
        regex: r"#\d+ (?:/\S+\.php\(\d+\)|\[internal function\]): |Stack trace:\n#0 ",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["Stack trace:\n#0 /srv/app/view.php(12): run()"],
        misses: &["#1 is the first"],
    },
    Pattern {
        language: Language::Perl,
        tells: "a frame of a Perl stack",
        regex: r"\n\t[\w:]+\([^\n]*\) called at \S+ line \d+",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["x at a.pl line 3.\n\tmain::run(1) called at a.pl line 9"],
        misses: &["run was called at line 9"],
    },
    Pattern {
        language: Language::Rust,
        tells: "the frames of Rust's `SpanTrace` or `color-eyre`",
        regex: r"\n\s+\d+: \S+\n\s+(?:with [^\n]*\n\s+)?at \S+\.rs:\d+|━ (?:SPANTRACE|BACKTRACE) ━",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["boom\n   0: mcp::view\n             at src/view.rs:3"],
        misses: &["0: view\n1: grep"],
    },
];

/// BC-20: no stack trace in a message.
pub(crate) static RULE: Rule = Rule {
    id: "leak/stack-trace",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling { denies_hint: true, ..super::HANDLING },
    requirements: &["BC-20", "EE-13", "PD-09"],
    summary: "an error reply contains frames of the server's call stack",
    page: r#"A stack trace costs the model hundreds of tokens, says nothing about what to change in the call, and shows everybody
else how the server is built.

**Counts:** a Python traceback, the frames of a JavaScript, Java or .NET stack, a Go stack dump, a Rust backtrace, a
sanitizer's report; one frame is enough.

**Does not count:** a trace that the caller sent itself; what a tool reads, finds or runs, because only error replies
are searched.

**How to fix it:** answer with a sentence and write the trace to the log. If a framework adds the trace, switch off its
development mode. The other leak rules do not report anything inside a stack trace."#,
    check: RuleCheck::Exchange(check),
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

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Answer with one sentence for the caller, and write the trace to the log, where only you can read \
         it.";
    super::judged(context, RULE.id, "the server's call stack", help)
}
