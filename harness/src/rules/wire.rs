//! The line layer: standard output carries JSON-RPC messages and nothing else.

pub(super) mod bad_message;
pub(super) mod duplicate_reply;
pub(super) mod error_code;
pub(super) mod oversized;
pub(super) mod reserved_code;
pub(super) mod stdout_noise;
pub(super) mod wrong_id;
