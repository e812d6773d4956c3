//! Rules on whether a server is alive and answers.

use super::Rule;

pub(super) mod crash;
pub(super) mod lost_after_malformed;
pub(super) mod memory_growth;
pub(super) mod no_reply;

/// The rules of this group, in the order in which they are listed.
pub(super) static RULES: &[&Rule] =
    &[&no_reply::RULE, &crash::RULE, &lost_after_malformed::RULE, &memory_growth::RULE];
