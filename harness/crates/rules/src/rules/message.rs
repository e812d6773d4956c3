//! Rules on what the message of an error reply says, and whether it helps the caller.

use super::Rule;

pub(super) mod control_character;
pub(super) mod credential_unexplained;
pub(super) mod echoed_order;
pub(super) mod empty;
pub(super) mod hint_missing;
pub(super) mod hint_repeated;
pub(crate) mod hint_wrong;
pub(super) mod overlong;
pub(super) mod rest_untold;
pub(super) mod state_untold;
pub(super) mod unasked_link;
pub(super) mod vague;
pub(super) mod valid_values_missing;
pub(super) mod value_missing;
pub(super) mod wait_missing;

/// The rules of this group, in the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[
    &empty::RULE,
    &vague::RULE,
    &value_missing::RULE,
    &hint_missing::RULE,
    &hint_repeated::RULE,
    &valid_values_missing::RULE,
    &wait_missing::RULE,
    &hint_wrong::RULE,
    &overlong::RULE,
    &control_character::RULE,
    &credential_unexplained::RULE,
    &rest_untold::RULE,
    &state_untold::RULE,
    &unasked_link::RULE,
    &echoed_order::RULE,
];
