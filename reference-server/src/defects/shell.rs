//! A shell that keeps its exit codes to itself, or counts its tasks wrongly.

use serde_json::Value;

use super::Fault;
use crate::shell::Counted;
use crate::success::Success;
use crate::tools::{Call, Outcome};

pub(super) const FAULTS: &[(&str, Fault)] = &[
    (
        "shell/exit-status/missing",
        Fault::Outcome(|call, outcome, _| {
            ended(call, outcome, |success, rest| {
                let text = match untimed(rest).trim_start() {
                    "" => "(no output)".to_owned(),
                    rest => rest.to_owned(),
                };
                success.with("exit_code", Value::Null).saying(text)
            })
        }),
    ),
    (
        "shell/exit-status/zero",
        Fault::Outcome(|call, outcome, _| {
            ended(call, outcome, |success, rest| {
                let text = format!("exit code: 0{}", untimed(rest));
                success.with("exit_code", 0).with("timed_out", false).saying(text)
            })
        }),
    ),
    (
        "shell/exit-status/timed-out",
        Fault::Outcome(|call, outcome, _| {
            ended(call, outcome, |success, rest| match rest.contains(TIMED_OUT) {
                true => Success::new("exit code: 0").with("exit_code", 0),
                false => success,
            })
        }),
    ),
    (
        "shell/exit-status/killed",
        Fault::Outcome(|call, outcome, _| {
            ended(call, outcome, |success, rest| {
                let is_killed = success.text.starts_with("exit code: 137") && !rest.contains(TIMED_OUT);
                if is_killed {
                    success.with("exit_code", 0).saying(format!("exit code: 0{rest}"))
                } else {
                    success
                }
            })
        }),
    ),
    (
        "shell/exit-status/semicolon",
        Fault::Call(|call, _| {
            let command = call.text("command").filter(|command| command.ends_with(';'));
            if let Some(behind) = command.map(|command| format!("{command}; true")) {
                call.arguments.insert("command".into(), behind.into());
            }
        }),
    ),
    (
        "shell/task-limit/unlimited",
        Fault::Call(|_, session| session.change_limits(|limits| limits.tasks = usize::MAX)),
    ),
    (
        "shell/task-limit/finished-count",
        Fault::Call(|_, session| session.change_limits(|limits| limits.counted = Counted::Started)),
    ),
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
