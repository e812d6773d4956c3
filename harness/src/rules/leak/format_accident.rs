//! `leak/format-accident`: a value is printed by a formatting that went wrong.

use std::sync::LazyLock;

use crate::finding::{Breach, Level};
use crate::rules::{Check, Example, Rule, Scene, Tier};

use super::{Pattern, Patterns, Place};

pub(super) static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(&[LIST]));

static LIST: &[Pattern] = &[
    // Go's `fmt` writes these where verb and value do not fit.
    Pattern {
        tells: "a formatting accident of Go's `fmt`",
        regex: r"%!(?:[a-zA-Z]\([^)\n]{0,80}\)|\(EXTRA |\(NOVERB\)|\(BADWIDTH\)|[a-zA-Z]\(MISSING\))",
        place: Place::Anywhere,
        level: None,
        hit: "cannot open %!s(<nil>)",
        miss: "100%! (done)",
    },
    // What JavaScript makes of an object in a text.
    Pattern {
        tells: "an object of JavaScript in a text",
        regex: r"\[object [A-Z][A-Za-z]{2,20}\]",
        place: Place::Anywhere,
        level: None,
        hit: "Error: [object Object]",
        miss: "[object] is no path",
    },
    // A template whose placeholder nobody filled.
    Pattern {
        tells: "a placeholder that nobody filled",
        regex: r"\$\{[a-z][\w.]{0,40}\}|\{\{ ?[a-z][\w.]{0,40} ?\}\}|%\([a-z]\w{0,40}\)s",
        place: Place::Anywhere,
        level: Some(Level::Should),
        hit: "no file ${params.path}",
        miss: "use ${HOME} as it is",
    },
];

/// BC-20: no internal detail in a message.
pub(crate) static RULE: Rule = Rule {
    id: "leak/format-accident",
    tier: Tier::Ungated,
    level: Level::Must,
    requirements: &["BC-20", "A6"],
    summary: "an error reply holds what a formatting that went wrong leaves behind",
    page: r#"`%!s(<nil>)` and `[object Object]` stand where the value should: the message has lost what it was written for.

**Counts:** Go's `%!verb(...)`, JavaScript's `[object Object]`; at Should a template's placeholder (`${path}`, `{{path}}`,
`%(path)s`) that nobody filled.

**Does not count:** what the caller sent itself; `None`, `null` and `undefined` as words.

**To mend it:** put the value itself into the text, and try the message once with the value missing."#,
    check: Check::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] Could not read /workspace/a.txt: [object Object]. Choose another file."}],"isError":true}}"#,
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
    let help = "Format the value itself: the text of an error, a path as a string. Call this message in a test with every value that it can get.";
    super::judged(scene, &PATTERNS, "a formatting that went wrong", help)
}
