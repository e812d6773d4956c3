//! `leak/stack-trace`: frames of the server's own call stack come through.

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Handling, Rule, RuleCheck, Tier};

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
