//! What a refused call did nevertheless.

use super::handling::Subject;
use super::{Handling, Rule};

pub(super) mod changed_files;
pub(super) mod escaped_root;

/// What a tool does is its own affair.
pub(super) const HANDLING: Handling = Handling { subject: Subject::Tool, ..Handling::PLAIN };

/// In the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[&changed_files::RULE, &escaped_root::RULE];
