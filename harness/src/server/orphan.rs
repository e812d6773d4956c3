//! Children of a server that left its process group: found, and ended with the session. Linux only.
//!
//! The main type is [`Orphans`]. A process is ended only when two things hold: it has the mark of this one
//! session in its environment, which nobody else's process has, and it descends from this program, which as the
//! subreaper adopts orphans. It is signalled through a descriptor that is opened before both conditions are
//! checked, so that a process number that was reused meanwhile cannot be hit.
//!
//! This program must reap what it adopts, or every task that a server leaves behind would stay in the list of
//! children until the end. A process that has ended has no environment any more; it is then recognised by its
//! process group, in which a living descendant of the session was seen.

use std::collections::HashSet;
use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::process;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, getpgrp, getpid, pidfd_open,
    pidfd_send_signal, set_child_subreaper, waitid, waitpid,
};

/// The environment variable that marks a server and whatever it starts.
const MARK: &str = "MCP_ERRCONF_SESSION";
/// How often the search is repeated, because a process may have started another one just before it was killed.
const ROUNDS: usize = 20;
/// How often a killed process is checked, and at what interval.
const REAP_TRIES: usize = 200;
const REAP_PAUSE: Duration = Duration::from_millis(1);
/// At most this many descendants are examined.
const MOST: usize = 10_000;
/// At most this many ancestors of a process are followed.
const ANCESTORS: usize = 1000;

/// The processes that a session's server started.
#[derive(Debug)]
pub(super) struct Orphans {
    mark: Mark,
    /// The process groups in which processes of the session were seen.
    groups: HashSet<Pid>,
}

/// What to look for in the environment of a process.
#[derive(Debug)]
enum Mark {
    /// Exactly this variable.
    Session(String),
    /// A variable that begins with this, so that any session of this program matches.
    AnySession(String),
}

impl Orphans {
    /// Everything that this program started in any session, including those before it restarted itself.
    pub(super) fn of_this_program() -> Self {
        Self { mark: Mark::AnySession(format!("{MARK}={}-", process::id())), groups: HashSet::new() }
    }

    /// Marks a server that is about to be started.
    pub(super) fn new(command: &mut tokio::process::Command) -> Self {
        static SUBREAPER: Once = Once::new();
        static SESSION: AtomicU64 = AtomicU64::new(0);
        // If the system refuses, orphans go to its first process, are no descendants then, and are left alone.
        SUBREAPER.call_once(|| {
            let _ = set_child_subreaper(Some(getpid()));
        });
        let session = SESSION.fetch_add(1, Ordering::Relaxed);
        let value = format!("{}-{session}", process::id());
        command.env(MARK, &value);
        Self { mark: Mark::Session(format!("{MARK}={value}")), groups: HashSet::new() }
    }

    /// Records what a server started, while it is alive; what ends with it is reaped afterwards.
    pub(super) fn look(&mut self, server: Pid) {
        let below = descendants(server).unwrap_or_default();
        self.groups.extend(below.into_iter().filter_map(Status::read).map(|status| status.group));
    }

    /// Kills all processes that are left, except the server: whoever started that one ends and reaps it.
    pub(super) fn end(&mut self, server: Pid) {
        let mut killed = Vec::new();
        let mut quiet_rounds = 0;
        for _ in 0..ROUNDS {
            let before = killed.len();
            let mut is_one_beginning = false;
            for pid in candidates().into_iter().filter(|pid| *pid != server) {
                match self.end_one(pid) {
                    Found::Killed(process) => killed.push(process),
                    Found::Beginning => is_one_beginning = true,
                    Found::Another => {}
                }
            }
            if is_one_beginning {
                thread::sleep(REAP_PAUSE);
            }
            quiet_rounds = if killed.len() == before && !is_one_beginning { quiet_rounds + 1 } else { 0 };
            // A single list may miss a process that is just changing its parent.
            if quiet_rounds == 2 {
                break;
            }
        }
        // Once its parent is gone it is ours to reap; otherwise there is nothing to wait for.
        for _ in 0..REAP_TRIES {
            let is_ending = |process: &OwnedFd| {
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
                matches!(waitid(WaitId::PidFd(process.as_fd()), options), Ok(None))
            };
            killed.retain(is_ending);
            if killed.is_empty() {
                break;
            }
            thread::sleep(REAP_PAUSE);
        }
        self.reap(server);
    }

    /// Kills one process, if it belongs to the session and is alive.
    fn end_one(&mut self, pid: Pid) -> Found {
        let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else { return Found::Another };
        let environment = environment(pid);
        if !is_descendant(pid) {
            return Found::Another;
        }
        let Some(status) = Status::read(pid) else { return Found::Another };
        if environment.is_empty() && !status.is_zombie {
            return Found::Beginning;
        }
        if !self.is_marked(&environment) {
            return Found::Another;
        }
        self.groups.insert(status.group);
        match pidfd_send_signal(&process, Signal::KILL) {
            Ok(()) => Found::Killed(process),
            Err(_) => Found::Another,
        }
    }

    /// Reaps the session's processes among the ended children of this program. An ended process keeps its
    /// number until its parent reaps it, so no other process can be hit.
    pub(super) fn reap(&self, server: Pid) {
        let ours = getpid();
        let own_group = getpgrp();
        for pid in children(ours).unwrap_or_default().into_iter().filter(|pid| *pid != server) {
            let Some(status) = Status::read(pid) else { continue };
            let is_own = status.group == server || self.groups.contains(&status.group);
            if status.is_zombie && status.parent == ours && is_own && status.group != own_group {
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
        }
    }

    fn is_marked(&self, environment: &[u8]) -> bool {
        environment.split(|byte| *byte == 0).any(|variable| match &self.mark {
            Mark::Session(mark) => variable == mark.as_bytes(),
            Mark::AnySession(mark) => variable.starts_with(mark.as_bytes()),
        })
    }
}

/// The result of examining a process.
enum Found {
    /// It belonged to the session, and was killed.
    Killed(OwnedFd),
    /// It has no environment: it may be starting another program, and may still belong to the session.
    Beginning,
    /// It does not belong to the session, or has ended.
    Another,
}

/// The environment of a process; empty if it has ended.
fn environment(pid: Pid) -> Vec<u8> {
    fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default()
}

/// The descendants of this program, or all processes if the system keeps no list of children.
fn candidates() -> Vec<Pid> {
    descendants(getpid()).unwrap_or_else(all_processes)
}

/// The children of a process, their children, and so on; `None` if the system keeps no list of them.
fn descendants(of: Pid) -> Option<Vec<Pid>> {
    let mut found = children(of)?;
    let mut next = 0;
    while let Some(pid) = found.get(next).copied().filter(|_| next < MOST) {
        found.extend(children(pid).unwrap_or_default());
        next += 1;
    }
    Some(found)
}

/// A server and the processes that it started: its descendants, and of the orphans adopted by this program
/// those in its process group.
pub(super) fn group_of(server: Pid) -> Vec<Pid> {
    let mut found = vec![server];
    found.extend(descendants(server).unwrap_or_default());
    let adopted = children(getpid()).unwrap_or_default().into_iter();
    let adopted = adopted.filter(|pid| *pid != server);
    for pid in adopted.filter(|pid| Status::read(*pid).is_some_and(|status| status.group == server)) {
        found.push(pid);
        found.extend(descendants(pid).unwrap_or_default());
    }
    found
}

/// The children of a process, collected from its threads.
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

fn parent(pid: Pid) -> Option<Pid> {
    Status::read(pid).map(|status| status.parent)
}

/// The status of a process, running or ended.
struct Status {
    is_zombie: bool,
    parent: Pid,
    group: Pid,
}

impl Status {
    /// Reads the third to fifth field of `stat`, which follow a name in parentheses that may contain anything.
    fn read(pid: Pid) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let is_zombie = fields.next()? == "Z";
        let mut number = || Pid::from_raw(fields.next()?.parse().ok()?);
        Some(Self { is_zombie, parent: number()?, group: number()? })
    }
}
