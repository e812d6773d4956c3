//! `bash`: runs a command, waits for it or sends it to the background.
//!
//! A command that exits non-zero, dies by a signal or takes too long has run; only one that could not be started is
//! a failed call.

use std::time::Duration;

use super::{Effect, Outcome, Run, Session, Tool};
use crate::failure::Code;
use crate::parameter::{Arguments, Kind, Parameter};
use crate::success::{Holds, Success, field};

const DEFAULT_TIMEOUT_MS: u64 = 120_000;
const MAX_TIMEOUT_MS: i64 = 600_000;

const COMMAND: Parameter =
    Parameter::required("command", Kind::NonEmptyText(Code::BashEmptyCommand), "The shell command to run.");

pub(super) static TOOL: Tool = Tool {
    name: "bash",
    title: "Run a command",
    description: "Runs a command with bash in the working directory. The reply begins with the exit code, which may be \
        non-zero, and holds what was printed. Processes that the command leaves behind are ended with it; for a \
        long-running command set run_in_background and ask for its output with task_output.",
    parameters: &[
        COMMAND,
        Parameter::optional(
            "timeout",
            Kind::Integer(1, MAX_TIMEOUT_MS),
            "Milliseconds after which a command in the foreground is stopped; 120000 if left out.",
        ),
        Parameter::optional(
            "run_in_background",
            Kind::Flag,
            "Return at once with a task_id instead of waiting.",
        ),
    ],
    result: &[
        field("exit_code", Holds::MaybeNumber, "How the command ended; null while it runs."),
        field("stdout", Holds::Text, "What it printed on standard output."),
        field("stderr", Holds::Text, "What it printed on standard error."),
        field("timed_out", Holds::Flag, "Whether it took longer than its timeout and was stopped."),
        field("task_id", Holds::Text, "The id of a command that runs in the background, for task_output."),
    ],
    effect: Effect::Executes,
    run: Run::Command,
};

pub(super) async fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let command = arguments.required("command");
    if command.trim().is_empty() {
        return Err(COMMAND.empty(Code::BashEmptyCommand, TOOL.name));
    }
    let limits = &session.limits;
    let workdir = limits.scope.workdir();
    if arguments.flag("run_in_background") {
        let id = session.tasks.start(&session.shell, command, workdir, limits.tasks, limits.counted)?;
        let text = format!(
            "task_id: {id}\nThe command runs in the background; task_output returns what it \
                printed."
        );
        return Ok(Success::new(text).with("task_id", id));
    }
    let timeout = Duration::from_millis(arguments.integer("timeout").unwrap_or(DEFAULT_TIMEOUT_MS));
    let mut running = session.shell.start(command, workdir)?;
    if let Ok(ending) = tokio::time::timeout(timeout, running.exited()).await {
        let output = running.drained().await;
        return Ok(output.told_after(ending.line(), Some(ending)));
    }
    running.end_group();
    let ending = running.exited().await;
    let output = running.drained().await;
    let text = format!(
        "{}\nThe command took longer than its timeout of {} ms and was stopped.",
        ending.line(),
        timeout.as_millis()
    );
    Ok(output.told_after(text, Some(ending)).with("timed_out", true))
}
