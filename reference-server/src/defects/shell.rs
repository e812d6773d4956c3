//! A shell that keeps its exit codes to itself, or counts its tasks wrongly.

use super::{Defect, Fault, breaks, cases, everywhere};
use crate::contract::{Channel, Reply};
use crate::shell::Counted;
use crate::tools::Call;

const EXIT_STATUS: &str = "shell/exit-status";
const TASK_LIMIT: &str = "shell/task-limit";

pub(super) const DEFECTS: [Defect; 5] = [
    Defect {
        name: "shell/exit-status/missing",
        summary: "What a command printed is told without its exit code.",
        breaks: &[breaks(EXIT_STATUS, cases::NON_ZERO_EXIT)],
        fault: Fault::Reply(|call, _, reply| {
            first_line(call, reply, |rest| match rest.trim_start() {
                "" => "(no output)".into(),
                rest => rest.into(),
            })
        }),
    },
    Defect {
        name: "shell/exit-status/zero",
        summary: "Every command is told to have exited with 0.",
        breaks: &[everywhere(EXIT_STATUS, cases::NON_ZERO_EXIT)],
        fault: Fault::Reply(|call, _, reply| first_line(call, reply, |rest| format!("exit code: 0{rest}"))),
    },
    Defect {
        name: "shell/exit-status/timed-out",
        summary: "A command that was stopped for its time limit is told to have ended well.",
        breaks: &[breaks(EXIT_STATUS, &["shell/timed-out"])],
        fault: Fault::Reply(|call, _, reply| match reply.text.contains("took longer than its timeout") {
            true => first_line(call, reply, |_| "exit code: 0".into()),
            false => reply,
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

/// Replaces the line with a non-zero exit code, given what follows it.
fn first_line(call: &Call, reply: Reply, text: impl FnOnce(&str) -> String) -> Reply {
    let is_command = call.tool.name == "bash" && reply.channel == Channel::Success;
    if !is_command || !reply.text.starts_with("exit code: ") || is_zero(&reply.text) {
        return reply;
    }
    let end = reply.text.find('\n').unwrap_or(reply.text.len());
    Reply::success(text(&reply.text[end..]))
}
