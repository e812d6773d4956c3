//! `leak/secret`: a secret comes through.

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

/// The specification of every contract: no secret.
pub(crate) static RULE: Rule = Rule {
    id: "leak/secret",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: super::HANDLING,
    requirements: &["BC-20", "A6"],
    summary: "an error reply contains a secret from the server's environment",
    page: r#"A model may repeat, store and pass on what it reads.

**Counts:** the value of a variable that the harness puts in the server's environment, generated anew for each seed; a
secret that the server was started with (a variable or an option that looks like one), which the report shows as
`{concealed:NAME}` in its place;
keys and tokens with a known format (`ghp_...`, `sk-...`, a private key, a JSON Web Token); a password in a URL; at
Should, a value after a name such as `api_key=`.

**Does not count:** the name of a variable without its value; a masked value; what the caller sent.

**How to fix it:** name the setting that is wrong, but never its value."#,
    check: RuleCheck::Exchange(check),
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

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Name the setting that is wrong, but never its value; keep the environment out of whatever is \
        printed.";
    super::judged(context, RULE.id, "a secret", help)
}
