//! The process group of one server, and the children that left it: signalled, and ended whatever happens.
//!
//! The main type is [`ProcessGroup`]. It does not know what the server is for, nor when it has to end. Unix only; on Windows a job
//! object stands in its place (`server/windows`).

use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpid};
use tokio::process::{Child, Command};

use crate::exchange::Exit;

/// How often, and how far apart, a process is looked for that was killed without an orderly end.
const REAP_TRIES: usize = 100;
const REAP_PAUSE: Duration = Duration::from_millis(2);

/// What a group is known by to who measures it: the server itself, whose number is the group's.
pub(super) type Leader = Pid;

/// How a group begins: the command that starts its leader is prepared.
pub(super) struct PreparedCommand {
    #[cfg(target_os = "linux")]
    orphans: super::orphan::Orphans,
}

impl PreparedCommand {
    /// Prepares a command: what it starts has a group of its own.
    pub(super) fn new(builder: &mut Command) -> Self {
        builder.process_group(0);
        Self {
            #[cfg(target_os = "linux")]
            orphans: super::orphan::Orphans::new(builder),
        }
    }

    /// The group of a child that was started so.
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

/// A process group, killed when this is dropped: also when the harness itself panics.
pub(super) struct ProcessGroup {
    leader: Pid,
    #[cfg(target_os = "linux")]
    orphans: super::orphan::Orphans,
    /// It was killed in good order: its number may belong to others by now.
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
        // Nobody else may be there to reap it; a killed process ends within moments.
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

    /// Asks it to end.
    pub(super) fn ask(&self) {
        signal(self.leader, Signal::TERM);
    }

    /// Ends all of it at once.
    pub(super) fn kill(&mut self) {
        kill(self.leader);
    }

    /// Looks at what the server started, while it lives.
    #[cfg(target_os = "linux")]
    pub(super) fn look(&mut self) {
        self.orphans.look(self.leader);
    }

    /// Elsewhere nobody but the system's first process adopts what it leaves behind.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "on Linux it is used")]
    pub(super) fn look(&mut self) {}

    /// Reaps the children that came to this program when the server ended.
    #[cfg(target_os = "linux")]
    pub(super) fn reap(&self) {
        self.orphans.reap(self.leader);
    }

    /// Elsewhere none comes to it.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "on Linux it is used")]
    pub(super) fn reap(&self) {}

    /// Kills what is left of it, and the children that left it.
    pub(super) fn end(&mut self) {
        self.kill();
        self.end_orphans();
        self.ended = true;
    }

    #[cfg(target_os = "linux")]
    fn end_orphans(&mut self) {
        self.orphans.end(self.leader);
    }

    /// Elsewhere there is no way to find them that could not hit others.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "on Linux it is used")]
    fn end_orphans(&mut self) {}
}

/// Ends a group at once.
pub(super) fn kill(leader: Leader) {
    signal(leader, Signal::KILL);
}

fn signal(leader: Pid, signal: Signal) {
    // The group may be gone already: that is what was wanted.
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
