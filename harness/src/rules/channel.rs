//! How an error comes: as a flagged result of the tool, and neither as a protocol error nor as a success.

pub(super) mod accepted_bad_input;
pub(super) mod disguised_error;
pub(super) mod false_error;
pub(super) mod protocol_error;
