//! A conformance harness for the error replies of MCP servers.
//!
//! How data flows: the [`suite`] and a [`contract`] are loaded, a session is opened on the server under test,
//! its [`catalog`] is bound to [`roles`], the plan is driven, and the resulting exchanges are judged by the
//! [`rules`]. `ARCHITECTURE.md` draws the whole of it.

#[cfg(not(any(unix, windows)))]
compile_error!("mcp-errconf needs Unix or Windows: it ends a server with everything that it started");

// What the crates below this one export, under the names by which their modules are known.
pub use mcp_errconf_model::{
    argument, catalog, cause, class, condition, confinement, contract, document, escape, exchange,
    expectation, finding, machine, memory, placeholder, roles, secret, suite, transcript, wire,
};
pub use mcp_errconf_reading::{signature, wording};
pub use mcp_errconf_report::{comparison, conclusion, event, report};
pub use mcp_errconf_rules::{baseline, decision, judge, rules, snapshot};

#[cfg(test)]
use mcp_errconf_model::sample;
use mcp_errconf_model::{expression, json, json_schema, names, planned_call, stock, words};
use mcp_errconf_reading::pattern;
use mcp_errconf_rules::same_call;

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

// Configuration and what is written down.
pub mod config;
pub mod corpus;
pub mod host;
pub mod matrix;
pub mod merge;
pub mod recording;
pub mod repro;
pub mod snapshot_folder;

// Planning.
pub mod generate;
pub mod plan;
pub mod repair;
pub mod shard;

// Processes and files.
pub mod atomic_file;
pub mod bundled;
pub mod server;

#[cfg(test)]
mod schema;
