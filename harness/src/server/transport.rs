//! Carries lines to a server and back, by whatever means.
//!
//! The main type is [`Transport`]: two queues of lines, the tasks that carry them, and the server's process, if
//! this program started one. A session uses only this type; another means of transport (HTTP) would be opened
//! here.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::exchange::Exit;
use crate::secret::Concealed;
use crate::wire::{LineReader, RawLine};

use super::process::{Command, Process, SpawnError, StandardError};
use super::watch::ServerProcesses;

/// The longest line that is kept whole, in bytes.
const LINE_BOUND: usize = 16 * 1024 * 1024;
/// How many lines wait in each direction before the sender has to wait.
const QUEUE: usize = 64;
/// How long a server may take to end after its input is closed.
const GRACE_AFTER_CLOSE: Duration = Duration::from_millis(1500);
/// How long a server may take to end after SIGTERM.
const GRACE_AFTER_TERM: Duration = Duration::from_millis(1000);
/// How long reading an ended server's last lines may take.
const LAST_LINES: Duration = Duration::from_millis(500);

/// A connection to a running server, in lines. Dropping it ends what it started.
pub struct Transport {
    input: Option<mpsc::Sender<Vec<u8>>>,
    lines: mpsc::Receiver<RawLine>,
    carriers: [JoinHandle<()>; 2],
    /// `None` if the server is not a process that this program started.
    process: Option<Process>,
}

/// How a server was shut down.
pub struct Shutdown {
    /// The lines that came meanwhile, no more than the queue holds.
    pub last_lines: Vec<RawLine>,
    /// How long it was still running after its standard input was closed, if it did not end in time.
    pub outlived: Option<Duration>,
}

impl Transport {
    /// Connects to a server: starts it, or opens its streams if it lives in this process.
    ///
    /// # Errors
    /// When the program cannot be started; the message says what to check.
    pub fn open(command: &Command) -> Result<Self, SpawnError> {
        if let Some(streams) = &command.streams {
            let (reader, writer) = streams.open();
            return Ok(Self::over(reader, writer, Concealed::default(), None));
        }
        let (process, stdin, stdout) = Process::spawn(command)?;
        Ok(Self::over(stdout, stdin, command.concealed.clone(), Some(process)))
    }

    /// A connection to a server over streams.
    pub(super) fn over(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        concealed: Concealed,
        process: Option<Process>,
    ) -> Self {
        let (input, to_write) = mpsc::channel(QUEUE);
        let (to_read, lines) = mpsc::channel(QUEUE);
        let carriers = [
            tokio::spawn(write_lines(writer, to_write)),
            tokio::spawn(read_lines(reader, to_read, concealed)),
        ];
        Self { input: Some(input), lines, carriers, process }
    }

    /// Queues a line for the server. Failures show only in the replies: a closed connection is the end of the
    /// server, which [`Transport::next_line`] reports.
    pub async fn send(&self, line: impl Into<Vec<u8>>) {
        if let Some(input) = &self.input {
            let _ = input.send(line.into()).await;
        }
    }

    /// Sends a line if the queue has room.
    ///
    /// # Errors
    /// The line, if there is no room. A server that has closed its input counts as having room.
    pub fn try_send(&self, line: Vec<u8>) -> Result<(), Vec<u8>> {
        match self.input.as_ref().map(|input| input.try_send(line)) {
            Some(Err(mpsc::error::TrySendError::Full(line))) => Err(line),
            _ => Ok(()),
        }
    }

    /// Completes when the queue has room.
    pub fn room(&self) -> impl Future<Output = ()> + use<> {
        let input = self.input.clone();
        async move {
            if let Some(input) = input {
                let _ = input.reserve().await;
            }
        }
    }

    /// The next line from the server, or `None` when no more will come.
    pub async fn next_line(&mut self) -> Option<RawLine> {
        self.lines.recv().await
    }

    /// A line that has arrived already.
    pub fn waiting_line(&mut self) -> Option<RawLine> {
        self.lines.try_recv().ok()
    }

    /// How the server ended, once no more lines come.
    pub async fn exit(&mut self) -> Exit {
        match &mut self.process {
            Some(process) => process.exit().await,
            None => Exit::ClosedOutput,
        }
    }

    /// Its processes; `None` if the server is not a process.
    pub fn processes(&self) -> Option<ServerProcesses> {
        self.process.as_ref().map(Process::processes)
    }

    /// Whether what is sent can still reach the server.
    pub(super) fn takes_input(&self) -> bool {
        self.input.is_some()
    }

    /// Waits, within limits, until standard error has been read to its end, because a process's last words
    /// stand there.
    pub async fn drained(&mut self) {
        if let Some(process) = &mut self.process {
            process.drained().await;
        }
    }

    /// What is written to standard error; `None` if the server is not a process.
    pub(super) fn standard_error(&self) -> Option<StandardError> {
        self.process.as_ref().map(|process| process.stderr.clone())
    }

    /// The end of what was written to standard error since the last call of this function.
    pub fn take_stderr(&self) -> String {
        self.process.as_ref().map(Process::take_stderr).unwrap_or_default()
    }

    /// Shuts the server down: closes its input, sends SIGTERM, kills it, with a pause before each step; then
    /// ends what is left of its group.
    pub async fn shutdown(&mut self) -> Shutdown {
        let (mut last_lines, mut outlived) = (Vec::new(), None);
        if let Some(process) = &mut self.process {
            process.group.look();
        }
        self.input = None;
        if !self.ended_within(GRACE_AFTER_CLOSE, &mut last_lines).await {
            outlived = Some(GRACE_AFTER_CLOSE);
            if let Some(process) = &self.process {
                process.group.ask();
            }
            if !self.ended_within(GRACE_AFTER_TERM, &mut last_lines).await {
                if let Some(process) = &mut self.process {
                    process.group.kill();
                }
                self.ended_within(GRACE_AFTER_TERM, &mut last_lines).await;
            }
        }
        // Children that outlived their parent are still in the group.
        if let Some(process) = &mut self.process {
            process.group.end();
        }
        // It may have ended before its last lines were read; nothing more is being written.
        let rest = async {
            while let Some(line) = self.lines.recv().await {
                if last_lines.len() < QUEUE {
                    last_lines.push(line);
                }
            }
        };
        let _ = tokio::time::timeout(LAST_LINES, rest).await;
        Shutdown { last_lines, outlived }
    }

    /// Kills the server.
    pub async fn kill(mut self) {
        if let Some(process) = &mut self.process {
            process.end(GRACE_AFTER_TERM).await;
        }
    }

    async fn ended_within(&mut self, grace: Duration, last_lines: &mut Vec<RawLine>) -> bool {
        let lines = &mut self.lines;
        let process = &mut self.process;
        let ended = async {
            let mut open = true;
            loop {
                // A server that is not a process has ended when its stream is closed.
                if process.is_none() && !open {
                    break;
                }
                tokio::select! {
                    line = lines.recv(), if open => match line {
                        Some(line) if last_lines.len() < QUEUE => last_lines.push(line),
                        Some(_) => {}
                        None => open = false,
                    },
                    () = reaped(process) => break,
                }
            }
        };
        tokio::time::timeout(grace, ended).await.is_ok()
    }
}

/// Completes when the process has ended; never if there is none.
async fn reaped(process: &mut Option<Process>) {
    match process {
        Some(process) => process.reaped().await,
        None => std::future::pending().await,
    }
}

impl Drop for Transport {
    fn drop(&mut self) {
        for task in &self.carriers {
            task.abort();
        }
    }
}

async fn write_lines(mut stdin: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<Vec<u8>>) {
    let mut waiting = Vec::new();
    let mut out = Vec::new();
    // Waiting lines are written in one piece: with many calls in flight, one system call for each line would be
    // most of the cost.
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
        // The part that was cut off stays the same.
        line.length = line.length - length + line.bytes.len();
        if to_read.send(line).await.is_err() {
            return;
        }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
