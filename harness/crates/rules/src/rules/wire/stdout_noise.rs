//! `wire/stdout-noise`: standard output contains lines that are not messages.

use crate::finding::{Diagnostic, Evidence};
use crate::rules::{Context, Rule};

/// MCP, stdio: "The server MUST NOT write anything to its stdout that is not a valid MCP message."
pub(crate) static RULE: Rule = Rule::of_reply("wire/stdout-noise", include_str!("stdout_noise.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let noise = &context.exchange.noise;
    let Some(first) = noise.first() else { return Vec::new() };
    // The same words for one line or many, so that they are one finding.
    let message =
        format!("the server wrote what is no JSON-RPC message on standard output (lines: {})", noise.len());
    let help = "Write logs to standard error; standard output is only for the protocol.";
    vec![Diagnostic::new(message, help).evidence(Evidence::whole(first.as_str()))]
}
