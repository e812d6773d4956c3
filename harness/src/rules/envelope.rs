//! Rules on the form of an error reply as a whole.

pub(super) mod structured_mismatch;
