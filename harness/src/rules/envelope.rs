//! Rules on the form of an error reply as a whole.

pub(super) mod not_emptied;
pub(super) mod problem;
pub(super) mod context;
pub(super) mod edit_status;
mod edits;
pub(super) mod location;
pub(super) mod structured_mismatch;
mod verbatim;
