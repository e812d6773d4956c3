//! A command and everything that it started: a process group on Unix, and on Windows whatever descends from it.

#[cfg(unix)]
pub(crate) use unix::{Group, SHELLS, exited_by_signal};
#[cfg(windows)]
pub(crate) use windows::{Group, SHELLS, exited_by_signal};

#[cfg(unix)]
mod unix {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    use tokio::process::{Child, Command};

    /// Tried in this order.
    pub(crate) const SHELLS: [&str; 2] = ["/bin/bash", "/bin/sh"];

    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub(crate) struct Group(Pid);

    impl Group {
        /// Lets what a command starts have a group of its own.
        pub(crate) fn prepare(command: &mut Command) {
            command.process_group(0);
        }

        /// The group of a child; none if it has ended already.
        pub(crate) fn of(child: &Child) -> Option<Self> {
            child.id().and_then(|id| Pid::from_raw(id.cast_signed())).map(Self)
        }

        /// Ends it. A group that is gone already is what was wanted.
        pub(crate) fn end(self) {
            let _ = kill_process_group(self.0, Signal::KILL);
        }

        /// Whether its first process has exited, also while nobody has waited for it yet.
        pub(crate) fn has_exited(self) -> bool {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            !matches!(waitid(WaitId::Pid(self.0), options), Ok(None))
        }
    }

    /// The signal that ended a process.
    pub(crate) fn exited_by_signal(status: ExitStatus) -> Option<i32> {
        status.signal()
    }
}

#[cfg(windows)]
mod windows {
    use std::process::{ExitStatus, Stdio};

    use tokio::process::{Child, Command};

    /// The shell of Git for Windows, where it is on PATH. A `bash` there may be that of another system beside this one.
    pub(crate) const SHELLS: [&str; 1] = ["sh"];

    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub(crate) struct Group(u32);

    impl Group {
        /// Nothing has to be prepared.
        pub(crate) fn prepare(_: &mut Command) {}

        /// The group of a child; none if it has ended already.
        pub(crate) fn of(child: &Child) -> Option<Self> {
            child.id().map(Self)
        }

        /// Ends it, by the system's own program, which knows who was started by whom. What is gone already is what was wanted.
        pub(crate) fn end(self) {
            let mut taskkill = std::process::Command::new("taskkill");
            let taskkill = taskkill.args(["/T", "/F", "/PID"]).arg(self.0.to_string());
            let _ = taskkill.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        }

        /// Nobody can say so before it was waited for.
        #[expect(clippy::unused_self, reason = "on Unix it is used")]
        pub(crate) fn has_exited(self) -> bool {
            false
        }
    }

    /// There are no signals.
    pub(crate) fn exited_by_signal(_: ExitStatus) -> Option<i32> {
        None
    }
}
