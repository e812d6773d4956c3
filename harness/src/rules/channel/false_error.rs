//! `channel/false-error`: a call that must succeed is refused.

use crate::exchange::Expected;
use crate::finding::{Breach, Level};
use crate::rules::{Check, Example, Rule, Scene, Tier};

/// BC-07: one byte under the limit must succeed. BC-21: a command that exits non-zero is not an error.
pub(crate) static RULE: Rule = Rule {
    id: "channel/false-error",
    tier: Tier::Gated,
    level: Level::Must,
    requirements: &["BC-07", "BC-21"],
    summary: "a call that must succeed is refused",
    page: r#"The other side of a limit: what is allowed must work. A command that exits with a status other than zero was run as it
was asked for; its output is what the model wants to see, and it is no failure of the tool.

**Counts:** an error reply to a file one byte below the limit, to a command that ended with a non-zero status, or to
another call that a scenario says must succeed, where a control of the same tool succeeded.

**Does not count:** a new background task that is refused while finished ones are not read (`shell/task-limit`), and a
call that follows a hint (`message/hint-wrong`).

**To mend it:** answer with a success that tells what happened, for a command its exit status and output."#,
    check: Check::Exchange(check),
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

fn check(scene: &Scene<'_>) -> Vec<Breach> {
    let Expected::Success { exit_status, why, task_limit: false, .. } = &scene.exchange.place.expected else {
        return Vec::new();
    };
    if scene.error.is_none() || scene.is_follow() {
        return Vec::new();
    }
    let message = format!("`{}` refuses a call that must succeed: {why}", scene.called());
    let (help, requirement) = match exit_status {
        Some(status) => (
            format!(
                "Answer without `isError`, with the command's output and its exit status ({status}): the tool did what it was asked for."
            ),
            "BC-21",
        ),
        None => ("Accept this call: it keeps the limit that the server sets itself.".to_owned(), "BC-07"),
    };
    let mut breach = Breach::new(message, help).requirement(requirement);
    breach.evidence = scene.reply();
    vec![breach]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::{Expected, Step};
    use crate::rules::stage::Stage;

    #[test]
    fn a_refused_call_that_follows_a_hint_is_another_rules() {
        let why = "it keeps the limit".into();
        let expected = Expected::Success { exit_status: None, why, task_limit: false, changes_file: false };
        let mut stage = Stage::refusal("[INVALID_INPUT] no", &json!({}), expected);
        assert_eq!(super::check(&stage.scene()).len(), 1);
        stage.exchange.place.step = Step::Follow;
        assert!(super::check(&stage.scene()).is_empty());
    }
}
