//! Rules on the form of an error reply as a whole.

use super::Rule;

pub(super) mod context;
pub(super) mod decision;
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

/// The rules of this group, in the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[
    &not_emptied::RULE,
    &problem::RULE,
    &context::RULE,
    &location::RULE,
    &edit_status::RULE,
    &not_json::RULE,
    &schema::RULE,
    &retryability::RULE,
    &hints::RULE,
    &error_in_success::RULE,
    &second_shape::RULE,
    &decision::RULE,
    &structured_mismatch::RULE,
];
