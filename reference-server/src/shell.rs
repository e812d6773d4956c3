//! Running commands, each in a process group of its own.
//!
//! The main type is [`Shell`]. Whatever a command leaves behind in its group ends with it, and every group ends with
//! the server.

mod capture;
mod group;
mod task;

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::task::JoinSet;

use crate::cause;
use crate::failure::{Code, Failure};
use crate::success::Success;
use capture::Capture;
use group::{Group, SHELLS, exited_by_signal};
pub(crate) use task::{Counted, Tasks};

/// What can be done where no shell could be started.
const NO_SHELL: &str = if cfg!(windows) {
    "Have Git for Windows installed with its sh on PATH, and call bash again."
} else {
    "Wait for running commands to end, and call bash again."
};

/// How long output is awaited that a process outside the command's group still holds open.
const DRAIN_GRACE: Duration = Duration::from_millis(200);

/// Starts commands and knows the groups that are alive.
#[derive(Debug, Default)]
pub(crate) struct Shell {
    groups: Mutex<HashSet<Group>>,
}

impl Shell {
    /// Starts a command in a directory.
    pub(crate) fn start(self: &Arc<Self>, command: &str, workdir: &Path) -> Result<Running, Failure> {
        if let Some(position) = command.find('\0') {
            return Err(Failure::new(
                Code::BashStartFailed,
                format!("The command was not started, parameter 'command' holds a NUL character at byte {position}"),
            )
            .about("command")
            .hint("Send the command without it; printf '\\0' writes one."));
        }
        let mut child = spawn(command, workdir).map_err(|error| not_started(error, command, workdir))?;
        let group = Group::of(&child);
        if let Some(group) = group {
            self.groups.lock().unwrap_or_else(PoisonError::into_inner).insert(group);
        }
        let (stdout, stderr) = (Capture::default(), Capture::default());
        let mut readers = JoinSet::new();
        if let Some(stream) = child.stdout.take() {
            readers.spawn(stdout.clone().drain(stream));
        }
        if let Some(stream) = child.stderr.take() {
            readers.spawn(stderr.clone().drain(stream));
        }
        Ok(Running { child, group, readers, output: Output { stdout, stderr }, shell: Arc::clone(self) })
    }

    /// Ends every group that is alive.
    pub(crate) fn end_all(&self) {
        for group in self.groups.lock().unwrap_or_else(PoisonError::into_inner).drain() {
            group.end();
        }
    }

    fn end_one(&self, group: Group) {
        if self.groups.lock().unwrap_or_else(PoisonError::into_inner).remove(&group) {
            group.end();
        }
    }
}

fn spawn(command: &str, workdir: &Path) -> io::Result<Child> {
    let mut result = Err(io::ErrorKind::NotFound.into());
    for shell in SHELLS {
        let mut starting = Command::new(shell);
        Group::prepare(&mut starting);
        result = starting
            .arg("-c")
            .arg(command)
            .current_dir(workdir)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        if result.as_ref().err().is_none_or(|error| error.kind() != io::ErrorKind::NotFound) {
            break;
        }
    }
    result
}

fn not_started(error: io::Error, command: &str, workdir: &Path) -> Failure {
    let size = command.len();
    let failure = if error.kind() == io::ErrorKind::ArgumentListTooLong {
        Failure::new(
            Code::BashStartFailed,
            format!(
                "The command of {size} bytes was not started, parameter 'command' is too long for the system"
            ),
        )
        .hint("Write it to a file with create_file, and call bash to run that file.")
    } else if !workdir.is_dir() {
        Failure::new(Code::BashStartFailed, "The command was not started, the working directory is gone")
    } else {
        Failure::new(Code::BashStartFailed, "The shell for the command could not be started")
            .because(cause::plain(&error))
            .hint(NO_SHELL)
    };
    failure.about("command").caused_by(error)
}

/// A command that was started. Dropping it ends its group.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    group: Option<Group>,
    readers: JoinSet<()>,
    output: Output,
    shell: Arc<Shell>,
}

/// Both streams of a command.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    stdout: Capture,
    stderr: Capture,
}

impl Running {
    pub(crate) fn group(&self) -> Option<Group> {
        self.group
    }

    pub(crate) fn output(&self) -> Output {
        self.output.clone()
    }

    /// Waits until the shell has exited, and says how.
    pub(crate) async fn exited(&mut self) -> Ending {
        match self.child.wait().await {
            Ok(status) => Ending::of(status),
            // The child cannot be waited for when something else reaped it, so its end is known and its code is not.
            Err(_) => Ending::Unknown,
        }
    }

    /// Ends what is left of the group and takes the rest of the output.
    pub(crate) async fn drained(mut self) -> Output {
        self.end_group();
        let rest = async { while self.readers.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(DRAIN_GRACE, rest).await;
        self.output.clone()
    }

    /// Ends the whole group now.
    pub(crate) fn end_group(&self) {
        if let Some(group) = self.group {
            self.shell.end_one(group);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end_group();
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Exit(i32),
    Signal(i32),
    Unknown,
}

impl Ending {
    fn of(status: ExitStatus) -> Self {
        match (status.code(), exited_by_signal(status)) {
            (Some(code), _) => Ending::Exit(code),
            (None, Some(signal)) => Ending::Signal(signal),
            (None, None) => Ending::Unknown,
        }
    }

    /// The exit code; a signal has the one that shells give it.
    pub(crate) fn code(self) -> Option<i32> {
        match self {
            Ending::Exit(code) => Some(code),
            Ending::Signal(signal) => Some(128 + signal),
            Ending::Unknown => None,
        }
    }

    /// The line that every report of an ended command has. A signal has the code that shells give it.
    pub(crate) fn line(self) -> String {
        match self {
            Ending::Exit(code) => format!("exit code: {code}"),
            Ending::Signal(signal) => format!("exit code: {} (killed by signal {signal})", 128 + signal),
            Ending::Unknown => "exit code: unknown".to_owned(),
        }
    }
}

impl Output {
    /// What was printed, behind what is to be said first.
    pub(crate) fn told_after(&self, mut text: String, ending: Option<Ending>) -> Success {
        for (name, capture) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            let printed = capture.text();
            if !printed.is_empty() {
                text.push_str(&format!("\n\n{name}:\n{}", printed.trim_end_matches('\n')));
            }
        }
        let code = ending.and_then(Ending::code);
        Success::new(text)
            .with("exit_code", code)
            .with("stdout", self.stdout.text())
            .with("stderr", self.stderr.text())
    }
}
