//! `leak/internal-path`: a path of the server's own installation comes through.

use std::sync::LazyLock;

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Rule, RuleCheck, RulePage, Tier};

/// The specification of every contract: no path of the server's own installation.
pub(crate) static RULE: Rule = Rule {
    id: "leak/internal-path",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: super::HANDLING,
    requirements: &["BC-20", "A6"],
    page: LazyLock::new(|| RulePage::read(include_str!("internal_path.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Name the parameter or the setting, and leave out where the server is installed.";
    super::judged(context, RULE.id, "a path of the server's installation", help)
}
