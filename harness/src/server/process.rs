//! One server process in a group of its own: starting it, reading its standard error, and ending it with all
//! its children.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;

use crate::cause;
use crate::exchange::{Bound, Exit};
use crate::secret::Concealed;
use crate::wording::circumstance::is_panic;

use super::group::{PreparedCommand, ProcessGroup, exit_of};
use super::startable::{startable, with_ending};
use super::watch::{Bounds, ServerProcesses, watch};
use super::{RunConfinement, Streams};

/// How much of standard error is kept, in bytes.
const STDERR_TAIL: usize = 16 * 1024;
/// How long an ended process may take to be reaped.
const REAP: Duration = Duration::from_millis(500);

/// How a server is started; tokens are replaced already.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// The program and its arguments; never empty.
    pub words: Vec<String>,
    /// The working folder; `None` for that of this process.
    pub cwd: Option<PathBuf>,
    /// Variables added to its environment.
    pub env: Vec<(String, String)>,
    /// A variable that is removed from its environment, wherever it comes from.
    pub unset: Option<String>,
    /// The streams to the server, if it is not a process.
    pub streams: Option<Streams>,
    /// Its confinement; `None` if it is not confined.
    pub run_confinement: Option<RunConfinement>,
    /// Bounds on what its processes hold together.
    pub bounds: Bounds,
    /// Secrets that are removed from everything it writes.
    pub concealed: Concealed,
}

/// How the message begins that a program could not be started.
pub(crate) const UNSTARTED: &str = "cannot start `";

/// A server that could not be started.
#[derive(Debug, thiserror::Error)]
#[error("{UNSTARTED}{program}`: {cause}")]
pub struct SpawnError {
    program: String,
    cause: String,
    /// Whether the machine cannot run another process, which is not the server's fault.
    pub(crate) is_want_of_room: bool,
}

/// The last bytes that a process has written to standard error.
#[derive(Clone, Default)]
pub(super) struct StandardError(Arc<Mutex<Vec<u8>>>);

impl StandardError {
    fn tail(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a panic was written there since it was last taken.
    pub(super) fn tells_of_panic(&self) -> bool {
        is_panic(&String::from_utf8_lossy(&self.tail()))
    }

    fn push(&self, chunk: &[u8]) {
        let mut tail = self.tail();
        tail.extend_from_slice(chunk);
        let excess = tail.len().saturating_sub(STDERR_TAIL);
        tail.drain(..excess);
    }

    fn take(&self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut *self.tail())).into_owned()
    }
}

/// A running server process. Dropping it ends its whole group.
pub(super) struct Process {
    child: Child,
    pub(super) group: ProcessGroup,
    pub(super) stderr: StandardError,
    /// The task that reads standard error.
    reader: JoinHandle<()>,
    /// The task that watches what the processes hold.
    watcher: JoinHandle<()>,
    /// The bound for which it was ended, if any.
    beyond: Arc<OnceLock<Bound>>,
    concealed: Concealed,
}

impl Process {
    /// Starts a server; also returns its standard input and output.
    ///
    /// # Errors
    /// When the program cannot be started; the message says what to check.
    pub(super) fn spawn(command: &Command) -> Result<(Self, ChildStdin, ChildStdout), SpawnError> {
        let program = command.words.first().cloned().unwrap_or_default();
        let fail = |cause: String| SpawnError { program: program.clone(), cause, is_want_of_room: false };
        let mut builder = match &command.run_confinement {
            None if cfg!(windows) => {
                let path = std::env::var_os("PATH");
                tokio::process::Command::new(with_ending(&program, command.cwd.as_deref(), path.as_deref()))
            }
            None => tokio::process::Command::new(&program),
            Some(run_confinement) => {
                // A confined server is started through another program, so the system would not report that
                // this one is missing.
                let path = std::env::var_os("PATH");
                startable(&program, command.cwd.as_deref(), path.as_deref())
                    .map_err(|kind| fail(spawn_cause(&kind.into())))?;
                let mut builder = run_confinement.builder(command).map_err(fail)?;
                builder.arg(&program);
                builder
            }
        };
        builder
            .args(command.words.iter().skip(1))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        builder.envs(command.env.iter().map(|(name, value)| (name, value)));
        if let Some(name) = &command.unset {
            builder.env_remove(name);
        }
        if let Some(cwd) = &command.cwd {
            builder.current_dir(cwd);
        }
        let prepared = PreparedCommand::new(&mut builder);
        let mut child = builder.spawn().map_err(|error| SpawnError {
            is_want_of_room: cause::is_want_of_room(&error),
            ..fail(spawn_cause(&error))
        })?;
        let group = prepared.begun(&child).map_err(fail)?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(fail("its standard streams could not be opened".to_owned()));
        };
        let tail = StandardError::default();
        let beyond = Arc::default();
        let process = Self {
            reader: tokio::spawn(drain(stderr, tail.clone())),
            watcher: tokio::spawn(watch(group.leader(), command.bounds, Arc::clone(&beyond))),
            child,
            group,
            stderr: tail,
            beyond,
            concealed: command.concealed.clone(),
        };
        Ok((process, stdin, stdout))
    }

    /// How the process ended, once its standard output is closed.
    pub(super) async fn exit(&mut self) -> Exit {
        if let Some(bound) = self.beyond.get() {
            return Exit::Beyond(*bound);
        }
        match tokio::time::timeout(REAP, self.child.wait()).await {
            Ok(Ok(status)) => exit_of(status),
            Ok(Err(_)) | Err(_) => Exit::ClosedOutput,
        }
    }

    /// The process and its children.
    pub(super) fn processes(&self) -> ServerProcesses {
        ServerProcesses { leader: self.group.leader() }
    }

    /// Waits, within limits, until standard error has been read to its end.
    pub(super) async fn drained(&mut self) {
        if !self.reader.is_finished() {
            let _ = tokio::time::timeout(REAP, &mut self.reader).await;
        }
    }

    /// The end of what was written to standard error since the last call of this function.
    pub(super) fn take_stderr(&self) -> String {
        self.concealed.text(&self.stderr.take())
    }

    /// Completes when the process has ended.
    pub(super) async fn reaped(&mut self) {
        let _ = self.child.wait().await;
    }

    /// Kills the process and its group, and waits at most `grace` for it to be gone.
    pub(super) async fn end(&mut self, grace: Duration) {
        self.group.look();
        self.group.end();
        let _ = tokio::time::timeout(grace, self.child.wait()).await;
        self.group.reap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.reader.abort();
        self.watcher.abort();
    }
}

fn spawn_cause(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => {
            "there is no such program; give its path, or the name of a program on PATH".to_owned()
        }
        std::io::ErrorKind::PermissionDenied => {
            "it is a folder, or not executable by this user; give the path of a program, or make it executable \
             with `chmod +x`"
                .to_owned()
        }
        std::io::ErrorKind::WouldBlock => {
            "the process limit is reached; it is set by `ulimit -u` or by a container: raise it, or end \
             other processes"
                .to_owned()
        }
        _ => cause::describe(error),
    }
}

async fn drain(mut stderr: ChildStderr, tail: StandardError) {
    let mut chunk = [0; 8 * 1024];
    while let Ok(count @ 1..) = stderr.read(&mut chunk).await {
        tail.push(&chunk[..count]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_tail_of_standard_error_is_kept() {
        let tail = StandardError::default();
        for number in 0..10_000 {
            tail.push(format!("line {number}\n").as_bytes());
        }
        let text = tail.take();
        assert!(text.ends_with("line 9999\n") && text.len() == STDERR_TAIL);
        assert_eq!(tail.take(), "");
    }
}
