//! Rules on the form of an error reply as a whole.

pub(super) mod decision;
pub(super) mod structured_mismatch;
