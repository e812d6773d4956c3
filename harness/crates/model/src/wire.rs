//! Converts bytes to lines and lines to JSON-RPC messages, and back. The harness needs its own thin layer,
//! because an SDK's client would hide what is tested.
//!
//! The main type is [`DecodedLine`], what one line of a server's standard output is. This module starts no
//! process.

mod assemble;
mod body;
mod decode;
mod envelope;
mod lifecycle;
mod lines;
mod request;

pub use assemble::{Assembler, Piece};
pub use decode::{Body, DecodedLine, IN_A_BATCH, NOT_UTF8, ResponseId, decode, response_id};
pub use envelope::{MessagePrefix, id_at_end, id_where_usual, scan_prefix};
pub use lifecycle::{
    DISCOVER, INITIALIZE, INITIALIZED, LEGACY_VERSIONS, LOG_MESSAGE, MODERN_VERSION, PROGRESS,
    PROGRESS_TOKEN, ServerHello, discovered, initialize_params, welcome,
};
pub use lines::{LineReader, RawLine};
pub use request::{
    cancelled_line, error_line, meta, notification_line, request_line, result_line, with_meta,
};
