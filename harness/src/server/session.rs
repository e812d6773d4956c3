//! One session on one process: the lifecycle, and one request in flight at a time.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::exchange::{Aside, Malformed, Outcome, RawReply};
use crate::wire::{
    Body, INITIALIZED, Id, Line, RawLine, Welcome, decode, error_line, initialize_params, notification_line,
    request_line, result_line, welcome,
};

use super::process::{Command, Process, SpawnError};

/// How much of a line is quoted, in bytes.
const QUOTED: usize = 4 * 1024;
/// How many lines of noise and asides are kept for one request.
const KEPT: usize = 50;
const METHOD_NOT_FOUND: i64 = -32601;

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// For the whole start.
    pub start: Duration,
    /// For a call.
    pub call: Duration,
}

/// A session on a server.
pub struct Session {
    process: Process,
    deadlines: Deadlines,
    roots: Vec<String>,
    next_id: i64,
}

/// A request, what became of it, and what came beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The line that was sent.
    pub line: String,
    /// What became of the request.
    pub outcome: Outcome,
    /// See [`crate::exchange::Exchange::reply`].
    pub reply: Option<RawReply>,
    /// See [`crate::exchange::Exchange::noise`].
    pub noise: Vec<String>,
    /// See [`crate::exchange::Exchange::asides`].
    pub asides: Vec<Aside>,
    /// See [`crate::exchange::Exchange::stderr`].
    pub stderr: String,
    /// From sending to the outcome.
    pub elapsed: Duration,
}

/// Why a session did not begin.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The program could not be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The server did not answer `initialize` with a result.
    #[error("{0}")]
    Refused(String),
}

impl Session {
    /// Starts a server and begins a legacy session. Also gives the answer to `initialize`.
    ///
    /// # Errors
    /// When there is no session in the end; the message quotes the tail of standard error.
    pub async fn open(
        command: &Command,
        roots: Vec<String>,
        deadlines: Deadlines,
    ) -> Result<(Self, Welcome, Answer), OpenError> {
        let process = Process::spawn(command)?;
        let mut session = Self { process, deadlines, roots, next_id: 1 };
        let params = initialize_params().to_string();
        let answer = session.request("initialize", &params, deadlines.start).await;
        let greeting = match &answer.outcome {
            Outcome::Result(result) => welcome(result),
            outcome => Err(refusal(outcome)),
        };
        match greeting {
            Ok(greeting) => {
                session.process.send(notification_line(INITIALIZED)).await;
                Ok((session, greeting, answer))
            }
            Err(cause) => {
                session.process.kill().await;
                Err(OpenError::Refused(with_stderr(&cause, &answer.stderr)))
            }
        }
    }

    /// Sends a request and waits for what becomes of it, with the deadline of a call. `params` is JSON text and goes out
    /// byte for byte.
    pub async fn call(&mut self, method: &str, params: &str) -> Answer {
        self.request(method, params, self.deadlines.call).await
    }

    /// The folders of the user's that the server may be told of; here the workspace alone.
    async fn request(&mut self, method: &str, params: &str, deadline: Duration) -> Answer {
        let id = self.next_id;
        self.next_id += 1;
        let line = request_line(id, method, params);
        let mut beside = Beside::default();
        let begun = Instant::now();
        let answered = tokio::time::timeout(deadline, self.exchange(id, line.clone(), &mut beside)).await;
        let outcome = answered.unwrap_or(Outcome::NoReply { waited_ms: millis(deadline) });
        // A server that complains on standard error does so before or right after it answers.
        tokio::task::yield_now().await;
        Answer {
            line,
            outcome,
            reply: beside.reply,
            noise: beside.noise,
            asides: beside.asides,
            stderr: self.process.take_stderr(),
            elapsed: begun.elapsed(),
        }
    }

    async fn exchange(&mut self, id: i64, line: String, beside: &mut Beside) -> Outcome {
        self.process.send(line).await;
        while let Some(raw) = self.process.next_line().await {
            if let Some(outcome) = self.take(id, &raw, beside).await {
                beside.reply = Some(RawReply::of(&raw.bytes, raw.length));
                return outcome;
            }
        }
        Outcome::Ended(self.process.exit().await)
    }

    /// Takes one line: the outcome of the request in flight, or something beside it.
    async fn take(&mut self, id: i64, raw: &RawLine, beside: &mut Beside) -> Option<Outcome> {
        let quoted = quoted(&raw.bytes);
        let malformed = |how: String| Malformed { how, line: quoted.clone() };
        if raw.is_cut() {
            let how = format!("it has {} bytes, more than this program reads of one line", raw.length);
            return Some(Outcome::Malformed(malformed(how)));
        }
        match decode(&raw.bytes) {
            Line::Blank | Line::Notification { .. } => {}
            Line::Noise => beside.noise(quoted),
            Line::Malformed(how) => beside.aside(Aside::Malformed(malformed(how))),
            Line::Request { id, method } => self.reply(&id, &method).await,
            Line::Response { id: Some(Id::Number(of)), body } if of == id => {
                return Some(match body {
                    Body::Result(result) => Outcome::Result(result),
                    Body::Error(error) => Outcome::Error(error),
                    Body::Malformed(how) => Outcome::Malformed(malformed(how)),
                });
            }
            Line::Response { id: Some(Id::Number(of)), .. } if (1..id).contains(&of) => {
                beside.aside(Aside::DuplicateReply(quoted));
            }
            Line::Response { id: Some(_), .. } => beside.aside(Aside::WrongId(quoted)),
            Line::Response { id: None, .. } => {
                beside.aside(Aside::Malformed(malformed("it is a response without an id".to_owned())));
            }
        }
        None
    }

    /// Answers a request of the server's.
    async fn reply(&mut self, id: &str, method: &str) {
        let line = match method {
            "ping" => result_line(id, &json!({})),
            "roots/list" => {
                let roots: Vec<Value> = self.roots.iter().map(|uri| json!({"uri": uri})).collect();
                result_line(id, &json!({"roots": roots}))
            }
            _ => error_line(id, METHOD_NOT_FOUND, "This client does not support the method."),
        };
        self.process.send(line).await;
    }

    /// Ends the server in good order. Gives what came on standard output after the last answer.
    pub async fn close(self) -> (Vec<String>, Vec<Aside>) {
        let mut beside = Beside::default();
        for raw in self.process.shutdown().await {
            let quoted = quoted(&raw.bytes);
            match decode(&raw.bytes) {
                Line::Noise => beside.noise(quoted),
                Line::Malformed(how) => {
                    beside.aside(Aside::Malformed(Malformed { how, line: quoted }));
                }
                Line::Response { .. } => beside.aside(Aside::DuplicateReply(quoted)),
                Line::Blank | Line::Notification { .. } | Line::Request { .. } => {}
            }
        }
        (beside.noise, beside.asides)
    }

    /// Ends the server at once: it is not to be trusted with an orderly end.
    pub async fn kill(self) {
        self.process.kill().await;
    }
}

/// What comes beside the reply to a request.
#[derive(Default)]
struct Beside {
    reply: Option<RawReply>,
    noise: Vec<String>,
    asides: Vec<Aside>,
}

impl Beside {
    fn noise(&mut self, line: String) {
        if self.noise.len() < KEPT {
            self.noise.push(line);
        }
    }

    fn aside(&mut self, aside: Aside) {
        if self.asides.len() < KEPT {
            self.asides.push(aside);
        }
    }
}

fn quoted(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(QUOTED)]).into_owned()
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Why `initialize` gave no session, in words.
fn refusal(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Result(_) => "it answered `initialize` in no known way".to_owned(),
        Outcome::Error(error) => {
            format!("it refused `initialize` with error {}: {}", error.code, error.message)
        }
        Outcome::Malformed(malformed) => {
            format!("its answer to `initialize` is no valid message: {}", malformed.how)
        }
        Outcome::NoReply { waited_ms } => {
            format!("it did not answer `initialize` within {} s", waited_ms / 1000)
        }
        Outcome::Ended(exit) => format!("it ended before it answered `initialize`: {exit}"),
    }
}

/// A cause with the end of what the server said on standard error.
fn with_stderr(cause: &str, stderr: &str) -> String {
    let lines: Vec<&str> = stderr.trim_end().lines().collect();
    if lines.is_empty() {
        return cause.to_owned();
    }
    let tail = lines[lines.len().saturating_sub(8)..].join("\n  ");
    format!("{cause}\nIts standard error ends:\n  {tail}")
}
