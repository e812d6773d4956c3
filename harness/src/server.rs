//! The server under test: its process, its session, its folders. The only place that starts a process.
//!
//! The main type is [`Session`]. A server's misbehaviour is data here; only the harness's own trouble is an error.

mod ahead;
mod beneath;
mod beside;
mod confine;
mod folder;
mod group;
#[cfg(test)]
mod hostile;
mod look;
#[cfg(target_os = "linux")]
mod orphan;
mod owned;
mod process;
mod refusal;
pub(crate) mod repository;
mod session;
mod startable;
mod streams;
mod upstream;
mod watch;

pub(crate) use ahead::{Ahead, Lot};
pub use confine::{Confiner, Enclosure, Openings, Taker, enter};
pub use folder::Sandbox;
pub use look::Snapshot;
pub use process::{Command, Process, SpawnError};
pub use session::{Answer, Deadlines, Heard, OpenError, Pipeline, Rest, Session, first_request};
pub use streams::Streams;
pub use upstream::{StandIn, Upstream, listen};
pub use watch::{Bounds, Meter};
