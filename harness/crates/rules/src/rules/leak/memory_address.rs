//! `leak/memory-address`: an address in the server's memory comes through.

use std::sync::LazyLock;

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Rule, RuleCheck, RulePage, Tier};

/// BC-20: no internal detail in a message.
pub(crate) static RULE: Rule = Rule {
    id: "leak/memory-address",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: super::HANDLING,
    requirements: &["BC-20", "A6"],
    page: LazyLock::new(|| RulePage::read(include_str!("memory_address.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Print what the object stands for instead of the object: give its type a text representation, or \
         leave it out.";
    super::judged(context, RULE.id, "an address in memory", help)
}
