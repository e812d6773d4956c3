//! `leak/memory-address`: an address in the server's memory comes through.

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

/// BC-20: no internal detail in a message.
pub(crate) static RULE: Rule = Rule {
    id: "leak/memory-address",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: super::HANDLING,
    requirements: &["BC-20", "A6"],
    summary: "an error reply contains an address in the server's memory",
    page: r#"An address means nothing outside the process. It also changes with every call, so that two identical errors look
different.

**Counts:** `<... object at 0x7f...>` (Must); at Should, a hexadecimal number as long as an address.

**Does not count:** shorter hexadecimal numbers; what the caller sent.

**How to fix it:** print a text for the object, or leave it out."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] Could not read /workspace/a.txt from <TextIOWrapper object at 0x7f3a2c1b9d30>. Choose another file."}],"isError":true}}"#,
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
    let help = "Print what the object stands for instead of the object: give its type a text representation, or \
         leave it out.";
    super::judged(context, RULE.id, "an address in memory", help)
}
