//! A conformance harness for the error replies of MCP servers.
//!
//! How data flows: the [`suite`] and a [`contract`] are loaded, a session is opened on the server under test,
//! its [`catalog`] is bound to [`roles`], the plan is driven, and the resulting exchanges are judged by the
//! [`rules`]. `ARCHITECTURE.md` draws the whole of it.

#[cfg(not(any(unix, windows)))]
compile_error!("mcp-errconf needs Unix or Windows: it ends a server with everything that it started");

// The layers of `ARCHITECTURE.md`, top to bottom: what stands on one uses its own layer and those below.

// Uses of the whole.
pub mod campaign;
pub mod fuzzing;
#[cfg(feature = "reference-server")]
pub mod selftest;
pub mod testing;

// Driving a server.
pub mod drive;
mod refused;

// Reporting and configuration.
pub mod comparison;
pub mod conclusion;
pub mod config;
pub mod corpus;
pub mod event;
pub mod host;
pub mod matrix;
pub mod recording;
pub mod report;
pub mod repro;

// Judging.
pub mod baseline;
pub mod decision;
pub mod judge;
pub mod rules;
pub mod signature;
pub mod snapshot;

// Planning.
pub mod generate;
pub mod plan;
pub mod repair;

// Processes, bytes and files.
pub mod atomic_file;
pub mod bundled;
pub mod server;
pub mod wire;

// What is expected, sent and said.
pub mod contract;
pub mod exchange;
pub mod expectation;
pub mod finding;
pub mod placeholder;
pub mod roles;
pub mod suite;
pub mod transcript;
pub mod wording;

// Leaf modules.
pub mod argument;
pub mod catalog;
pub mod cause;
pub mod class;
pub mod condition;
pub mod confinement;
pub mod document;
pub mod escape;
mod expression;
mod json_schema;
pub mod machine;
pub mod memory;
pub mod secret;

#[cfg(test)]
mod schema;
