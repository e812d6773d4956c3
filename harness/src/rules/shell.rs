//! What a shell tells of the commands that it runs.

use super::handling::Subject;
use super::{Handling, Rule};

pub(super) mod exit_status;
pub(super) mod task_limit;

/// What a tool does is its own affair.
pub(super) const HANDLING: Handling = Handling { subject: Subject::Tool, ..Handling::PLAIN };

/// In the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[&exit_status::RULE, &task_limit::RULE];
