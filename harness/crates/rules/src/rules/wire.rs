//! Rules on protocol lines: standard output carries JSON-RPC messages and nothing else.

use super::Rule;

pub(super) mod bad_message;
pub(super) mod broken_output_schema;
pub(super) mod duplicate_reply;
pub(super) mod error_code;
pub(super) mod oversized;
pub(super) mod reserved_code;
pub(super) mod stateless;
pub(super) mod stdout_noise;
pub(super) mod wrong_id;

/// The rules of this group, in the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[
    &stdout_noise::RULE,
    &bad_message::RULE,
    &broken_output_schema::RULE,
    &wrong_id::RULE,
    &duplicate_reply::RULE,
    &reserved_code::RULE,
    &error_code::RULE,
    &stateless::RULE,
    &oversized::RULE,
];
