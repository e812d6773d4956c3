//! Rules about the side effects of a refused call.

use super::Rule;

pub(super) mod changed_files;
pub(super) mod done_anyway;
pub(super) mod escaped_root;

/// The rules of this group, in the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[&changed_files::RULE, &done_anyway::RULE, &escaped_root::RULE];
