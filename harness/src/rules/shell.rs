//! What a shell tells of the commands that it runs.

use super::Rule;

pub(super) mod exit_status;
pub(super) mod task_limit;

/// In the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[&exit_status::RULE, &task_limit::RULE];
