//! `leak/panic`: the server stumbled over a fault of its own, and its words come through.

use std::sync::LazyLock;

use crate::finding::{Diagnostic, Level};
use crate::rules::handling::Subject;
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};

/// BC-20: no internal detail in a message; A6 counts words of the runtime wherever they stand.
pub(crate) static RULE: Rule = Rule {
    id: "leak/panic",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling {
        subject: Subject::Bug,
        // What the server did not mean to say need not say more.
        silences: &["message/value-missing", "message/valid-values-missing", "message/hint-missing"],
        // A dump may hold a hint somewhere: nobody wrote it to say so.
        denies_hint: true,
        ..super::HANDLING
    },
    requirements: &["BC-20", "A6", "EE-13", "PD-09"],
    page: LazyLock::new(|| RulePage::read(include_str!("panic.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Check the arguments of this call before using them, and turn any remaining panic into one \
        sentence with a reference to your log.";
    super::judged(context, RULE.id, "a fault in the server itself", help)
}
