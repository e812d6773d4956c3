//! Nothing is wrong with the reply but that nobody has read it before.

use super::Fault;
use crate::failure::Code;

pub(super) const FAULTS: &[(&str, Fault)] = &[(
    "snapshot/pending",
    Fault::ReplyTo(Code::BashTaskNotFound, |_, _, reply| {
        reply.reworded(|message| format!("{message} Tasks are numbered by the server."))
    }),
)];
