//! Rules about the side effects of a refused call.

use super::handling::{Harm, Subject};
use super::{Handling, Rule};

pub(super) mod changed_files;
pub(super) mod done_anyway;
pub(super) mod escaped_root;

/// What each tool does is a place of its own in the server.
pub(super) const HANDLING: Handling =
    Handling { harm: Harm::DataLoss, subject: Subject::Tool, ..Handling::PLAIN };

/// The rules of this group, in the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[&changed_files::RULE, &done_anyway::RULE, &escaped_root::RULE];
