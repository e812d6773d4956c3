//! Texts that nobody has read yet.

use super::Rule;

pub(super) mod pending;

/// In the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[&pending::RULE];
