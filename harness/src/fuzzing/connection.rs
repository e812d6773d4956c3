//! A session with a server on the other side of a stream in memory.
//!
//! The main type is [`Connection`]: one call in flight, no process, no clock but the deadline.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex};

use crate::catalog::Catalog;
use crate::exchange::{Exit, LivenessCheck, Malformed, Outcome, StrayMessage};
use crate::transcript::{Head, IN_PROCESS};
use crate::wire::{
    Body, DecodedLine, IN_A_BATCH, INITIALIZE, INITIALIZED, ResponseId, decode, error_line,
    initialize_params, notification_line, request_line, welcome,
};

/// Starts a server on its side of a stream.
pub(super) type Connect = Box<dyn Fn(DuplexStream) -> Pin<Box<dyn Future<Output = ()> + Send>>>;

/// The capacity of the stream in bytes; a longer line waits for its reader.
const BUFFER: usize = 256 * 1024;
/// Longer lines are not read.
const LINE: usize = 16 * 1024 * 1024;
/// At most this many pages of a listing are read.
const PAGES: usize = 100;
const METHOD_NOT_FOUND: i64 = -32601;

/// A session.
pub(super) struct Connection {
    stream: BufReader<DuplexStream>,
    next_id: i64,
}

/// The result of a request.
#[derive(Debug)]
pub(super) struct AnsweredInProcess {
    /// The line that was sent.
    pub(super) line: String,
    /// The id that it was sent with.
    pub(super) id: i64,
    pub(super) outcome: Outcome,
    /// The line of the reply.
    pub(super) reply: Vec<u8>,
    pub(super) noise: Vec<String>,
    pub(super) strays: Vec<StrayMessage>,
}

impl AnsweredInProcess {
    /// Whether the server has ended, or what it sends next may still answer this request.
    pub(super) fn is_last(&self) -> bool {
        matches!(self.outcome, Outcome::Ended(_) | Outcome::NoReply { .. })
    }
}

impl Connection {
    /// Begins a session; also returns the head with what the server says about itself.
    pub(super) async fn begin(open: &Connect, deadline: Duration) -> Result<(Self, Head), String> {
        let (ours, theirs) = duplex(BUFFER);
        tokio::spawn(open(theirs));
        let mut connection = Self { stream: BufReader::with_capacity(16 * 1024, ours), next_id: 1 };
        let params = initialize_params().to_string();
        let greeting = connection.result(INITIALIZE, &params, deadline).await?;
        let welcome = welcome(&greeting)?;
        connection.send(notification_line(INITIALIZED)).await;
        let mut catalog = Catalog::default();
        let mut params = "{}".to_owned();
        for _ in 0..PAGES {
            let page = connection.result("tools/list", &params, deadline).await?;
            catalog.add_page(&page);
            let Some(cursor) = page.get("nextCursor").filter(|cursor| cursor.is_string()) else { break };
            params = format!("{{\"cursor\":{cursor}}}");
        }
        if catalog.tools.is_empty() {
            return Err("it lists no tools".to_owned());
        }
        let head = Head {
            command: vec![IN_PROCESS.to_owned()],
            server_name: welcome.name,
            server_version: welcome.version,
            protocol_version: welcome.protocol_version,
            catalog,
            ..Head::of("")
        };
        Ok((connection, head))
    }

    async fn result(&mut self, method: &str, params: &str, deadline: Duration) -> Result<Value, String> {
        match self.ask(method, params, deadline).await.outcome {
            Outcome::Result(result) => Ok(result),
            other => Err(format!("`{method}` was answered with {other:?}")),
        }
    }

    /// Sends a request and waits for its outcome.
    pub(super) async fn ask(&mut self, method: &str, params: &str, deadline: Duration) -> AnsweredInProcess {
        let id = self.next_id;
        self.next_id += 1;
        let line = request_line(id, method, params);
        let mut answer = AnsweredInProcess {
            line: line.clone(),
            id,
            outcome: Outcome::Ended(Exit::ClosedOutput),
            reply: Vec::new(),
            noise: Vec::new(),
            strays: Vec::new(),
        };
        let answered = async {
            self.send(line).await;
            while let Some(bytes) = self.next_line().await {
                if let Some(outcome) = self.take(&bytes, &mut answer).await {
                    answer.outcome = outcome;
                    answer.reply = bytes;
                    return;
                }
            }
        };
        if tokio::time::timeout(deadline, answered).await.is_err() {
            let waited_ms = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
            answer.outcome = Outcome::NoReply { waited_ms, liveness: LivenessCheck::Unasked };
        }
        answer
    }

    /// Sends a line. If the server has ended, that shows when reading.
    async fn send(&mut self, mut line: String) {
        line.push('\n');
        let _ = self.stream.get_mut().write_all(line.as_bytes()).await;
    }

    async fn next_line(&mut self) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        loop {
            let chunk = self.stream.fill_buf().await.ok()?;
            if chunk.is_empty() {
                return (!line.is_empty()).then_some(line);
            }
            let newline = chunk.iter().position(|byte| *byte == b'\n');
            let part = &chunk[..newline.unwrap_or(chunk.len())];
            line.extend_from_slice(part);
            let used = part.len() + usize::from(newline.is_some());
            self.stream.consume(used);
            if newline.is_some() || line.len() > LINE {
                return Some(line);
            }
        }
    }

    /// Handles a line: returns the outcome of the request in flight, or records it as side traffic.
    async fn take(&mut self, bytes: &[u8], answer: &mut AnsweredInProcess) -> Option<Outcome> {
        let quoted = || String::from_utf8_lossy(bytes).into_owned();
        match decode(bytes) {
            DecodedLine::Blank | DecodedLine::Notification { .. } => None,
            DecodedLine::Noise => {
                answer.noise.push(quoted());
                None
            }
            DecodedLine::Request { id, .. } => {
                self.send(error_line(&id, METHOD_NOT_FOUND, "This client has no such method.")).await;
                None
            }
            DecodedLine::Malformed(how) => {
                answer.strays.push(StrayMessage::Malformed(Malformed { how, line: quoted() }));
                None
            }
            DecodedLine::Batch(_) => {
                Some(Outcome::Malformed(Malformed { how: IN_A_BATCH.to_owned(), line: quoted() }))
            }
            DecodedLine::Response { id, body, repeated } => {
                if let Some(member) = repeated {
                    answer.strays.push(StrayMessage::Repeated { member, line: quoted() });
                }
                if id != Some(ResponseId::Number(answer.id)) {
                    answer.strays.push(StrayMessage::WrongId(quoted()));
                }
                Some(match body {
                    Body::Result(result) => Outcome::Result(result),
                    Body::Error(error) => Outcome::Error(error),
                    Body::Malformed(how) => Outcome::Malformed(Malformed { how, line: quoted() }),
                })
            }
        }
    }
}
