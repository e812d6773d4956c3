//! Texts that nobody has read yet.

use super::handling::Subject;
use super::{Handling, Rule};

pub(super) mod pending;

/// Each text is to be read by itself.
pub(super) const HANDLING: Handling = Handling { subject: Subject::Review, ..Handling::PLAIN };

/// In the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[&pending::RULE];
