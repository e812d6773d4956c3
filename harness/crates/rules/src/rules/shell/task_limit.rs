//! `shell/task-limit`: the limit on background tasks is not enforced.

use crate::expectation::Expected;
use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Rule};

/// BC-11: 10 background tasks run and another is asked for; when one ends, a new one is accepted again.
pub(crate) static RULE: Rule = Rule::of_reply("shell/task-limit", include_str!("task_limit.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let tool = context.called();
    let finished_count =
        matches!(context.exchange.place.expected, Expected::Success { task_limit: true, .. })
            && context.error.is_some();
    let accepted = context.condition() == Some("task-limit")
        && context.answered_without_error()
        && context.disguised_error().is_none();
    if finished_count {
        let message = format!(
            "`{tool}` refuses a new background task although one has ended: it counts finished \
                tasks"
        );
        let help = "Count only the tasks that are running when a new one is requested.";
        vec![context.diagnostic(message, help).level(Level::Should)]
    } else if accepted {
        let limit = context.head.limits.background_tasks.unwrap_or(10);
        let message = format!("`{tool}` accepts another background task while {limit} are running");
        let level = if context.declared { Level::Must } else { Level::Should };
        let help = "Refuse it with BASH_TASK_LIMIT, and say how to end or read one.";
        vec![context.diagnostic(message, help).level(level)]
    } else {
        Vec::new()
    }
}
