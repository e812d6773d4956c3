//! `task_output`: what a background task has printed, and how it ended.

use super::{Effect, Outcome, Run, Session, Tool};
use crate::failure::Code;
use crate::parameter::{Arguments, Kind, Parameter, Presence};

pub(super) static TOOL: Tool = Tool {
    name: "task_output",
    title: "Output of a background task",
    description: "Tells whether a background task still runs, what it has printed so far, and its exit code once it \
        has ended.",
    parameters: &[Parameter {
        name: "task_id",
        presence: Presence::Required,
        kind: Kind::NonEmptyText(Code::InvalidInput),
        description: "The id that bash returned.",
    }],
    effect: Effect::Reads,
    run: Run::Blocking(run),
};

fn run(session: &Session, arguments: &Arguments) -> Outcome {
    session.tasks.report(arguments.required("task_id"))
}
