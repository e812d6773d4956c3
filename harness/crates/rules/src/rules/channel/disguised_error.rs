//! `channel/disguised-error`: an error is sent as a success.

use std::ops::Range;
use std::sync::LazyLock;

use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::handling::{FixCheck, Premise, Recheck, Retold};
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};
use crate::wording::DisguisedError;

/// A16: an error inside a success is a finding of its own, Should where only the text begins like one.
pub(crate) static RULE: Rule = Rule {
    id: "channel/disguised-error",
    tier: Tier::Softened,
    level: Level::Must,
    handling: Handling {
        recheck: Recheck::Always,
        premise: Premise::Nothing,
        fixed: FixCheck::Refused,
        retold: Retold::Passage,
        ..super::HANDLING
    },
    requirements: &["A16", "A17"],
    page: LazyLock::new(|| RulePage::read(include_str!("disguised_error.toml"))),
    check: RuleCheck::Exchange(check),
};

const HELP: &str =
    "Set `isError: true` on this reply: clients and agents branch on the flag, not on the text.";
/// The help for requests that are not tool calls: their results have no `isError`.
const HELP_BESIDE_TOOLS: &str = "Answer with a JSON-RPC error (-32602) that names what is not there: a client takes this text for what it asked for.";

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let tool = context.called();
    if is_contracts_own(context) {
        // A17: one finding for each tool, whatever its errors say.
        let message = format!(
            "`{tool}` reports its errors in ordinary results, without `isError: true`, as its contract does"
        );
        let diagnostic = Diagnostic::new(message, HELP).level(Level::Should);
        return vec![Diagnostic { folded: true, of_one_tool: true, evidence: context.reply(), ..diagnostic }];
    }
    let Some(found) = context.unflagged_failure() else { return Vec::new() };
    let (lacks, help) = match context.exchange.tool() {
        Some(_) => ("has no `isError: true`", HELP),
        None => ("is no JSON-RPC error", HELP_BESIDE_TOOLS),
    };
    let diagnostic = match found {
        DisguisedError::Member { name, text } => {
            Diagnostic::new(format!("`{tool}` says that it failed (`{name}`), but the reply {lacks}"), help)
                .evidence(Evidence::whole(text.as_str()))
        }
        DisguisedError::Opening { text, span } => {
            let words = &text[span.clone()];
            let message = format!("the reply of `{tool}` begins like an error (`{words}`), but {lacks}");
            Diagnostic::new(message, help).evidence(marked(text, span)).level(Level::Should)
        }
        DisguisedError::Statement { text, span } => {
            let words = &text[span.clone()];
            let what = if words == "error" { "failed" } else { "found or achieved nothing" };
            let message = format!("the reply of `{tool}` says that the call {what} (`{words}`), but {lacks}");
            Diagnostic::new(message, help).evidence(marked(text, span)).level(Level::Should)
        }
        DisguisedError::Refusal { text, span } => {
            let words = &text[span.clone()];
            let did = match (context.condition(), context.changes_files()) {
                (Some("task-limit"), _) => " started nothing and",
                (_, true) => " changed nothing and",
                (_, false) => "",
            };
            let message =
                format!("`{tool}`{did} says that it refused the call (`{words}`), but the reply {lacks}");
            Diagnostic::new(message, help).evidence(marked(text, span)).level(Level::Should)
        }
        DisguisedError::Reading { text, span } => {
            let message = format!("the reply of `{tool}` reads like an error, but {lacks}");
            Diagnostic::new(message, help).evidence(marked(text, span)).level(Level::Should)
        }
    };
    vec![match (found, context.expected_failure()) {
        (_, Some(_)) => diagnostic,
        // Only the reply itself says that the call failed: one finding for each tool, whatever its errors say.
        (DisguisedError::Member { name, .. }, None) => {
            let without = if context.exchange.tool().is_some() {
                "without `isError: true`"
            } else {
                "that is no error"
            };
            let message = format!("`{tool}` reports a failure (`{name}`) in a reply {without}");
            let level = if context.is_certain_failure() { None } else { Some(Level::Should) };
            Diagnostic { message, folded: true, of_one_tool: true, level, ..diagnostic }
        }
        (_, None) => diagnostic.level(Level::Should),
    }]
}

fn marked(text: &str, span: &Range<usize>) -> Evidence {
    Evidence::marked(text, span.clone())
}

/// Whether the reply is an error in the contract's own form without the flag: the contract reads it as an error
/// anyway.
fn is_contracts_own(context: &Context<'_>) -> bool {
    context.is_tool_error() && !context.exchange.outcome.is_tool_error()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::Outcome;
    use crate::expectation::Expected;
    use crate::finding::Level;
    use crate::rules::fixture::Fixture;

    fn fixture(text: &str) -> Fixture {
        let expected: Expected = serde_json::from_value(json!({"failure": {"condition": "path-not-found", "value": null, "hint": null, "valid_values_of": null}})).expect("an expectation");
        let mut fixture = Fixture::refusal("", &json!({"path": "/workspace/x"}), expected);
        fixture.exchange.outcome = Outcome::Result(json!({"content": [{"type": "text", "text": text}]}));
        fixture.answered()
    }

    #[test]
    fn a_request_beside_the_tools_has_no_flag_to_set() {
        let mut fixture = fixture("Error retrieving schema: table x not found");
        fixture.exchange.call.tool = None;
        fixture.exchange.call.method = "resources/read".to_owned();
        let found = super::check(&fixture.answered().context());
        assert!(found[0].message.ends_with("but is no JSON-RPC error"), "{}", found[0].message);
        assert!(!found[0].help.contains("isError"), "{}", found[0].help);
    }

    #[test]
    fn an_unflagged_problem_of_the_contract_is_one_finding_for_each_tool() {
        let fixture = Fixture::of(&crate::rules::Example {
            call: r#"{"tool": "view", "arguments": {"path": "a"}}"#.to_owned(),
            reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"error\": \"no a\", \"problem\": {\"code\": \"file-not-found\", \"detail\": \"no a\"}}"}]}}"#.to_owned(),
            expected: crate::expectation::Expected::Anything,
            beside: r#"{"contract": "problem-details"}"#.to_owned(),
        });
        let diagnostics = super::check(&fixture.context());
        assert_eq!(diagnostics.len(), 1);
        assert!(diagnostics[0].folded && diagnostics[0].level == Some(Level::Should));
    }
}
