//! `leak/panic`: the server stumbled over a fault of its own, and its words come through.

use crate::finding::{Diagnostic, Level};
use crate::rules::handling::Subject;
use crate::rules::{Context, Example, Handling, Rule, RuleCheck, Tier};

/// BC-20: no internal detail in a message; A6 counts words of the runtime wherever they stand.
pub(crate) static RULE: Rule = Rule {
    id: "leak/panic",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling {
        subject: Subject::Bug,
        // What the server did not mean to say need not say more.
        silences: &["message/value-missing", "message/valid-values-missing", "message/hint-missing"],
        // A dump may hold a hint somewhere: nobody wrote it to say so.
        denies_hint: true,
        ..super::HANDLING
    },
    requirements: &["BC-20", "A6", "EE-13", "PD-09"],
    summary: "an error reply shows a panic or an uncaught exception in the server",
    page: r#"A panic or an uncaught exception means that the fault is in the server, not in the call. Its text names types, places
and variables in the server; the model cannot fix any of them, and usually just repeats the call.

**Counts:** a Rust panic and its messages, Go's `runtime error: ...` and recovered panics; exceptions that in Python,
JavaScript, Java and .NET only a programming mistake raises (`'NoneType' object has no attribute ...`, `Cannot read
properties of undefined ...`).

**Does not count:** the word itself (`panic-fix`, "3 lines with 'panic'"); whatever the caller sent.

**How to fix it:** check the arguments of the call in this finding before using them. As a safety net, turn every panic
into one sentence, "internal error in TOOL; reference R", and write the rest to the log."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] view failed: runtime error: slice bounds out of range [5:3]"}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] Could not show /workspace/a.txt because of an internal error; the operator finds it in the log as r-17."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Check the arguments of this call before using them, and turn any remaining panic into one \
        sentence with a reference to your log.";
    super::judged(context, RULE.id, "a fault in the server itself", help)
}
