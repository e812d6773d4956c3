//! `leak/secret`: a secret comes through.

use std::sync::LazyLock;

use crate::finding::{Breach, Level};
use crate::rules::{Check, Example, Rule, Scene, Tier};
use crate::secret;

use super::{Pattern, Patterns, Place};

pub(super) static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(&[LIST]));

static LIST: &[Pattern] = &[
    // Keys by the form that their issuers give them.
    Pattern {
        tells: "a key by its form",
        regex: r"\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{40,}|sk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|AIza[\w-]{35}|glpat-[\w-]{20,}|npm_[A-Za-z0-9]{36})\b|-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----|\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}",
        place: Place::Anywhere,
        level: None,
        hit: "no access with ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        miss: "no access with the key ghp_...",
    },
    // A password within a URL.
    Pattern {
        tells: "a password in a URL",
        regex: r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,60}:[^\s/@*<>{}]{3,80}@[\w.-]+",
        place: Place::Anywhere,
        level: None,
        hit: "cannot reach postgres://app:hunter2@db:5432/x",
        miss: "cannot reach postgres://app:***@db:5432/x",
    },
    // A variable or header of that name, with a value.
    Pattern {
        tells: "a value behind the name of a secret",
        regex: r#"(?i-u:\b(?:[a-z_]*password|passwd|api[_-]?key|secret[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret)\b["\x27]?\s*[=:]\s*["\x27]?[A-Za-z0-9+/_.-]{12,}|\bauthorization: bearer [\w.-]{12,})"#,
        place: Place::Anywhere,
        level: Some(Level::Should),
        hit: "API_KEY=abcdef0123456789abcd is refused",
        miss: "API_KEY is not set",
    },
];

/// The specification of every contract: no secret.
pub(crate) static RULE: Rule = Rule {
    id: "leak/secret",
    tier: Tier::Ungated,
    level: Level::Must,
    requirements: &["BC-20", "A6"],
    summary: "an error reply holds a secret of the server's surroundings",
    page: r#"What a model reads it may repeat, store and send on.

**Counts:** the value of a variable that the harness puts into the server's environment, drawn anew for each seed; keys and
tokens by their form (`ghp_...`, `sk-...`, a private key, a JSON Web Token); a password within a URL; at Should a value behind
a name such as `api_key=`.

**Does not count:** the name of a variable without its value; a value that is masked; what the caller sent.

**To mend it:** name the setting that is wrong and never its value."#,
    check: Check::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] Could not read /workspace/a.txt from postgres://app:hunter2@db/x. Choose another file."}],"isError":true}}"#,
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
    let help = "Name the setting that is wrong and never its value; take the environment out of whatever is printed.";
    let drawn = secret::drawn(scene.head.seed);
    let own = |text: &str, from: usize| {
        let start = text[from..].find(&drawn)? + from;
        Some(("the value of a variable of its environment", start..start + drawn.len()))
    };
    super::judged_with(scene, &PATTERNS, &own, "a secret", help)
}
