//! `shell/task-limit`: the limit on background tasks is not enforced.

use std::sync::LazyLock;

use crate::expectation::Expected;
use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};

/// BC-11: 10 background tasks run and another is asked for; when one ends, a new one is accepted again.
pub(crate) static RULE: Rule = Rule {
    id: "shell/task-limit",
    tier: Tier::Gated,
    level: Level::Must,
    handling: Handling { silences: &["channel/accepted-bad-input"], ..super::HANDLING },
    requirements: &["BC-11", "A11"],
    page: LazyLock::new(|| RulePage::read(include_str!("task_limit.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let tool = context.called();
    let finished_count =
        matches!(context.exchange.place.expected, Expected::Success { task_limit: true, .. })
            && context.error.is_some();
    let accepted = context.condition() == Some("task-limit")
        && context.answered_without_error()
        && context.disguised_error().is_none();
    let mut diagnostic = if finished_count {
        let message = format!(
            "`{tool}` refuses a new background task although one has ended: it counts finished \
                tasks"
        );
        Diagnostic::new(message, "Count only the tasks that are running when a new one is requested.")
            .level(Level::Should)
    } else if accepted {
        let limit = context.head.limits.background_tasks.unwrap_or(10);
        let message = format!("`{tool}` accepts another background task while {limit} are running");
        let level = if context.declared { Level::Must } else { Level::Should };
        Diagnostic::new(message, "Refuse it with BASH_TASK_LIMIT, and say how to end or read one.")
            .level(level)
    } else {
        return Vec::new();
    };
    diagnostic.evidence = context.reply();
    vec![diagnostic]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::Outcome;
    use crate::expectation::Expected;
    use crate::finding::Level;
    use crate::rules::fixture::Fixture;

    #[test]
    fn finished_tasks_that_count_are_a_should() {
        let expected = Expected::Success {
            exit_status: None,
            why: "one ended".into(),
            task_limit: true,
            changes_file: false,
        };
        let fixture = Fixture::refusal("[BASH_TASK_LIMIT] 10 tasks", &json!({}), expected);
        assert_eq!(super::check(&fixture.context())[0].level, Some(Level::Should));
    }

    #[test]
    fn who_refuses_in_words_has_not_accepted() {
        let expected = json!({"failure": {"condition": "task-limit", "value": {"count": 10}, "hint": null, "valid_values_of": null}});
        for text in [
            "10 of 10 background tasks are running: too many.",
            "The limit of ten tasks is reached.",
            "No new task was started: too many run.",
        ] {
            let mut fixture = Fixture::refusal(
                "",
                &json!({}),
                serde_json::from_value(expected.clone()).expect("an expectation"),
            );
            fixture.exchange.outcome = Outcome::Result(json!({"content": [{"type": "text", "text": text}]}));
            assert!(super::check(&fixture.answered().context()).is_empty(), "{text}");
        }
        let mut fixture =
            Fixture::refusal("", &json!({}), serde_json::from_value(expected).expect("an expectation"));
        let text = "Started t11. The limit is not near, output was not found yet.";
        fixture.exchange.outcome = Outcome::Result(json!({"content": [{"type": "text", "text": text}]}));
        assert_eq!(super::check(&fixture.answered().context()).len(), 1);
    }

    #[test]
    fn only_a_limit_on_background_tasks_is_judged() {
        let failure = |condition: &str| {
            let expected = json!({"failure": {"condition": condition, "value": null, "hint": null, "valid_values_of": null}});
            serde_json::from_value::<Expected>(expected).expect("an expectation")
        };
        let success = |task_limit: bool| {
            let why = "one ended".to_owned();
            Expected::Success { exit_status: None, why, task_limit, changes_file: false }
        };
        let judged = |expected: Expected, is_error: bool| {
            let mut fixture = Fixture::refusal("", &json!({}), expected);
            let content = json!([{"type": "text", "text": "started t11"}]);
            fixture.exchange.outcome = Outcome::Result(json!({"content": content, "isError": is_error}));
            super::check(&fixture.answered().context()).len()
        };
        for (expected, refused, accepted) in [
            (success(true), 1, 0),
            (success(false), 0, 0),
            (Expected::Anything, 0, 0),
            (failure("task-limit"), 0, 1),
            (failure("empty-command"), 0, 0),
        ] {
            let found = (judged(expected.clone(), true), judged(expected.clone(), false));
            assert_eq!(found, (refused, accepted), "{expected:?}");
        }
    }

    #[test]
    fn one_task_too_many_is_a_must_where_the_contract_is_declared() {
        let expected = json!({"failure": {"condition": "task-limit", "value": null, "hint": null, "valid_values_of": null}});
        let mut fixture =
            Fixture::refusal("", &json!({}), serde_json::from_value(expected).expect("an expectation"));
        fixture.exchange.outcome =
            Outcome::Result(json!({"content": [{"type": "text", "text": "started t11"}]}));
        let mut fixture = fixture.answered();
        assert_eq!(super::check(&fixture.context())[0].level, Some(Level::Must));
        fixture.declared = false;
        assert_eq!(super::check(&fixture.context())[0].level, Some(Level::Should));
    }
}
