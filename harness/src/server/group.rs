//! The process group of one server, and the children that left it: signalled, and ended whatever happens.
//!
//! The main type is [`Group`]. It does not know what the server is for, nor when it has to end.

use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpid};

/// How often, and how far apart, a process is looked for that was killed without an orderly end.
const REAP_TRIES: usize = 100;
const REAP_PAUSE: Duration = Duration::from_millis(2);

/// A process group, killed when this is dropped: also when the harness itself panics.
pub(super) struct Group {
    /// The server itself, whose number is the group's.
    pub(super) leader: Pid,
    #[cfg(target_os = "linux")]
    pub(super) orphans: super::orphan::Orphans,
    /// It was killed in good order: its number may belong to others by now.
    pub(super) ended: bool,
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        self.look();
        self.signal(Signal::KILL);
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

impl Group {
    pub(super) fn signal(&self, signal: Signal) {
        // The group may be gone already: that is what was wanted.
        let _ = kill_process_group(self.leader, signal);
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
        self.signal(Signal::KILL);
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
