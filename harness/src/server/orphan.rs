//! Children of a server that left its process group: found, and ended with the session. Linux only.
//!
//! The main type is [`Orphans`]. A process is ended only when two things hold: it has the mark of this one session in its
//! environment, which nobody else's process has, and it descends from this program, which as the subreaper adopts whoever
//! loses its parent. It is signalled through a descriptor that is opened before both are looked at, so that a number that
//! was given to another process meanwhile cannot be hit.

use std::fs;
use std::process;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, pidfd_open, pidfd_send_signal, set_child_subreaper, waitpid,
};

/// The environment variable that marks a server and whatever it starts.
const MARK: &str = "MCP_ERRCONF_SESSION";
/// How often is looked again: a process that is ended may have started another one just before.
const ROUNDS: usize = 20;
/// How many descendants are looked at.
const MOST: usize = 10_000;
/// How many parents of a process are followed.
const ANCESTORS: usize = 1000;

/// What a session's server started.
#[derive(Debug)]
pub(super) struct Orphans {
    mark: String,
}

impl Orphans {
    /// Marks a server that is about to be started.
    pub(super) fn of(command: &mut tokio::process::Command) -> Self {
        static SUBREAPER: Once = Once::new();
        static SESSION: AtomicU64 = AtomicU64::new(0);
        // Where the system refuses, orphans go to its first process: then they are no descendants and are left alone.
        SUBREAPER.call_once(|| {
            let _ = set_child_subreaper(Some(getpid()));
        });
        let session = SESSION.fetch_add(1, Ordering::Relaxed);
        let value = format!("{}-{session}", process::id());
        command.env(MARK, &value);
        Self { mark: format!("{MARK}={value}") }
    }

    /// Ends all of them that are left, the server itself left out: whoever started it ends and reaps it.
    pub(super) fn end(&self, server: Pid) {
        let mut ended = Vec::new();
        let mut quiet_rounds = 0;
        for _ in 0..ROUNDS {
            let found: Vec<Pid> =
                candidates().into_iter().filter(|pid| *pid != server && self.end_one(*pid)).collect();
            quiet_rounds = if found.is_empty() { quiet_rounds + 1 } else { 0 };
            // One list may miss a process that is changing its parent just now.
            if quiet_rounds == 2 {
                break;
            }
            ended.extend(found);
        }
        for pid in ended {
            // Once its parent is gone it is ours to reap; if it is not, nothing happens.
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
    }

    /// Ends one process, if it is one of the session's that lives.
    fn end_one(&self, pid: Pid) -> bool {
        let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else { return false };
        self.has_mark(pid) && is_descendant(pid) && pidfd_send_signal(&process, Signal::KILL).is_ok()
    }

    /// A process that has ended has no environment any more.
    fn has_mark(&self, pid: Pid) -> bool {
        let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == self.mark.as_bytes())
    }
}

/// This program's descendants, or, where the system keeps no list of children, every process there is.
fn candidates() -> Vec<Pid> {
    let Some(mut found) = children(getpid()) else { return all_processes() };
    let mut next = 0;
    while let Some(pid) = found.get(next).copied().filter(|_| next < MOST) {
        found.extend(children(pid).unwrap_or_default());
        next += 1;
    }
    found
}

/// The children of a process, by its threads.
fn children(pid: Pid) -> Option<Vec<Pid>> {
    let threads = fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero())).ok()?;
    let mut found = Vec::new();
    for thread in threads.flatten() {
        let listed = fs::read_to_string(thread.path().join("children")).ok()?;
        found.extend(listed.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)));
    }
    Some(found)
}

fn all_processes() -> Vec<Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|number| *number != process::id().cast_signed()).filter_map(Pid::from_raw).collect()
}

fn is_descendant(pid: Pid) -> bool {
    let ours = getpid();
    let mut parents = std::iter::successors(parent(pid), |pid| parent(*pid)).take(ANCESTORS);
    parents.any(|pid| pid == ours)
}

/// The fourth field of `stat`, after a name in parentheses that may hold anything.
fn parent(pid: Pid) -> Option<Pid> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    Pid::from_raw(stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?)
}
