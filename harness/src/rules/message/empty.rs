//! `message/empty`: an error reply has no message.

use crate::finding::{Diagnostic, Level};
use crate::rules::handling::Subject;
use crate::rules::should_read::sentence;
use crate::rules::{Context, Example, Handling, Rule, RuleCheck, Tier};

/// BC-01: ... followed by a non-empty message.
pub(crate) static RULE: Rule = Rule {
    id: "message/empty",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling {
        subject: Subject::Manner,
        silences: &[
            "message/vague",
            "message/value-missing",
            "message/valid-values-missing",
            "message/hint-missing",
        ],
        ..super::HANDLING
    },
    requirements: &["BC-01", "PL-01"],
    summary: "an error reply has no text, or none after the code",
    page: r#"The message is all that the model reads. Without one, it repeats the call or gives up.

**Counts:** an error reply without a text, with an empty text, or with a code and nothing after it; a JSON-RPC error
with an empty message.

**Does not count:** a message that says little (`message/vague`).

**How to fix it:** say what is wrong with which value, and what to send instead."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/missing.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[PATH_NOT_FOUND] "}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/missing.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[PATH_NOT_FOUND] /workspace/missing.txt does not exist. List the folder first."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(error) = context.error.filter(|error| error.message().trim().is_empty()) else {
        return Vec::new();
    };
    let message = match error.code() {
        Some(code) => {
            format!("the error reply of `{}` has a code (`{code}`) but no message", context.called())
        }
        None => format!("the error reply of `{}` has no text", context.called()),
    };
    let help = format!("Say what is wrong with which value, and what to send instead.{}", sentence(context));
    let mut diagnostic = Diagnostic::new(message, help);
    diagnostic.evidence = context.reply();
    vec![diagnostic]
}
