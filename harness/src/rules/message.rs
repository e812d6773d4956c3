//! What the message of an error reply says, and whether that helps the caller.

use super::Rule;

pub(super) mod control_character;
pub(super) mod credential_unexplained;
pub(super) mod empty;
pub(super) mod hint_missing;
pub(super) mod hint_wrong;
pub(super) mod overlong;
pub(super) mod vague;
pub(super) mod valid_values_missing;
pub(super) mod value_missing;

/// In the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[
    &empty::RULE,
    &vague::RULE,
    &value_missing::RULE,
    &hint_missing::RULE,
    &valid_values_missing::RULE,
    &hint_wrong::RULE,
    &overlong::RULE,
    &control_character::RULE,
    &credential_unexplained::RULE,
];
