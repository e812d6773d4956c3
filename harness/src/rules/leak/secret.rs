//! `leak/secret`: a secret comes through.

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

use super::{Confidence, Language, Pattern, Place};

/// How it shows.
pub(super) static PATTERNS: &[Pattern] = &[
    // The user's own, which the harness has taken out of the reply (`crate::secret::Concealed`).
    Pattern {
        language: Language::Any,
        tells: "a secret that the server was started with",
        regex: r"\{concealed:[^{}\s]{1,80}\}",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["the key {concealed:API_KEY} is refused"],
        misses: &["the key in {env:API_KEY} is refused"],
    },
    // Keys by the form that their issuers give them.
    Pattern {
        language: Language::Any,
        tells: "a key in a known format",
        regex: r"\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{40,}|sk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|AIza[\w-]{35}|glpat-[\w-]{20,}|npm_[A-Za-z0-9]{36})\b|-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----|\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["no access with ghp_abcdefghijklmnopqrstuvwxyz0123456789"],
        misses: &["no access with the key ghp_..."],
    },
    // A password within a URL.
    Pattern {
        language: Language::Any,
        tells: "a password in a URL",
        regex: r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,60}:[^\s/@*<>{}]{3,80}@[\w.-]+",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["cannot reach postgres://app:hunter2@db:5432/x"],
        misses: &["cannot reach postgres://app:***@db:5432/x"],
    },
    // A variable or header of that name, with a value.
    Pattern {
        language: Language::Any,
        tells: "a value after the name of a secret",
        regex: r#"(?i-u:\b(?:[a-z_]*password|passwd|api[_-]?key|secret[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret)\b["\x27]?\s*[=:]\s*["\x27]?[A-Za-z0-9+/_.-]{12,}|\bauthorization: bearer [\w.-]{12,})"#,
        place: Place::Anywhere,
        confidence: Confidence::Low,
        hits: &["API_KEY=abcdef0123456789abcd is refused"],
        misses: &["API_KEY is not set"],
    },
    Pattern {
        language: Language::Any,
        tells: "a key in a known format",
        regex: r"\b(?:sk_live_|rk_live_|sk_test_|pk_live_)[A-Za-z0-9]{16,}|\bhf_[A-Za-z0-9]{30,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}|\bdop_v1_[0-9a-f]{40,}|\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{30,}|\bASIA[0-9A-Z]{16}\b|\bpypi-[\w-]{40,}|\bsk-[a-z]{2,10}-[\w-]{12,}|\bxapp-\d-[\w-]{20,}|\b(?:AGE-SECRET-KEY-1|PuTTY-User-Key-File-)\w*|-----BEGIN PGP PRIVATE KEY BLOCK-----",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["no access with sk_live_abcdefghijklmnop0123", "401 for key sk-test-0123456789abcdef"],
        misses: &["the prefix sk_live_ is missing"],
    },
    Pattern {
        language: Language::Any,
        tells: "a password in a connection string",
        regex: r#"(?i-u:\b(?:password|pwd)=[^;\s\x1a*<>{}'\"]{4,80};)|(?i-u:\b(?:[a-z]+_)?(?:password|passwd|secret|token|api_?key)=[^\s\x1a*<>{}'\",;&]{6,80})"#,
        place: Place::Anywhere,
        confidence: Confidence::Low,
        hits: &["Server=db;User Id=app;Password=hunter2;", "DB_PASSWORD=hunter22 is refused"],
        misses: &["Password=***;", "the password= is empty"],
    },
    Pattern {
        language: Language::Any,
        tells: "a header with credentials",
        regex: r"(?i-u:\bauthorization: ?(?:basic|token|bearer) [a-z0-9+/=_.-]{8,}|\bx-api-key: ?[a-z0-9_-]{12,}|\b(?:set-)?cookie: ?\w+=[\w%.-]{12,})",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["sent Authorization: Basic dXNlcjpwYXNz"],
        misses: &["the Authorization header is missing"],
    },
];

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
