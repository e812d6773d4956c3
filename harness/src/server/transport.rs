//! What carries lines to a server and its lines back, whatever that is.
//!
//! The main type is [`Transport`]: two queues of lines, the tasks that carry them, and the process behind them, where the
//! server is one of ours. A session knows this type alone; what carries lines another way (HTTP) is opened here.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::exchange::Exit;
use crate::secret::Concealed;
use crate::wire::{LineReader, RawLine};

use super::process::{Command, Process, SpawnError};
use super::watch::Meter;

/// The longest line that is kept whole, in bytes.
const LINE_BOUND: usize = 16 * 1024 * 1024;
/// How many lines wait in each direction before the other side has to.
const QUEUE: usize = 64;
/// How long a server may take to end by itself once its input is closed.
const GRACE_AFTER_CLOSE: Duration = Duration::from_millis(1500);
/// How long a server may take to end once it was asked to by SIGTERM.
const GRACE_AFTER_TERM: Duration = Duration::from_millis(1000);
/// How long an ended server's last lines may take to be read.
const LAST_LINES: Duration = Duration::from_millis(500);

/// A way to a running server, in lines. Dropping it ends what it started.
pub struct Transport {
    input: Option<mpsc::Sender<Vec<u8>>>,
    lines: mpsc::Receiver<RawLine>,
    carriers: [JoinHandle<()>; 2],
    /// None if the server is no process that we started.
    process: Option<Process>,
}

impl Transport {
    /// Opens the way to a server: starts it, or connects to it where it lives in this very process.
    ///
    /// # Errors
    /// When the program cannot be started; the message says what to look at.
    pub fn open(command: &Command) -> Result<Self, SpawnError> {
        if let Some(streams) = &command.streams {
            let (reader, writer) = streams.open();
            return Ok(Self::over(reader, writer));
        }
        let (process, stdin, stdout) = Process::spawn(command)?;
        Ok(Self::carried(stdout, stdin, command.concealed.clone(), Some(process)))
    }

    /// A server that is no process: what it writes is read, and it reads what is written.
    pub(super) fn over(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self::carried(reader, writer, Concealed::default(), None)
    }

    fn carried(
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

    /// Queues a line for the server. What happens to it shows in the replies alone: a closed way is the end of the
    /// server, which [`Transport::next_line`] tells.
    pub async fn send(&self, line: impl Into<Vec<u8>>) {
        if let Some(input) = &self.input {
            let _ = input.send(line.into()).await;
        }
    }

    /// Sends a line if the queue has room.
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

    /// The next line of the server's, or none when it says no more.
    pub async fn next_line(&mut self) -> Option<RawLine> {
        self.lines.recv().await
    }

    /// A line that has come already.
    pub fn waiting_line(&mut self) -> Option<RawLine> {
        self.lines.try_recv().ok()
    }

    /// How the server ended, once it says no more.
    pub async fn exit(&mut self) -> Exit {
        match &mut self.process {
            Some(process) => process.exit().await,
            None => Exit::ClosedOutput,
        }
    }

    /// Measures its processes; none for a server that is no process of its own.
    pub fn meter(&self) -> Option<Meter> {
        self.process.as_ref().map(Process::meter)
    }

    /// Waits, within bounds, until standard error was read to its end: what a process says last, it says there.
    pub async fn drained(&mut self) {
        if let Some(process) = &mut self.process {
            process.drained().await;
        }
    }

    /// What was written to standard error since the last call of this, its tail.
    pub fn take_stderr(&self) -> String {
        self.process.as_ref().map(Process::take_stderr).unwrap_or_default()
    }

    /// Ends the server: input closed, asked to (SIGTERM), killed, each after a grace; then what is left of its group.
    /// Gives the lines that came meanwhile, at most as many as the queue holds at a time.
    pub async fn shutdown(mut self) -> Vec<RawLine> {
        let mut last_lines = Vec::new();
        if let Some(process) = &mut self.process {
            process.look();
        }
        self.input = None;
        if !self.ended_within(GRACE_AFTER_CLOSE, &mut last_lines).await {
            if let Some(process) = &self.process {
                process.ask();
            }
            if !self.ended_within(GRACE_AFTER_TERM, &mut last_lines).await {
                if let Some(process) = &mut self.process {
                    process.kill();
                }
                self.ended_within(GRACE_AFTER_TERM, &mut last_lines).await;
            }
        }
        // Children that outlived their parent are in the group still.
        if let Some(process) = &mut self.process {
            process.end_group();
        }
        // It may have ended before its last lines were read; nobody is left to write more.
        let rest = async {
            while let Some(line) = self.lines.recv().await {
                if last_lines.len() < QUEUE {
                    last_lines.push(line);
                }
            }
        };
        let _ = tokio::time::timeout(LAST_LINES, rest).await;
        last_lines
    }

    /// Ends the server at once.
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
                // A server that is no process has ended when it says no more.
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

/// Ends when the process has ended; without one, never.
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

#[cfg(unix)]
#[cfg(test)]
mod tests;
