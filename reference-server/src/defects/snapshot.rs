//! Nothing is wrong with the reply but that nobody has read it before.

use super::{Defect, Fault, cases, everywhere};
use crate::failure::Code;

pub(super) static DEFECTS: &[Defect] = &[Defect {
    name: "snapshot/pending",
    summary: "An unknown task is told in other words, as right as those before.",
    breaks: &[everywhere("snapshot/pending", cases::UNKNOWN_TASK)],
    fault: Fault::ReplyTo(Code::BashTaskNotFound, |_, _, reply| {
        reply.reworded(|message| format!("{message} Tasks are numbered by the server."))
    }),
}];
