//! A session with many calls in flight.
//!
//! The main type is [`Pipeline`]. It classifies every line in relation to the calls in flight, and waits for
//! none of them: deadlines are left to the caller. With several calls in flight, noise and standard error
//! cannot be assigned to one of them; to get these, the call is sent again alone.

use std::collections::{BTreeSet, VecDeque};

use crate::exchange::{Exit, Malformed, Outcome, StrayMessage};
use crate::server::ServerProcesses;
use crate::server::side_traffic::{SideTraffic, quoted};
use crate::wire::{Body, DecodedLine, IN_A_BATCH, RawLine, ResponseId, id_where_usual};

use super::Session;
use super::incoming::{OversizedLine, answered_in, outcome};

/// A session whose calls are not awaited one by one.
pub struct Pipeline {
    session: Session,
    in_flight: BTreeSet<i64>,
    /// Lines for which the queue to the process has no room yet.
    backlog: VecDeque<Vec<u8>>,
}

/// Decides whether a line answers this call in a way that was seen before.
pub(super) type IsKnownReply<'k> = &'k mut dyn FnMut(i64, &[u8]) -> bool;

/// What a line means for the calls in flight.
#[derive(Debug)]
pub enum Arrival {
    /// The reply to a call in flight.
    Reply {
        /// The id of the call.
        id: i64,
        /// The outcome of the call.
        outcome: Outcome,
        /// The line itself.
        line: RawLine,
        /// What else is wrong with the line.
        stray: Option<StrayMessage>,
    },
    /// The reply to this call, which has a known form and was not parsed.
    Known(i64),
    /// An error without an id: the server could not read some request.
    Unread,
    /// A line that is not a message.
    Noise(String),
    /// A message that answers no call in flight.
    Stray(StrayMessage),
}

impl Session {
    /// Turns the session into one for many calls in flight.
    pub fn into_pipeline(self) -> Pipeline {
        Pipeline { session: self, in_flight: BTreeSet::new(), backlog: VecDeque::new() }
    }
}

impl Pipeline {
    /// Sends a call; `params` is JSON text that is sent unchanged. Returns its id.
    pub fn send(&mut self, params: &str) -> i64 {
        let (id, line) = self.session.compose("tools/call", params);
        self.in_flight.insert(id);
        self.backlog.push_back(line.into_bytes());
        self.push();
        id
    }

    /// Sends several calls in one write, so that a server may have them all before it answers one. Returns their ids.
    pub fn send_at_once(&mut self, calls: &[String]) -> Vec<(i64, String)> {
        let composed: Vec<(i64, String)> =
            calls.iter().map(|params| self.session.compose("tools/call", params)).collect();
        self.in_flight.extend(composed.iter().map(|(id, _)| *id));
        let lines: Vec<&str> = composed.iter().map(|(_, line)| line.as_str()).collect();
        self.backlog.push_back(lines.join("\n").into_bytes());
        self.push();
        composed
    }

    /// The session again, with no call in flight; later replies are late.
    pub fn into_session(mut self) -> Session {
        self.session.given_up.extend(self.in_flight);
        self.session
    }

    /// Hands over as many lines as the queue has room for.
    fn push(&mut self) {
        while let Some(line) = self.backlog.pop_front() {
            if let Err(line) = self.session.transport.try_send(line) {
                self.backlog.push_front(line);
                return;
            }
        }
    }

    /// Gives up a call; a later reply to it is late.
    pub fn give_up(&mut self, id: i64) {
        self.in_flight.remove(&id);
        self.session.given_up.insert(id);
    }

    /// Waits for a line; returns it and those that have arrived already, or `None` if standard output is
    /// closed. Lines that `knows` recognises are not parsed.
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

    /// Its processes.
    pub fn processes(&self) -> Option<ServerProcesses> {
        self.session.processes()
    }

    async fn take(&mut self, raw: RawLine, arrivals: &mut Vec<Arrival>, knows: IsKnownReply<'_>) {
        if raw.is_cut() {
            arrivals.push(self.oversized(raw));
            return;
        }
        // Side traffic before a reply is reported with it.
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
                // Its requests are answered, and not recorded.
                DecodedLine::Request { id, method } => self.session.reply(&id, &method).await,
                DecodedLine::Response { id: Some(ResponseId::Number(id)), body, repeated }
                    if self.in_flight.remove(&id) =>
                {
                    arrivals.push(Arrival::Reply {
                        id,
                        outcome: outcome(body, &bytes),
                        stray: repeated.map(|member| StrayMessage::Repeated { member, line: quoted(&bytes) }),
                        line: RawLine { bytes, length, end: Vec::new() },
                    });
                }
                DecodedLine::Response { id: None, body, .. } if is_unread(&body) => {
                    arrivals.push(Arrival::Unread);
                }
                DecodedLine::Batch(lines)
                    if let Some(id) = answered_in(&lines, |id| self.in_flight.remove(&id)) =>
                {
                    let malformed = Malformed { how: IN_A_BATCH.to_owned(), line: quoted(&bytes) };
                    arrivals.push(Arrival::Reply {
                        id,
                        outcome: Outcome::Malformed(malformed),
                        stray: None,
                        line: RawLine { bytes, length, end: Vec::new() },
                    });
                }
                line => {
                    let mut side = SideTraffic::default();
                    self.session.piece(None, line, &bytes, &mut side).await;
                    arrivals.extend(side.noise.into_iter().map(Arrival::Noise));
                    let belated = side.belated.into_iter().map(|(_, stray)| stray);
                    arrivals.extend(side.strays.into_iter().chain(belated).map(Arrival::Stray));
                }
            }
        }
    }

    fn oversized(&mut self, raw: RawLine) -> Arrival {
        let OversizedLine { id, oversized, .. } = OversizedLine::new(&raw);
        match id {
            Some(ResponseId::Number(id)) if self.in_flight.remove(&id) => {
                Arrival::Reply { id, outcome: Outcome::Oversized(oversized), line: raw, stray: None }
            }
            _ => Arrival::Stray(StrayMessage::Oversized(oversized)),
        }
    }
}

/// At most this many lines are taken before new calls are sent.
const MOST_AT_ONCE: usize = 16;

/// Whether it is JSON-RPC's answer to a line that is not JSON, or not a request.
fn is_unread(body: &Body) -> bool {
    matches!(body, Body::Error(error) if [-32700, -32600].contains(&error.code))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::AsyncWriteExt;

    use super::super::Deadlines;
    use super::*;
    use crate::secret::Concealed;
    use crate::server::transport::Transport;
    use crate::transcript::Lifecycle;

    /// The classification of these lines for three calls in flight whose replies are all known.
    async fn arrivals(lines: &str) -> Vec<String> {
        let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(ours);
        let deadlines = Deadlines { start: Duration::ZERO, call: Duration::ZERO };
        let transport = Transport::over(reader, writer, Concealed::default(), None);
        let session = Session::new(transport, Lifecycle::Legacy, Vec::new(), deadlines);
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
