//! Rules on what a shell reports of its commands.

use super::handling::{Harm, Subject};
use super::{Handling, Rule};

pub(super) mod exit_status;
pub(super) mod task_limit;

/// What each tool does is a place of its own in the server.
pub(super) const HANDLING: Handling =
    Handling { harm: Harm::FalseSuccess, subject: Subject::Tool, ..Handling::PLAIN };

/// The rules of this group, in the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[&exit_status::RULE, &task_limit::RULE];
