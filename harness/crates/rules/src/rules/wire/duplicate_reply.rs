//! `wire/duplicate-reply`: a request is answered twice.

use std::sync::LazyLock;

use crate::exchange::StrayMessage;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::handling::Attribution;
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};

/// JSON-RPC 2.0, 5: a request has one response.
pub(crate) static RULE: Rule = Rule {
    id: "wire/duplicate-reply",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling { attribution: Attribution::Stray, ..super::HANDLING },
    requirements: &["JSON-RPC 2.0"],
    page: LazyLock::new(|| RulePage::read(include_str!("duplicate_reply.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let strays = context.exchange.strays.iter().filter_map(|stray| {
        let StrayMessage::DuplicateReply(line) = stray else { return None };
        let message = format!("`{}` was answered, and then answered again", context.called());
        let help = "Answer a call in only one place; look for an error handler that answers calls which have \
            already been answered.";
        Some(Diagnostic::new(message, help).evidence(Evidence::whole(line.as_str())))
    });
    strays.collect()
}
