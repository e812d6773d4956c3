//! Rules on what a shell reports of its commands.

use super::Rule;

pub(super) mod exit_status;
pub(super) mod task_limit;

/// The rules of this group, in the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[&exit_status::RULE, &task_limit::RULE];
