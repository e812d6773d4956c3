//! Rules on the form of an error reply as a whole.

pub(super) mod not_emptied;
pub(super) mod problem;
pub(super) mod structured_mismatch;
