//! `message/empty`: an error reply has no message.

use std::sync::LazyLock;

use crate::finding::{Diagnostic, Level};
use crate::rules::handling::Subject;
use crate::rules::should_read::sentence;
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};

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
            "message/wait-missing",
        ],
        ..super::HANDLING
    },
    requirements: &["BC-01", "PL-01"],
    page: LazyLock::new(|| RulePage::read(include_str!("empty.toml"))),
    check: RuleCheck::Exchange(check),
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
    vec![context.diagnostic(message, help)]
}
