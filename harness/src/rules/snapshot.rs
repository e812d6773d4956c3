//! Texts that nobody has read yet.

pub(super) mod pending;
