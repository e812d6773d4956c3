//! `wire/wrong-id`: a response has an id that no request had.

use std::sync::LazyLock;

use crate::exchange::StrayMessage;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::handling::Attribution;
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};

/// JSON-RPC 2.0, 5: the id of a response "MUST be the same as the value of the id member in the Request Object".
pub(crate) static RULE: Rule = Rule {
    id: "wire/wrong-id",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling { attribution: Attribution::Stray, ..super::HANDLING },
    requirements: &["JSON-RPC 2.0"],
    page: LazyLock::new(|| RulePage::read(include_str!("wrong_id.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let strays = context.exchange.strays.iter().filter_map(|stray| {
        let StrayMessage::WrongId(line) = stray else { return None };
        let message = format!("a response came after `{}` with an id that no request had", context.called());
        let help = "Send the request's `id` back unchanged: a number as the same number, a string as the same \
             string.";
        Some(Diagnostic::new(message, help).evidence(Evidence::whole(line.as_str())))
    });
    strays.collect()
}
