//! `task_output`: what a background task has printed, and how it ended.

use super::{Outcome, Session};
use crate::parameter::Arguments;

pub(super) fn run(session: &Session, arguments: &Arguments) -> Outcome {
    session.tasks.report(arguments.required("task_id"))
}
