//! Bytes to lines to JSON-RPC, and back. The harness's own thin layer: an SDK's client would hide what is tested.
//!
//! The main type is [`Line`], what one line of a server's standard output is. This module starts no process.

mod decode;
mod lifecycle;
mod lines;
mod request;

pub use decode::{Body, Id, Line, decode};
pub use lifecycle::{INITIALIZED, LEGACY_VERSIONS, Welcome, initialize_params, welcome};
pub use lines::{Lines, RawLine};
pub use request::{error_line, notification_line, request_line, result_line};
