//! Whether a server lives and answers.

pub(super) mod crash;
pub(super) mod lost_after_malformed;
pub(super) mod memory_growth;
pub(super) mod no_reply;
