//! What a refused call did nevertheless.

use super::Rule;

pub(super) mod changed_files;
pub(super) mod escaped_root;

/// In the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[&changed_files::RULE, &escaped_root::RULE];
