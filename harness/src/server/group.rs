//! The process group of one server, and the children that left it: sends signals to them, and always ends them.
//!
//! The main type is [`ProcessGroup`]. It does not know what the server is for, or when it must end. Unix only;
//! on Windows a job object takes its place (`server/windows`).

use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpid};
use tokio::process::{Child, Command};

use crate::exchange::Exit;

/// How often a process that was killed without an orderly shutdown is checked, and at what interval.
const REAP_TRIES: usize = 100;
const REAP_PAUSE: Duration = Duration::from_millis(2);

/// Identifies a group for measurements: the process id of the server, which is that of the group too.
pub(super) type Leader = Pid;

/// A command prepared so that it starts the leader of a group.
pub(super) struct PreparedCommand {
    #[cfg(target_os = "linux")]
    orphans: super::orphan::Orphans,
}

impl PreparedCommand {
    /// Prepares a command so that what it starts has a group of its own.
    pub(super) fn new(builder: &mut Command) -> Self {
        builder.process_group(0);
        Self {
            #[cfg(target_os = "linux")]
            orphans: super::orphan::Orphans::new(builder),
        }
    }

    /// The group of a child started by this command.
    ///
    /// # Errors
    /// When the child has ended already; in words for a message.
    pub(super) fn begun(self, child: &Child) -> Result<ProcessGroup, String> {
        let leader = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        Ok(ProcessGroup {
            leader: leader.ok_or("it ended before it had an id")?,
            #[cfg(target_os = "linux")]
            orphans: self.orphans,
            ended: false,
        })
    }
}

/// A process group that is killed when this is dropped, even if the harness panics.
pub(super) struct ProcessGroup {
    leader: Pid,
    #[cfg(target_os = "linux")]
    orphans: super::orphan::Orphans,
    /// Whether it was shut down already: its number may belong to other processes by now.
    ended: bool,
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        self.look();
        self.kill();
        self.end_orphans();
        // Nobody else may reap it; a killed process ends within moments.
        for _ in 0..REAP_TRIES {
            match waitpid(Some(self.leader), WaitOptions::NOHANG) {
                Ok(None) => std::thread::sleep(REAP_PAUSE),
                Ok(Some(_)) | Err(_) => return,
            }
        }
    }
}

impl ProcessGroup {
    pub(super) fn leader(&self) -> Leader {
        self.leader
    }

    /// Asks the group to end.
    pub(super) fn ask(&self) {
        signal(self.leader, Signal::TERM);
    }

    /// Kills the whole group.
    pub(super) fn kill(&mut self) {
        kill(self.leader);
    }

    /// Records what the server started, while it is alive.
    #[cfg(target_os = "linux")]
    pub(super) fn look(&mut self) {
        self.orphans.look(self.leader);
    }

    /// On other systems this program does not adopt orphans.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "on Linux it is used")]
    pub(super) fn look(&mut self) {}

    /// Reaps the children that this program adopted when the server ended.
    #[cfg(target_os = "linux")]
    pub(super) fn reap(&self) {
        self.orphans.reap(self.leader);
    }

    /// On other systems none are adopted.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "on Linux it is used")]
    pub(super) fn reap(&self) {}

    /// Kills what is left of the group, and the children that left it.
    pub(super) fn end(&mut self) {
        self.kill();
        self.end_orphans();
        self.ended = true;
    }

    #[cfg(target_os = "linux")]
    fn end_orphans(&mut self) {
        self.orphans.end(self.leader);
    }

    /// On other systems they cannot be found without a risk of hitting others.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "on Linux it is used")]
    fn end_orphans(&mut self) {}
}

/// Kills a group.
pub(super) fn kill(leader: Leader) {
    signal(leader, Signal::KILL);
}

fn signal(leader: Pid, signal: Signal) {
    // The group may be gone already, which is what is wanted.
    let _ = kill_process_group(leader, signal);
}

/// How a process ended.
pub(super) fn exit_of(status: ExitStatus) -> Exit {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Status(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::ClosedOutput,
    }
}
