//! A shell that keeps its exit codes to itself, or counts its tasks wrongly.

use serde_json::Value;

use super::{Defect, Fault, breaks, cases, everywhere};
use crate::shell::Counted;
use crate::success::Success;
use crate::tools::{Call, Outcome};

const EXIT_STATUS: &str = "shell/exit-status";
const TASK_LIMIT: &str = "shell/task-limit";

pub(super) const DEFECTS: [Defect; 5] = [
    Defect {
        name: "shell/exit-status/missing",
        summary: "What a command printed is told without its exit code.",
        breaks: &[breaks(EXIT_STATUS, cases::NON_ZERO_EXIT)],
        fault: Fault::Outcome(|call, outcome, _| {
            ended(call, outcome, |success, rest| {
                let text = match rest.trim_start() {
                    "" => "(no output)",
                    rest => rest,
                };
                success.with("exit_code", Value::Null).saying(text)
            })
        }),
    },
    Defect {
        name: "shell/exit-status/zero",
        summary: "Every command that ended is told to have exited with 0.",
        breaks: &[everywhere(EXIT_STATUS, cases::NON_ZERO_EXIT)],
        fault: Fault::Outcome(|call, outcome, _| {
            ended(call, outcome, |success, rest| match rest.contains("took longer than its timeout") {
                true => success,
                false => success.with("exit_code", 0).saying(format!("exit code: 0{rest}")),
            })
        }),
    },
    Defect {
        name: "shell/exit-status/timed-out",
        summary: "A command that was stopped for its time limit is told to have ended well.",
        breaks: &[breaks(EXIT_STATUS, &["shell/timed-out"])],
        fault: Fault::Outcome(|call, outcome, _| {
            ended(call, outcome, |success, rest| match rest.contains("took longer than its timeout") {
                true => Success::new("exit code: 0").with("exit_code", 0),
                false => success,
            })
        }),
    },
    Defect {
        name: "shell/task-limit/unlimited",
        summary: "Background tasks are started without end.",
        breaks: &[everywhere(TASK_LIMIT, &["shell/task-limit"])],
        fault: Fault::Call(|_, session| {
            session.change_limits(|limits| limits.tasks = usize::MAX);
            Ok(())
        }),
    },
    Defect {
        name: "shell/task-limit/finished-count",
        summary: "A background task counts against the limit also when it has ended.",
        breaks: &[breaks(TASK_LIMIT, &["shell/task-freed"])],
        fault: Fault::Call(|_, session| {
            session.change_limits(|limits| limits.counted = Counted::Started);
            Ok(())
        }),
    },
];

/// Whether the first line tells exit code 0.
pub(super) fn is_zero(text: &str) -> bool {
    text.lines().next() == Some("exit code: 0")
}

/// Changes what is told of a command that ended with another exit code than 0, given what follows the line with it.
fn ended(call: &Call, outcome: Outcome, change: impl FnOnce(Success, &str) -> Success) -> Outcome {
    outcome.map(|success| {
        let text = success.text.clone();
        let end = text.find('\n').unwrap_or(text.len());
        let is_command = call.tool.name == "bash" && text.starts_with("exit code: ");
        if is_command && !is_zero(&text) { change(success, &text[end..]) } else { success }
    })
}
