//! `bash`: runs a command, waits for it or sends it to the background.
//!
//! A command that exits non-zero, dies by a signal or takes too long has run; only one that could not be started is
//! a failed call.

use std::time::Duration;

use super::{Outcome, Session};
use crate::failure::Code;
use crate::parameter::{self, Arguments};
use crate::success::Success;

const DEFAULT_TIMEOUT_MS: u64 = 120_000;

pub(super) async fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let command = arguments.required("command");
    if command.trim().is_empty() {
        return Err(parameter::empty("command", Code::BashEmptyCommand, "bash"));
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
