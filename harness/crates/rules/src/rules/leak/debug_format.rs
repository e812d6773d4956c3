//! `leak/debug-format`: a message contains a value in the debug notation of the server's language.

use std::sync::LazyLock;

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Rule, RuleCheck, RulePage, Tier};

/// BC-20: no internal detail in a message; A6 counts a debug format wherever it stands.
pub(crate) static RULE: Rule = Rule {
    id: "leak/debug-format",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: super::HANDLING,
    requirements: &["BC-20", "A6"],
    page: LazyLock::new(|| RulePage::read(include_str!("debug_format.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Print the value or the error's message, not its debug notation (`repr`, `{:?}`, `%+v`), and write \
        objects as JSON.";
    super::judged(context, RULE.id, "a value in the notation of the server's programming language", help)
}
