//! `envelope/error-in-success`: the reply to a successful call has the members of an error.

use serde_json::Value;

use crate::contract::ReplyForm;
use crate::expectation::Expected;
use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

use super::object;

/// EE-14: a success has none of the error's members. PD-07: it has neither `error` nor `problem`.
pub(crate) static RULE: Rule = Rule {
    id: "envelope/error-in-success",
    tier: Tier::Gated,
    level: Level::Must,
    handling: super::HANDLING,
    requirements: &["EE-14", "PD-07"],
    summary: "the reply to a successful call has the members of an error",
    page: r#"A client that looks for the code, or for `error`, mistakes this success for a failure and does the work again.

**Counts:** a reply to a call that must succeed, not flagged as an error, has one of the members that the contract
reserves for errors, with any value but `null`.

**Does not count:** a reply that is flagged as an error (`channel/false-error`); members that a success may also have,
such as a path; a reply that is not a JSON object; the same member with the value `null`.

**How to fix it:** use separate types for success and failure, and omit members instead of leaving them empty."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/small.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"success\": true, \"content\": \"one\", \"error_code\": \"\", \"recovery_hints\": []}"}]}}"#,
        expected: r#"{"success": {"exit_status": null, "task_limit": false, "why": "the file is a little smaller than the limit"}}"#,
        beside: r#"{"contract": "error-envelope"}"#,
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/small.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"success\": true, \"content\": \"one\"}"}]}}"#,
        expected: r#"{"success": {"exit_status": null, "task_limit": false, "why": "the file is a little smaller than the limit"}}"#,
        beside: r#"{"contract": "error-envelope"}"#,
    },
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let ReplyForm::Json(form) = &context.contract.form else { return Vec::new() };
    let must_succeed = matches!(context.exchange.place.expected, Expected::Success { .. });
    if !must_succeed || !context.answered_without_error() {
        return Vec::new();
    }
    let Some(object) = object::first(&context.exchange.outcome) else { return Vec::new() };
    let is_there = |place: &&String| object.pointer(place).is_some_and(|value| !matches!(value, Value::Null));
    let found: Vec<String> =
        form.error_only.iter().filter(is_there).map(|place| format!("`{place}`")).collect();
    if found.is_empty() {
        return Vec::new();
    }
    let message = format!(
        "`{}` answers a successful call with members that only an error has: {}",
        context.called(),
        found.join(", ")
    );
    let mut diagnostic = Diagnostic::new(message, "Omit these members from every success.");
    diagnostic.evidence = context.reply();
    vec![diagnostic]
}
