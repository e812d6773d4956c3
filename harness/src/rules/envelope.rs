//! Rules on the form of an error reply as a whole.

pub(super) mod context;
pub(super) mod edit_status;
mod edits;
pub(super) mod error_in_success;
pub(super) mod hints;
pub(super) mod location;
pub(super) mod not_emptied;
pub(super) mod not_json;
mod object;
pub(super) mod problem;
pub(super) mod retryability;
pub(super) mod schema;
pub(super) mod second_shape;
pub(super) mod structured_mismatch;
mod verbatim;
