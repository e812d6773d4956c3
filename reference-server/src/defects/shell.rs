//! A shell that keeps its exit codes to itself, or counts its tasks wrongly.

use serde_json::Value;

use super::{Defect, Fault, breaks, cases, everywhere};
use crate::shell::Counted;
use crate::success::Success;
use crate::tools::{Call, Outcome};

const EXIT_STATUS: &str = "shell/exit-status";
const TASK_LIMIT: &str = "shell/task-limit";

pub(super) static DEFECTS: &[Defect] = &[
    Defect {
        name: "shell/exit-status/missing",
        summary: "What a command printed is told without its exit code.",
        breaks: &[breaks(EXIT_STATUS, cases::FAILED_COMMAND)],
        fault: Fault::Outcome(|call, outcome, _| {
            ended(call, outcome, |success, rest| {
                let text = match untimed(rest).trim_start() {
                    "" => "(no output)".to_owned(),
                    rest => rest.to_owned(),
                };
                success.with("exit_code", Value::Null).saying(text)
            })
        }),
    },
    Defect {
        name: "shell/exit-status/zero",
        summary: "Every command that ended is told to have exited with 0.",
        breaks: &[everywhere(EXIT_STATUS, cases::FAILED_COMMAND)],
        fault: Fault::Outcome(|call, outcome, _| {
            ended(call, outcome, |success, rest| {
                let text = format!("exit code: 0{}", untimed(rest));
                success.with("exit_code", 0).with("timed_out", false).saying(text)
            })
        }),
    },
    Defect {
        name: "shell/exit-status/timed-out",
        summary: "A command that was stopped for its time limit is told to have ended well.",
        breaks: &[breaks(EXIT_STATUS, &["expect.exit-status=124"])],
        fault: Fault::Outcome(|call, outcome, _| {
            ended(call, outcome, |success, rest| match rest.contains(TIMED_OUT) {
                true => Success::new("exit code: 0").with("exit_code", 0),
                false => success,
            })
        }),
    },
    Defect {
        name: "shell/exit-status/killed",
        summary: "A command that a signal killed is told to have exited with 0.",
        breaks: &[breaks(EXIT_STATUS, &["expect.exit-status=137"])],
        fault: Fault::Outcome(|call, outcome, _| {
            ended(call, outcome, |success, rest| {
                let is_killed = success.text.starts_with("exit code: 137") && !rest.contains(TIMED_OUT);
                if is_killed {
                    success.with("exit_code", 0).saying(format!("exit code: 0{rest}"))
                } else {
                    success
                }
            })
        }),
    },
    Defect {
        name: "shell/exit-status/semicolon",
        summary: "Another command is put behind each, which makes a syntax error of a semicolon at its end.",
        breaks: &[breaks(EXIT_STATUS, &["shell/ends-in-semicolon"])],
        fault: Fault::Call(|call, _| {
            let command = call.text("command").filter(|command| command.ends_with(';'));
            if let Some(behind) = command.map(|command| format!("{command}; true")) {
                call.arguments.insert("command".into(), behind.into());
            }
        }),
    },
    Defect {
        name: "shell/task-limit/unlimited",
        summary: "Background tasks are started without end.",
        breaks: &[everywhere(TASK_LIMIT, cases::TASK_LIMIT)],
        fault: Fault::Call(|_, session| session.change_limits(|limits| limits.tasks = usize::MAX)),
    },
    Defect {
        name: "shell/task-limit/finished-count",
        summary: "A background task counts against the limit also when it has ended.",
        breaks: &[breaks(TASK_LIMIT, &["needs=task-limit !*"])],
        fault: Fault::Call(|_, session| session.change_limits(|limits| limits.counted = Counted::Started)),
    },
];

/// What is told of a command whose time was up.
const TIMED_OUT: &str = "took longer than its timeout";

/// What is told without that the command's time was up.
fn untimed(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.contains(TIMED_OUT)).collect()
}

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
