//! `channel/disguised-error`: an error is sent as a success.

use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::{Context, Rule};
use crate::wording::DisguisedError;

/// A16: an error inside a success is a finding of its own, Should where only the text begins like one.
pub(crate) static RULE: Rule =
    Rule::of_reply("channel/disguised-error", include_str!("disguised_error.toml"), check);

const HELP: &str =
    "Set `isError: true` on this reply: clients and agents branch on the flag, not on the text.";
/// The help for requests that are not tool calls: their results have no `isError`.
const HELP_BESIDE_TOOLS: &str = "Answer with a JSON-RPC error (-32602) that names what is not there: a client takes this text for what it asked for.";

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let tool = context.called();
    // The contract reads its own form of an error as one, flagged or not.
    if context.is_tool_error() && !context.exchange.outcome.is_tool_error() {
        // A17: one finding for each tool, whatever its errors say.
        let message = format!(
            "`{tool}` reports its errors in ordinary results, without `isError: true`, as its contract does"
        );
        let diagnostic = context.diagnostic(message, HELP).level(Level::Should);
        return vec![Diagnostic { folded: true, of_one_tool: true, ..diagnostic }];
    }
    let Some(found) = context.unflagged_failure() else { return Vec::new() };
    let (lacks, help) = match context.exchange.tool() {
        Some(_) => ("has no `isError: true`", HELP),
        None => ("is no JSON-RPC error", HELP_BESIDE_TOOLS),
    };
    let message = match found {
        DisguisedError::Member { name, .. } => {
            format!("`{tool}` says that it failed (`{name}`), but the reply {lacks}")
        }
        DisguisedError::Opening { text, span } => {
            format!("the reply of `{tool}` begins like an error (`{}`), but {lacks}", &text[span.clone()])
        }
        DisguisedError::Statement { text, span } => {
            let words = &text[span.clone()];
            let what = if words == "error" { "failed" } else { "found or achieved nothing" };
            format!("the reply of `{tool}` says that the call {what} (`{words}`), but {lacks}")
        }
        DisguisedError::Refusal { text, span } => {
            let words = &text[span.clone()];
            let did = match (context.condition(), context.changes_files()) {
                (Some("task-limit"), _) => " started nothing and",
                (_, true) => " changed nothing and",
                (_, false) => "",
            };
            format!("`{tool}`{did} says that it refused the call (`{words}`), but the reply {lacks}")
        }
        DisguisedError::Reading { .. } => format!("the reply of `{tool}` reads like an error, but {lacks}"),
    };
    let evidence = match found {
        DisguisedError::Member { text, .. } => Evidence::whole(text.as_str()),
        DisguisedError::Opening { text, span }
        | DisguisedError::Statement { text, span }
        | DisguisedError::Refusal { text, span }
        | DisguisedError::Reading { text, span } => Evidence::marked(text, span.clone()),
    };
    let diagnostic = Diagnostic::new(message, help).evidence(evidence);
    vec![match (found, context.expected_failure()) {
        // That the batch was gone through may count as a success, where none is ruled out.
        (DisguisedError::Member { of_several: true, .. }, Some(failure)) if failure.or_success => {
            diagnostic.level(Level::Should)
        }
        (DisguisedError::Member { .. }, Some(_)) => diagnostic,
        // Only the reply itself says that the call failed: one finding for each tool, whatever its errors say.
        (DisguisedError::Member { name, of_several, .. }, None) => {
            let without = if context.exchange.tool().is_some() {
                "without `isError: true`"
            } else {
                "that is no error"
            };
            let message = format!("`{tool}` reports a failure (`{name}`) in a reply {without}");
            let is_certain = context.is_certain_failure() && !of_several;
            let level = if is_certain { None } else { Some(Level::Should) };
            Diagnostic { message, folded: true, of_one_tool: true, level, ..diagnostic }
        }
        _ => diagnostic.level(Level::Should),
    }]
}
