//! How an error is sent: as a flagged result of the tool, and not as a protocol error or a success.

use super::Rule;

pub(super) mod accepted_bad_input;
pub(super) mod cut_json;
pub(super) mod disguised_error;
pub(super) mod false_error;
pub(super) mod garbled_text;
pub(super) mod ignored_argument;
pub(super) mod partial_success;
pub(super) mod protocol_error;

/// The rules of this group, in the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[
    &protocol_error::RULE,
    &accepted_bad_input::RULE,
    &ignored_argument::RULE,
    &disguised_error::RULE,
    &false_error::RULE,
    &partial_success::RULE,
    &cut_json::RULE,
    &garbled_text::RULE,
];
