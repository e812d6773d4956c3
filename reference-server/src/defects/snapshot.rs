//! Nothing is wrong with the reply but that nobody has read it before.

use super::{Defect, Fault, breaks, cases};
use crate::contract::Reply;
use crate::failure::Code;

pub(super) const DEFECTS: [Defect; 1] = [Defect {
    name: "snapshot/pending",
    summary: "An unknown task is told in other words, as right as those before.",
    breaks: &[breaks("snapshot/pending", cases::UNKNOWN_TASK)],
    fault: Fault::Reply(|_, failure, reply| match failure {
        Some(failure) if failure.code == Code::BashTaskNotFound => {
            Reply::tool_error(format!("{} Tasks are numbered by the server.", reply.text))
        }
        _ => reply,
    }),
}];
