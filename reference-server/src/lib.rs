//! A reference MCP server over standard input and output.
//!
//! It is two things. It is a small, usable server of tools (a shell, files, edits, searching, the history in git, an HTTP service, reservations) whose error replies keep
//! one of four contracts, by default `bracket-code`: `isError: true`, and one text, `[CODE] message`, that tells what
//! happened, with which value, and how to fix the call. And it is a set of [`defects()`]: each one, switched on, breaks a declared set of
//! rules in declared cases and nothing else, so that a conformance harness can prove itself on it.
//!
//! A call's way through the crate: `transport` (lines to messages) to `server` (MCP to a call) to `tools` (a call to
//! text or a [`Failure`]) to `contract` (a failure to words) and back. `defects` may step in between any two of them.
//! Nothing here knows of a harness.

mod cause;
mod context;
mod contract;
mod defects;
mod edit;
mod failure;
mod features;
mod file;
mod git;
mod limits;
mod log;
mod options;
mod panic;
mod parameter;
mod reservation;
mod scope;
mod serve;
mod server;
mod shell;
mod success;
mod tools;
mod transport;
mod upstream;

pub use context::{Context, Spot};
pub use contract::Contract;
pub use defects::{Breaks, Defect, defects, find_defect};
pub use failure::{Cause, Code, Conflict, Failure, Part};
pub use log::Log;
pub use options::Options;
pub use serve::{ServeError, serve, serve_stdio};
