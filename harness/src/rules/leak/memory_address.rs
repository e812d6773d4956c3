//! `leak/memory-address`: an address in the server's memory comes through.

use std::sync::LazyLock;

use crate::finding::{Breach, Level};
use crate::rules::{Check, Example, Rule, Scene, Tier};

use super::{Pattern, Patterns, Place};

pub(super) static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(&[LIST]));

static LIST: &[Pattern] = &[
    // `repr()` of Python's objects and functions.
    Pattern {
        tells: "Python's `repr()` of an object",
        regex: r"<[\w.]+(?: [\w.<>]+){0,4} at 0x[0-9a-fA-F]{6,16}>",
        place: Place::Anywhere,
        level: None,
        hit: "<_io.TextIOWrapper object at 0x7f3a2c1b9d30>",
        miss: "<TextIOWrapper>",
    },
    // `{:p}` and `%p`.
    Pattern {
        tells: "an address",
        regex: r"\b0x(?:[0-9a-fA-F]{12}|[0-9a-fA-F]{16}|c0[0-9a-fA-F]{8})\b",
        place: Place::Anywhere,
        level: Some(Level::Should),
        hit: "see the failure at 0x7ffdc0a1b2c3",
        miss: "the mask 0xffff0000",
    },
];

/// BC-20: no internal detail in a message.
pub(crate) static RULE: Rule = Rule {
    id: "leak/memory-address",
    tier: Tier::Ungated,
    level: Level::Must,
    requirements: &["BC-20", "A6"],
    summary: "an error reply holds an address in the server's memory",
    page: r#"An address says nothing to anybody outside the process, changes with every call, and so makes two equal errors differ.

**Counts:** `<... object at 0x7f...>` (Must); at Should a hexadecimal number of the length of an address.

**Does not count:** shorter hexadecimal numbers; what the caller sent.

**To mend it:** print the object's own text, or leave it out."#,
    check: Check::Exchange(check),
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

fn check(scene: &Scene<'_>) -> Vec<Breach> {
    let help =
        "Print what the object stands for, not the object: give its type a text of its own, or leave it out.";
    super::judged(scene, &PATTERNS, "an address in memory", help)
}
