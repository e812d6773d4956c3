//! The server under test: its process, its session, its folders. The only place that starts a process.
//!
//! The main type is [`Session`]. A server's misbehaviour is data here; only a failure of the harness itself is
//! an error.

mod barred;
#[cfg(unix)]
mod beneath;
mod confine;
mod entry;
mod folder;
#[cfg(unix)]
mod group;
#[cfg(unix)]
#[cfg(test)]
mod hostile;
mod installed;
mod look;
#[cfg(target_os = "linux")]
mod orphan;
mod owned;
mod process;
mod process_limits;
mod refusal;
pub(crate) mod repository;
mod rescue;
mod session;
mod side_traffic;
mod startable;
mod streams;
mod system;
mod transport;
mod upstream;
mod watch;
#[cfg(windows)]
mod windows;

pub use barred::{Barred, BarredFiles};
pub use confine::{ConfinementOptions, Confiner, RunConfinement, Taker, Unconfinable, container, launched};
pub use folder::RunFolders;
pub(crate) use folder::resolved;
pub use installed::{Installed, git, runtimes};
pub use look::Snapshot;
pub(crate) use process::UNSTARTED;
pub use process::{Command, SpawnError};
pub use process_limits::{LoweredLimit, Scarce};
pub(crate) use refusal::SERVES_HTTP;
pub use rescue::install_crash_handlers;
pub(crate) use rescue::{PART, is_running, remember, writer_of};
pub use session::{Answered, Arrival, Deadlines, OpenError, Pipeline, Session, TimeReserve, first_request};
pub use side_traffic::SideTraffic;
pub(crate) use startable::on_path;
pub use streams::Streams;
pub use system::System;
pub use transport::Transport;
pub use upstream::{MadeUp, MemberKind, StandIn, Upstream, listen};
pub use watch::{Bounds, ServerProcesses};
#[cfg(windows)]
use windows::{beneath, group};

/// Runs the role in which this program has started itself, and returns the exit status for this process. The
/// roles are the confinement shim, and the clean-up after a crash of this program. `None` if the program was
/// started by anyone else. It must come first in `main`: a process with several threads cannot leave its
/// namespaces.
pub fn run_as_helper() -> Option<std::process::ExitCode> {
    rescue::run_as_helper().or_else(confine::run_as_helper)
}
