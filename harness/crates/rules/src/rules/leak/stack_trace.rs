//! `leak/stack-trace`: frames of the server's own call stack come through.

use std::sync::LazyLock;

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};

/// BC-20: no stack trace in a message.
pub(crate) static RULE: Rule = Rule {
    id: "leak/stack-trace",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling { denies_hint: true, of_runtime: true, ..super::HANDLING },
    requirements: &["BC-20", "EE-13", "PD-09", "A6"],
    page: LazyLock::new(|| RulePage::read(include_str!("stack_trace.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Answer with one sentence for the caller, and write the trace to the log, where only you can read \
         it.";
    super::judged(context, RULE.id, "the server's call stack", help)
}
