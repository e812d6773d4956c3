//! Measures what a server's processes hold together, and ends them if they exceed a bound. Linux only.
//!
//! The main types are [`ServerProcesses`], which measures, and [`Bounds`].

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::exchange::Bound;

use super::group::{Leader, kill};

/// How often memory and processes are measured.
const INTERVAL: Duration = Duration::from_millis(200);
/// The default memory limit of a confined server in bytes: more than a browser needs.
const MEMORY: u64 = 4 << 30;
/// The default limit on a confined server's processes.
const PROCESSES: u64 = 256;

/// Bounds on what a server's processes hold together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Memory, in bytes.
    pub memory: Option<u64>,
    /// The number of processes.
    pub processes: Option<u64>,
}

impl Bounds {
    /// The default bounds of a confined server.
    pub fn usual() -> Self {
        Self { memory: Some(MEMORY), processes: Some(PROCESSES) }
    }

    /// These bounds, and the other ones where there is none.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { memory: self.memory.or(other.memory), processes: self.processes.or(other.processes) }
    }

    /// The bound that is exceeded, if any.
    fn exceeded(self, held: Held) -> Option<Bound> {
        let memory = self.memory.filter(|limit| held.memory > *limit).map(|limit| Bound::Memory { limit });
        let processes =
            || self.processes.filter(|limit| held.processes > *limit).map(|limit| Bound::Processes { limit });
        memory.or_else(processes)
    }
}

/// What the processes of one server hold at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Held {
    memory: u64,
    processes: u64,
}

/// The processes of one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerProcesses {
    pub(super) leader: Leader,
}

impl ServerProcesses {
    /// Their present total memory in bytes; `None` if the server has ended, or the system does not tell.
    pub fn memory(self) -> Option<u64> {
        self.held().map(|held| held.memory)
    }

    #[cfg(target_os = "linux")]
    fn held(self) -> Option<Held> {
        let pids = super::orphan::group_of(self.leader);
        let memory: Vec<u64> = pids.into_iter().filter_map(memory_of).collect();
        let processes = memory.len() as u64;
        (processes > 0).then(|| Held { memory: memory.into_iter().sum(), processes })
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "on Linux it is used")]
    fn held(self) -> Option<Held> {
        None
    }
}

/// The memory that a process holds: the second field of `statm`, in pages.
#[cfg(target_os = "linux")]
fn memory_of(pid: rustix::process::Pid) -> Option<u64> {
    let statm = std::fs::read_to_string(format!("/proc/{}/statm", pid.as_raw_nonzero())).ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages.saturating_mul(rustix::param::page_size() as u64))
}

/// Measures repeatedly until the server exceeds a bound; then ends its process group and records which bound.
pub(super) async fn watch(leader: Leader, bounds: Bounds, beyond: Arc<OnceLock<Bound>>) {
    if bounds == Bounds::default() {
        return;
    }
    loop {
        tokio::time::sleep(INTERVAL).await;
        // A server that has not started, or has ended, holds nothing. Whoever waits for its end stops this too.
        let Some(held) = ServerProcesses { leader }.held() else { continue };
        if let Some(bound) = bounds.exceeded(held) {
            let _ = beyond.set(bound);
            kill(leader);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_a_bound_is_reported_with_the_bound() {
        let bounds = Bounds { memory: Some(100), processes: Some(3) };
        assert_eq!(bounds.exceeded(Held { memory: 100, processes: 3 }), None);
        let memory = bounds.exceeded(Held { memory: 101, processes: 9 });
        assert_eq!(memory, Some(Bound::Memory { limit: 100 }));
        let processes = bounds.exceeded(Held { memory: 1, processes: 4 });
        assert_eq!(processes, Some(Bound::Processes { limit: 3 }));
        assert_eq!(Bounds::default().exceeded(Held { memory: u64::MAX, processes: u64::MAX }), None);
    }
}
