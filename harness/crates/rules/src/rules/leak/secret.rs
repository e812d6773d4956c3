//! `leak/secret`: a secret comes through.

use std::sync::LazyLock;

use crate::finding::{Diagnostic, Level};
use crate::rules::handling::Harm;
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};

/// The specification of every contract: no secret.
pub(crate) static RULE: Rule = Rule {
    id: "leak/secret",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling { harm: Harm::Secret, ..super::HANDLING },
    requirements: &["BC-20", "A6"],
    page: LazyLock::new(|| RulePage::read(include_str!("secret.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = match context.is_failure_of_service() {
        true => "Say in your own words what failed, and pass on nothing else of the service's response.",
        false => {
            "Name the setting that is wrong, but never its value; keep the environment out of whatever is printed."
        }
    };
    super::judged(context, RULE.id, "a secret", help)
}
