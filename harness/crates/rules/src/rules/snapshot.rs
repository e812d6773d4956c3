//! Rules on texts that nobody has reviewed yet.

use super::Rule;

pub(super) mod pending;

/// The rules of this group, in the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[&pending::RULE];
