//! `task_output`: what a background task has printed, and how it ended.

use super::{Effect, Outcome, Run, Session, TEXT, Tool};
use crate::parameter::{Arguments, Parameter};
use crate::success::{Holds, field};

pub(super) static TOOL: Tool = Tool {
    name: "task_output",
    title: "Output of a background task",
    description: "Tells whether a background task still runs, what it has printed so far, and its exit code once it \
        has ended.",
    parameters: &[Parameter::required("task_id", TEXT, "The id that bash returned.")],
    result: &[
        field("status", Holds::Text, "running or finished."),
        field("exit_code", Holds::MaybeNumber, "How the command ended; null while it runs."),
        field("stdout", Holds::Text, "What it has printed on standard output so far."),
        field("stderr", Holds::Text, "What it has printed on standard error so far."),
    ],
    effect: Effect::Reads,
    run: Run::Blocking(run),
};

fn run(session: &Session, arguments: &Arguments) -> Outcome {
    session.tasks.report(arguments.required("task_id"))
}
