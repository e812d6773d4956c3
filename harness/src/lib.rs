//! A conformance harness for the error replies of MCP servers.
//!
//! The line that data follows: the [`suite`] and a [`contract`] are loaded, a session is opened on the server under
//! test, its [`catalog`] is bound to [`roles`], the plan is driven, and the exchanges that come of it are judged by the
//! [`rules`]. `ARCHITECTURE.md` draws the whole of it.

#[cfg(not(unix))]
compile_error!("mcp-errconf needs Unix: it ends a server by its process group");

pub mod baseline;
pub mod bundled;
pub mod campaign;
pub mod catalog;
pub mod cause;
pub mod class;
pub mod conclusion;
pub mod config;
pub mod confinement;
pub mod contract;
pub mod corpus;
pub mod decision;
pub mod drive;
pub mod event;
pub mod exchange;
mod expression;
pub mod finding;
pub mod fuzzing;
pub mod generate;
pub mod judge;
pub mod memory;
pub mod plan;
pub mod recording;
mod refused;
pub mod report;
pub mod roles;
pub mod rules;
#[cfg(test)]
mod schema;
pub mod secret;
#[cfg(feature = "reference-server")]
pub mod selftest;
pub mod server;
pub mod signature;
pub mod snapshot;
pub mod suite;
pub mod testing;
pub mod token;
pub mod transcript;
pub mod whole;
pub mod wire;
pub mod wording;
