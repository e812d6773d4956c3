//! What the message of an error reply says, and whether that helps the caller.

pub(super) mod empty;
pub(super) mod hint_missing;
pub(super) mod hint_wrong;
pub(super) mod vague;
pub(super) mod valid_values_missing;
pub(super) mod value_missing;
