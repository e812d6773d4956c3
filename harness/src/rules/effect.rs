//! What a refused call did nevertheless.

pub(super) mod changed_files;
pub(super) mod escaped_root;
