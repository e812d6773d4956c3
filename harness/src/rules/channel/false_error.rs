//! `channel/false-error`: a call that must succeed is refused.

use crate::expectation::Expected;
use crate::finding::{Diagnostic, Level};
use crate::rules::handling::Subject;
use crate::rules::{Context, Example, Handling, Rule, RuleCheck, Tier};

/// BC-07: one byte under the limit must succeed. BC-21: a command that exits non-zero is not an error.
pub(crate) static RULE: Rule = Rule {
    id: "channel/false-error",
    tier: Tier::Gated,
    level: Level::Must,
    handling: Handling { subject: Subject::Fault, ..super::HANDLING },
    requirements: &["BC-07", "BC-21", "MCP isError"],
    summary: "a call that must succeed is refused",
    page: r#"This is the other side of a limit: what is allowed must work. A command that exits with a non-zero status was still run
as requested; the model wants to see its output, and the tool has not failed.

**Counts:** an error reply for a file one byte below the limit, for a command that ended with a non-zero status, or for
any other call that must succeed according to a scenario, if a control of the same tool succeeded.

This is a Should if the contract does not promise it, and a Note if it is about an exit status, where it says nothing of
these.

**Does not count:** a new background task that is refused while the output of finished ones is unread
(`shell/task-limit`); a call that follows a hint (`message/hint-wrong`).

**How to fix it:** answer with a success that says what happened: for a command, its exit status and output."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "bash", "arguments": {"command": "exit 3"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] The command failed with exit status 3."}],"isError":true}}"#,
        expected: r#"{"success": {"exit_status": 3, "why": "a non-zero exit status is a result", "task_limit": false}}"#,
        beside: "{}",
    },
    good: Example {
        call: r#"{"tool": "bash", "arguments": {"command": "exit 3"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"(no output)\n\nexit status 3"}]}}"#,
        expected: r#"{"success": {"exit_status": 3, "why": "a non-zero exit status is a result", "task_limit": false}}"#,
        beside: "{}",
    },
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Expected::Success { exit_status, why, task_limit: false, .. } = &context.exchange.place.expected
    else {
        return Vec::new();
    };
    if context.error.is_none() || context.is_follow() {
        return Vec::new();
    }
    let message = format!("`{}` refuses a call that must succeed: {why}", context.called());
    let (help, requirement) = match exit_status {
        Some(status) => (
            format!(
                "Answer without `isError`, with the command's output and its exit status ({status}): the \
                 tool did what it was asked to do."
            ),
            "BC-21",
        ),
        None => ("Accept this call: it is within the server's own limit.".to_owned(), "BC-07"),
    };
    let mut diagnostic = Diagnostic::new(message, help);
    let is_promised = context.contract.requirements.contains_key(requirement);
    diagnostic = match (is_promised, exit_status) {
        (true, _) => diagnostic.requirement(requirement),
        // Without a promise it is a matter of taste whether a status is an error.
        (false, Some(_)) => diagnostic.level(Level::Note),
        (false, None) => diagnostic.level(Level::Should),
    };
    diagnostic.evidence = context.reply();
    vec![diagnostic]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::Step;
    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    #[test]
    fn a_status_that_counts_as_an_error_is_a_must_only_where_the_contract_says_that_it_is_none() {
        let why = "a non-zero exit status is a result".into();
        let expected =
            Expected::Success { exit_status: Some(3), why, task_limit: false, changes_file: false };
        let mut fixture = Fixture::refusal("exit status 3", &json!({}), expected);
        let diagnostic = super::check(&fixture.context()).remove(0);
        assert_eq!((diagnostic.level, diagnostic.requirement), (Some(super::Level::Note), None));
        fixture.contract.requirements.insert("BC-21".to_owned(), "It is no error.".to_owned());
        let diagnostic = super::check(&fixture.context()).remove(0);
        assert_eq!((diagnostic.level, diagnostic.requirement.as_deref()), (None, Some("BC-21")));
    }

    #[test]
    fn a_refused_call_that_follows_a_hint_is_another_rules() {
        let why = "it keeps the limit".into();
        let expected = Expected::Success { exit_status: None, why, task_limit: false, changes_file: false };
        let mut fixture = Fixture::refusal("[INVALID_INPUT] no", &json!({}), expected);
        assert_eq!(super::check(&fixture.context()).len(), 1);
        fixture.exchange.place.step = Step::Follow;
        assert!(super::check(&fixture.context()).is_empty());
    }
}
