//! A session with many calls in flight.
//!
//! The main type is [`Pipeline`]. It gives every line as what it is for the calls in flight, and waits for none of them:
//! deadlines are the caller's affair. What surrounds a single call, its noise and its standard error, cannot be assigned to it
//! where several are in flight; who needs that sends the call again, alone.

use std::collections::{BTreeSet, VecDeque};

use crate::exchange::{Exit, Malformed, Outcome, Oversized, StrayMessage};
use crate::server::side_traffic::quoted;
use crate::transcript::Lifecycle;
use crate::wire::{
    Body, DecodedLine, IN_A_BATCH, RawLine, ResponseId, id_where_usual, request_line, response_id,
    scan_prefix, with_meta,
};

use super::Session;
use super::incoming::{outcome, without_id};
use crate::server::Meter;

/// A session whose calls are not waited for one by one.
pub struct Pipeline {
    session: Session,
    in_flight: BTreeSet<i64>,
    /// Lines for which the queue to the process had no room yet.
    backlog: VecDeque<Vec<u8>>,
}

/// Whether a line is a reply to this call whose like was read before.
pub(super) type IsKnownReply<'k> = &'k mut dyn FnMut(i64, &[u8]) -> bool;

/// What a line is for the calls in flight.
#[derive(Debug)]
pub enum Arrival {
    /// The reply to a call in flight.
    Reply {
        /// The call's id.
        id: i64,
        /// What it says.
        outcome: Outcome,
        /// The line.
        line: RawLine,
        /// What is wrong with the line besides.
        stray: Option<StrayMessage>,
    },
    /// The reply to this call, which is known and was not read.
    Known(i64),
    /// An error that says of no request which one it answers: the server could not read it.
    Unread,
    /// A line that is no message.
    Noise(String),
    /// A message that answers nothing that is waited for.
    Stray(StrayMessage),
}

impl Session {
    /// The session, for many calls in flight.
    pub fn into_pipeline(self) -> Pipeline {
        Pipeline { session: self, in_flight: BTreeSet::new(), backlog: VecDeque::new() }
    }
}

impl Pipeline {
    /// Sends a call; `params` is JSON text and goes out byte for byte. Gives its id.
    pub fn send(&mut self, params: &str) -> i64 {
        let id = self.session.next_id;
        self.session.next_id += 1;
        let line = match self.session.lifecycle {
            Lifecycle::Legacy => request_line(id, "tools/call", params),
            Lifecycle::Modern => request_line(id, "tools/call", &with_meta(params)),
        };
        self.in_flight.insert(id);
        self.backlog.push_back(line.into_bytes());
        self.push();
        id
    }

    /// Hands over as many lines as the queue takes now.
    fn push(&mut self) {
        while let Some(line) = self.backlog.pop_front() {
            if let Err(line) = self.session.transport.try_send(line) {
                self.backlog.push_front(line);
                return;
            }
        }
    }

    /// A call that is not waited for any more; a reply to it is late.
    pub fn give_up(&mut self, id: i64) {
        self.in_flight.remove(&id);
        self.session.given_up.insert(id);
    }

    /// What the next line is, and those that have come already; none when standard output is closed. What is known is
    /// not read.
    pub async fn next(&mut self, knows: IsKnownReply<'_>) -> Option<Vec<Arrival>> {
        let first = loop {
            self.push();
            if self.backlog.is_empty() {
                break self.session.transport.next_line().await?;
            }
            let room = self.session.transport.room();
            tokio::select! {
                biased;
                line = self.session.transport.next_line() => break line?,
                () = room => {}
            }
        };
        let mut arrivals = Vec::new();
        self.take(first, &mut arrivals, knows).await;
        while arrivals.len() < MOST_AT_ONCE
            && let Some(line) = self.session.transport.waiting_line()
        {
            self.take(line, &mut arrivals, knows).await;
        }
        Some(arrivals)
    }

    /// How the process ended, once its standard output is closed.
    pub async fn exit(&mut self) -> Exit {
        self.session.transport.exit().await
    }

    /// What measures its processes.
    pub fn meter(&self) -> Option<Meter> {
        self.session.meter()
    }

    /// Ends the server in good order.
    pub async fn close(self) {
        drop(self.session.close().await);
    }

    /// Ends the server at once.
    pub async fn kill(self) {
        self.session.kill().await;
    }

    async fn take(&mut self, raw: RawLine, arrivals: &mut Vec<Arrival>, knows: IsKnownReply<'_>) {
        if raw.is_cut() {
            arrivals.push(self.oversized(raw));
            return;
        }
        // What came beside a reply is reported with it.
        let is_alone = !matches!(arrivals.last(), Some(Arrival::Noise(_) | Arrival::Stray(_)));
        if is_alone
            && !self.session.assembler.is_holding()
            && let Some(id) = id_where_usual(&raw.bytes).filter(|id| self.in_flight.contains(id))
            && knows(id, &raw.bytes)
        {
            self.in_flight.remove(&id);
            arrivals.push(Arrival::Known(id));
            return;
        }
        let length = raw.length;
        for (line, bytes) in self.session.assembler.take(raw.bytes) {
            match line {
                DecodedLine::Blank | DecodedLine::Notification { .. } => {}
                DecodedLine::Noise => arrivals.push(Arrival::Noise(quoted(&bytes))),
                DecodedLine::Malformed(how) => arrivals.push(Arrival::Stray(malformed(how, &bytes))),
                DecodedLine::Request { id, method } => self.session.reply(&id, &method).await,
                DecodedLine::Batch(lines) => arrivals.push(self.batch(&lines, bytes, length)),
                DecodedLine::Response { id, body, repeated } => {
                    let stray =
                        repeated.map(|member| StrayMessage::Repeated { member, line: quoted(&bytes) });
                    arrivals.push(match id {
                        Some(ResponseId::Number(id)) if self.in_flight.remove(&id) => Arrival::Reply {
                            id,
                            outcome: outcome(body, &bytes),
                            line: RawLine { bytes, length, end: Vec::new() },
                            stray,
                        },
                        Some(ResponseId::Number(id)) if self.session.given_up.remove(&id) => {
                            Arrival::Stray(StrayMessage::Late(quoted(&bytes)))
                        }
                        Some(ResponseId::Number(id)) if (1..self.session.next_id).contains(&id) => {
                            Arrival::Stray(StrayMessage::DuplicateReply(quoted(&bytes)))
                        }
                        Some(_) => Arrival::Stray(StrayMessage::WrongId(quoted(&bytes))),
                        None if is_unread(&body) => Arrival::Unread,
                        None => Arrival::Stray(malformed(without_id(&body), &bytes)),
                    });
                }
            }
        }
    }

    fn batch(&mut self, lines: &[DecodedLine], bytes: Vec<u8>, length: usize) -> Arrival {
        let ours = lines.iter().find_map(|line| match line {
            DecodedLine::Response { id: Some(ResponseId::Number(id)), .. } => {
                Some(*id).filter(|id| self.in_flight.contains(id))
            }
            _ => None,
        });
        let malformed = Malformed { how: IN_A_BATCH.to_owned(), line: quoted(&bytes) };
        match ours {
            Some(id) => {
                self.in_flight.remove(&id);
                let line = RawLine { bytes, length, end: Vec::new() };
                Arrival::Reply { id, outcome: Outcome::Malformed(malformed), line, stray: None }
            }
            None => Arrival::Stray(StrayMessage::Malformed(malformed)),
        }
    }

    fn oversized(&mut self, raw: RawLine) -> Arrival {
        let beginning = String::from_utf8_lossy(&raw.bytes[..raw.bytes.len().min(64 * 1024)]);
        let id =
            scan_prefix(&beginning).id.or_else(|| crate::wire::id_at_end(&String::from_utf8_lossy(&raw.end)));
        let oversized =
            Oversized { bytes: u64::try_from(raw.length).unwrap_or(u64::MAX), line: quoted(&raw.bytes) };
        match id.as_deref().and_then(response_id) {
            Some(ResponseId::Number(id)) if self.in_flight.remove(&id) => {
                Arrival::Reply { id, outcome: Outcome::Oversized(oversized), line: raw, stray: None }
            }
            _ => Arrival::Stray(StrayMessage::Oversized(oversized)),
        }
    }
}

/// At most this many lines are taken before the calls that they make room for are sent.
const MOST_AT_ONCE: usize = 16;

/// Whether it is the answer that JSON-RPC has for a line that is no JSON, or no request.
fn is_unread(body: &Body) -> bool {
    matches!(body, Body::Error(error) if [-32700, -32600].contains(&error.code))
}

fn malformed(how: String, bytes: &[u8]) -> StrayMessage {
    StrayMessage::Malformed(Malformed { how, line: quoted(bytes) })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::AsyncWriteExt;

    use super::super::{Deadlines, TimeReserve};
    use super::*;
    use crate::server::transport::Transport;
    use crate::wire::Assembler;

    /// What each of these lines is for three calls in flight where every reply is known.
    async fn arrivals(lines: &str) -> Vec<String> {
        let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(ours);
        let session = Session {
            transport: Transport::over(reader, writer),
            lifecycle: Lifecycle::Legacy,
            deadlines: Deadlines { start: Duration::ZERO, call: Duration::ZERO },
            roots: Vec::new(),
            next_id: 1,
            assembler: Assembler::default(),
            given_up: BTreeSet::new(),
            reserve: TimeReserve::default(),
        };
        let mut pipeline = session.into_pipeline();
        (0..3).for_each(|_| assert!(pipeline.send("{}") > 0));
        theirs.write_all(lines.as_bytes()).await.unwrap();
        theirs.shutdown().await.unwrap();
        let mut lines = Vec::new();
        while let Some(arrivals) = pipeline.next(&mut |_, _| true).await {
            lines.extend(arrivals.into_iter().map(|arrival| match arrival {
                Arrival::Known(id) => format!("known {id}"),
                Arrival::Reply { id, .. } => format!("reply {id}"),
                Arrival::Noise(_) => "noise".to_owned(),
                Arrival::Unread => "unread".to_owned(),
                Arrival::Stray(stray) => {
                    format!("{stray:?}").split('(').next().unwrap_or_default().to_owned()
                }
            }));
        }
        lines
    }

    #[tokio::test]
    async fn a_known_reply_is_not_read_where_nothing_came_before_it() {
        let reply = |id: i64| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n");
        let lines = [reply(1), "log\n".to_owned(), reply(2), reply(3)].concat();
        assert_eq!(arrivals(&lines).await, ["known 1", "noise", "reply 2", "known 3"]);
        let lines = [reply(2), reply(2), reply(9), reply(1)].concat();
        assert_eq!(arrivals(&lines).await, ["known 2", "DuplicateReply", "WrongId", "reply 1"]);
    }

    #[tokio::test]
    async fn a_reply_is_read_while_lines_are_held_that_may_be_a_message() {
        let lines = "{\n\"a\":\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n}\n";
        assert_eq!(arrivals(lines).await, ["noise", "noise", "reply 1", "noise"]);
    }
}
