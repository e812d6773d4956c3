//! The line layer: standard output carries JSON-RPC messages and nothing else.

pub(super) mod bad_message;
pub(super) mod stdout_noise;
