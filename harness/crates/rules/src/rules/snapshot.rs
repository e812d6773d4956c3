//! Rules on texts that nobody has reviewed yet.

use super::handling::{Harm, Subject};
use super::{Handling, Rule};

pub(super) mod pending;

/// Each text is reviewed by itself.
pub(super) const HANDLING: Handling =
    Handling { subject: Subject::Review, harm: Harm::Review, ..Handling::PLAIN };

/// The rules of this group, in the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[&pending::RULE];
