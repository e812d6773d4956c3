//! `wire/stdout-noise`: standard output contains lines that are not messages.

use std::sync::LazyLock;

use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::handling::Attribution;
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};

/// MCP, stdio: "The server MUST NOT write anything to its stdout that is not a valid MCP message."
pub(crate) static RULE: Rule = Rule {
    id: "wire/stdout-noise",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling { attribution: Attribution::Stray, ..super::HANDLING },
    requirements: &["MCP stdio transport"],
    page: LazyLock::new(|| RulePage::read(include_str!("stdout_noise.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let noise = &context.exchange.noise;
    let Some(first) = noise.first() else { return Vec::new() };
    // The same words for one line or many, so that they are one finding.
    let message =
        format!("the server wrote what is no JSON-RPC message on standard output (lines: {})", noise.len());
    let help = "Write logs to standard error; standard output is only for the protocol.";
    vec![Diagnostic::new(message, help).evidence(Evidence::whole(first.as_str()))]
}
