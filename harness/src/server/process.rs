//! One server process in a group of its own: started, fed, drained, and ended with all its children.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::process::Child;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::cause;
use crate::exchange::{Bound, Exit};
use crate::secret::Concealed;
use crate::wire::{LineReader, RawLine};

use super::group::{Group, Prepared, exit_of};
use super::startable::startable;
use super::watch::{Bounds, Meter, watch};
use super::{Enclosure, Streams};

/// The longest line that is kept whole, in bytes.
const LINE_BOUND: usize = 16 * 1024 * 1024;
/// How much of standard error is kept, in bytes.
const STDERR_TAIL: usize = 16 * 1024;
/// How many lines wait in each direction before the other side has to.
const QUEUE: usize = 64;
/// How long a server may take to end by itself once its input is closed.
const GRACE_AFTER_CLOSE: Duration = Duration::from_millis(1500);
/// How long a server may take to end once it was asked to by SIGTERM.
const GRACE_AFTER_TERM: Duration = Duration::from_millis(1000);
/// How long an ended process may take to be reaped.
const REAP: Duration = Duration::from_millis(500);

/// How a server is started; its tokens are replaced already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The program and its arguments; never empty.
    pub words: Vec<String>,
    /// Its working folder; none: the caller's.
    pub cwd: Option<PathBuf>,
    /// Added to its environment.
    pub env: Vec<(String, String)>,
    /// A variable that its environment lacks, whoever sets it.
    pub unset: Option<String>,
    /// Where it is to be found instead, when it is no process of its own.
    pub streams: Option<Streams>,
    /// The walls around it; none: it is not confined.
    pub enclosure: Option<Enclosure>,
    /// What its processes may hold together.
    pub bounds: Bounds,
    /// What is taken out of everything that it writes.
    pub concealed: Concealed,
}

/// A server that could not be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot start `{program}`: {cause}")]
pub struct SpawnError {
    program: String,
    cause: String,
    /// The machine has no room for another process: the server has no part in it.
    pub(crate) is_want_of_room: bool,
}

/// A running server. Dropping it ends its whole group.
pub struct Process {
    /// None where the server lives in this very process.
    child: Option<(Child, Group)>,
    input: Option<mpsc::Sender<Vec<u8>>>,
    lines: mpsc::Receiver<RawLine>,
    stderr: Arc<Mutex<Tail>>,
    /// Why it was ended for what it held.
    beyond: Arc<OnceLock<Bound>>,
    concealed: Concealed,
    tasks: Vec<JoinHandle<()>>,
}

impl Process {
    /// Starts a server.
    ///
    /// # Errors
    /// When the program cannot be started; the message says what to look at.
    pub fn spawn(command: &Command) -> Result<Self, SpawnError> {
        if let Some(streams) = &command.streams {
            let (reader, writer) = streams.open();
            return Ok(Self::over(reader, writer));
        }
        let program = command.words.first().cloned().unwrap_or_default();
        let fail = |cause: String| SpawnError { program: program.clone(), cause, is_want_of_room: false };
        let mut builder = match &command.enclosure {
            None => tokio::process::Command::new(&program),
            Some(enclosure) => {
                // Another program is started first, and so has to be told what the system would say of this one.
                let path = std::env::var_os("PATH");
                startable(&program, command.cwd.as_deref(), path.as_deref())
                    .map_err(|kind| fail(spawn_cause(&kind.into())))?;
                let mut builder = enclosure.builder(command).map_err(fail)?;
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
        let prepared = Prepared::of(&mut builder);
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
        let (input, to_write) = mpsc::channel(QUEUE);
        let (to_read, lines) = mpsc::channel(QUEUE);
        let tail = Arc::new(Mutex::new(Tail::default()));
        let beyond = Arc::default();
        let tasks = vec![
            tokio::spawn(write_lines(stdin, to_write)),
            tokio::spawn(read_lines(stdout, to_read, command.concealed.clone())),
            tokio::spawn(drain(stderr, Arc::clone(&tail))),
            tokio::spawn(watch(group.leader(), command.bounds, Arc::clone(&beyond))),
        ];
        let concealed = command.concealed.clone();
        let child = Some((child, group));
        Ok(Self { child, input: Some(input), lines, stderr: tail, beyond, concealed, tasks })
    }

    /// A server that is no process: what it writes is read, and it reads what is written.
    pub(super) fn over(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        let (input, to_write) = mpsc::channel(QUEUE);
        let (to_read, lines) = mpsc::channel(QUEUE);
        let reading = read_lines(reader, to_read, Concealed::default());
        let tasks = vec![tokio::spawn(write_lines(writer, to_write)), tokio::spawn(reading)];
        Self {
            child: None,
            input: Some(input),
            lines,
            stderr: Arc::default(),
            beyond: Arc::default(),
            concealed: Concealed::default(),
            tasks,
        }
    }

    /// Queues a line for the server's standard input. What happens to it shows in the replies alone: a closed pipe is
    /// the end of the process, which [`Process::next_line`] tells.
    pub async fn send(&self, line: impl Into<Vec<u8>>) {
        if let Some(input) = &self.input {
            let _ = input.send(line.into()).await;
        }
    }

    /// The same where the queue has room; else the line comes back.
    ///
    /// # Errors
    /// The line, where there is no room now. To a server that takes no more it goes as to one that does.
    pub fn try_send(&self, line: Vec<u8>) -> Result<(), Vec<u8>> {
        match self.input.as_ref().map(|input| input.try_send(line)) {
            Some(Err(mpsc::error::TrySendError::Full(line))) => Err(line),
            _ => Ok(()),
        }
    }

    /// Ends when the queue has room.
    pub fn room(&self) -> impl Future<Output = ()> + use<> {
        let input = self.input.clone();
        async move {
            if let Some(input) = input {
                let _ = input.reserve().await;
            }
        }
    }

    /// The next line of standard output, or none when it is closed.
    pub async fn next_line(&mut self) -> Option<RawLine> {
        self.lines.recv().await
    }

    /// A line that has come already.
    pub fn waiting_line(&mut self) -> Option<RawLine> {
        self.lines.try_recv().ok()
    }

    /// How the process ended, once its standard output is closed.
    pub async fn exit(&mut self) -> Exit {
        let Some((child, _)) = &mut self.child else { return Exit::ClosedOutput };
        if let Some(bound) = self.beyond.get() {
            return Exit::Beyond(*bound);
        }
        match tokio::time::timeout(REAP, child.wait()).await {
            Ok(Ok(status)) => exit_of(status),
            Ok(Err(_)) | Err(_) => Exit::ClosedOutput,
        }
    }

    /// Measures its processes; none for a server that is no process of its own.
    pub fn meter(&self) -> Option<Meter> {
        self.child.as_ref().map(|(_, group)| Meter::of(group.leader()))
    }

    /// Waits, within bounds, until standard error was read to its end: what a process says last, it says there.
    pub async fn drained(&mut self) {
        // The third one reads it; a server in this very process has none.
        let Some(stderr) = self.tasks.get_mut(2) else { return };
        if !stderr.is_finished() {
            let _ = tokio::time::timeout(REAP, stderr).await;
        }
    }

    /// What was written to standard error since the last call of this, its tail.
    pub fn take_stderr(&self) -> String {
        let written = self.stderr.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.concealed.text(&written)
    }

    /// Ends the server: input closed, asked to (SIGTERM), killed, each after a grace; then what is left of its group.
    /// Gives the lines that came meanwhile, at most as many as the queue holds at a time.
    pub async fn shutdown(mut self) -> Vec<RawLine> {
        let mut last_lines = Vec::new();
        if let Some((_, group)) = &mut self.child {
            group.look();
        }
        self.input = None;
        if !self.ended_within(GRACE_AFTER_CLOSE, &mut last_lines).await {
            if let Some((_, group)) = &self.child {
                group.ask();
            }
            if !self.ended_within(GRACE_AFTER_TERM, &mut last_lines).await {
                if let Some((_, group)) = &mut self.child {
                    group.kill();
                }
                self.ended_within(GRACE_AFTER_TERM, &mut last_lines).await;
            }
        }
        // Children that outlived their parent are in the group still.
        if let Some((_, group)) = &mut self.child {
            group.end();
        }
        // It may have ended before its last lines were read; nobody is left to write more.
        let rest = async {
            while let Some(line) = self.lines.recv().await {
                if last_lines.len() < QUEUE {
                    last_lines.push(line);
                }
            }
        };
        let _ = tokio::time::timeout(REAP, rest).await;
        last_lines
    }

    /// Ends the server at once.
    pub async fn kill(mut self) {
        if let Some((child, group)) = &mut self.child {
            group.look();
            group.end();
            let _ = tokio::time::timeout(GRACE_AFTER_TERM, child.wait()).await;
            group.reap();
        }
    }

    async fn ended_within(&mut self, grace: Duration, last_lines: &mut Vec<RawLine>) -> bool {
        let lines = &mut self.lines;
        let child = &mut self.child;
        let ended = async {
            let mut open = true;
            loop {
                // A server that is no process has ended when it says no more.
                if child.is_none() && !open {
                    break;
                }
                tokio::select! {
                    line = lines.recv(), if open => match line {
                        Some(line) if last_lines.len() < QUEUE => last_lines.push(line),
                        Some(_) => {}
                        None => open = false,
                    },
                    () = reaped(child) => break,
                }
            }
        };
        tokio::time::timeout(grace, ended).await.is_ok()
    }
}

/// Ends when the process has ended; without one, never.
async fn reaped(child: &mut Option<(Child, Group)>) {
    match child {
        Some((child, _)) => {
            let _ = child.wait().await;
        }
        None => std::future::pending().await,
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

fn spawn_cause(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => {
            let ending =
                if cfg!(windows) { "; a script is named with its ending, such as `npx.cmd`" } else { "" };
            format!("there is no such program; give its path, or the name of a program on PATH{ending}")
        }
        std::io::ErrorKind::PermissionDenied => "it is not executable, at least not by this user".to_owned(),
        std::io::ErrorKind::WouldBlock => {
            "the process limit is reached; it is set by `ulimit -u` or by a container: raise it, or end \
             other processes"
                .to_owned()
        }
        _ => cause::of(error),
    }
}

async fn write_lines(mut stdin: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<Vec<u8>>) {
    let mut waiting = Vec::new();
    let mut out = Vec::new();
    // What waits goes out in one piece: with many calls in flight a system call for each line is most of the cost.
    while lines.recv_many(&mut waiting, QUEUE).await > 0 {
        for line in waiting.drain(..) {
            out.extend_from_slice(&line);
            out.push(b'\n');
        }
        if stdin.write_all(&out).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
        out.clear();
        out.shrink_to(LINE_BOUND);
    }
}

async fn read_lines(stdout: impl AsyncRead + Unpin, to_read: mpsc::Sender<RawLine>, concealed: Concealed) {
    let mut lines = LineReader::new(stdout, LINE_BOUND);
    while let Ok(Some(mut line)) = lines.next().await {
        let length = line.bytes.len();
        (line.bytes, line.end) = (concealed.bytes(line.bytes), concealed.bytes(line.end));
        // As much of it was cut as before.
        line.length = line.length - length + line.bytes.len();
        if to_read.send(line).await.is_err() {
            return;
        }
    }
}

async fn drain(mut stderr: tokio::process::ChildStderr, tail: Arc<Mutex<Tail>>) {
    let mut chunk = [0; 8 * 1024];
    while let Ok(count @ 1..) = stderr.read(&mut chunk).await {
        tail.lock().unwrap_or_else(PoisonError::into_inner).push(&chunk[..count]);
    }
}

/// The last bytes of a stream.
#[derive(Default)]
struct Tail {
    bytes: Vec<u8>,
}

impl Tail {
    fn push(&mut self, chunk: &[u8]) {
        self.bytes.extend_from_slice(chunk);
        if self.bytes.len() > STDERR_TAIL {
            self.bytes.drain(..self.bytes.len() - STDERR_TAIL);
        }
    }

    fn take(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.bytes)).into_owned()
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
