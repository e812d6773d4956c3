//! Whether a server lives and answers.

pub(super) mod crash;
pub(super) mod no_reply;
