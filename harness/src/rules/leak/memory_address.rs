//! `leak/memory-address`: an address in the server's memory comes through.

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

use super::{Confidence, Language, Pattern, Place};

/// How it shows.
pub(super) static PATTERNS: &[Pattern] = &[
    // `repr()` of Python's objects and functions.
    Pattern {
        language: Language::Python,
        tells: "Python's `repr()` of an object",
        regex: r"<[\w.]+(?: [\w.<>]+){0,4} at 0x[0-9a-fA-F]{6,16}>",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["<_io.TextIOWrapper object at 0x7f3a2c1b9d30>"],
        misses: &["<TextIOWrapper>"],
    },
    // `{:p}` and `%p`.
    Pattern {
        language: Language::Any,
        tells: "an address",
        regex: r"\b0x(?:[0-9a-fA-F]{12}|[0-9a-fA-F]{16}|c0[0-9a-fA-F]{8})\b",
        place: Place::Anywhere,
        confidence: Confidence::Low,
        hits: &["see the failure at 0x7ffdc0a1b2c3"],
        misses: &["the mask 0xffff0000"],
    },
    Pattern {
        language: Language::Perl,
        tells: "a reference, as Perl prints it",
        regex: r"\b(?:HASH|ARRAY|CODE|SCALAR|GLOB|REF|LVALUE|FORMAT|(?:\w+::)*\w+=(?:HASH|ARRAY|SCALAR|CODE))\(0x[0-9a-f]{6,16}\)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["bad request HASH(0x55f037f774b8)"],
        misses: &["bad request HASH(x)"],
    },
    Pattern {
        language: Language::Cpp,
        tells: "an address printed by a C, C++ or Go program",
        regex: r"\b(?:at|address|request|param|value|object|ptr|pointer|for|of|args?|handle|this|is|=|:) ?(?:0x7f[0-9a-f]{10}|0x5[56][0-9a-f]{10}|0xc000[0-9a-f]{6})\b",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["invalid request 0x7fff18744b0c", "bad param 0xc0001ec000"],
        misses: &["Address 0x7ffe0000 is outside the mapped range"],
    },
];

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
