//! One session on one process: the lifecycle, and one request in flight at a time.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::exchange::{Aside, Malformed, Outcome, Oversized, Pulse, RawReply};
use crate::transcript::Lifecycle;
use crate::wire::{
    Assembler, Body, DISCOVER, IN_A_BATCH, INITIALIZE, INITIALIZED, Id, Line, RawLine, Welcome, discovered,
    error_line, glimpse, id_at_end, initialize_params, notification_line, request_line, response_id,
    result_line, welcome, with_meta,
};

use super::beside::{Beside, quoted};
use super::process::{Command, Process, SpawnError};
use super::refusal::{refusal, with_noise, with_stderr};

const METHOD_NOT_FOUND: i64 = -32601;
/// How long to wait for a better reply once one came that does not say which request it answers.
const GRACE: Duration = Duration::from_secs(2);
/// How long a server that left a call unanswered may take to show that it lives.
const PULSE: Duration = Duration::from_secs(2);

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
    lifecycle: Lifecycle,
    deadlines: Deadlines,
    roots: Vec<String>,
    next_id: i64,
    assembler: Assembler,
    /// Requests that were given up: a reply to one of them is late.
    given_up: BTreeSet<i64>,
}

/// A request, what became of it, and what came beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The id that it was sent with.
    pub id: i64,
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
    /// What belongs to an earlier request of the session, by its id.
    pub belated: Vec<(i64, Aside)>,
    /// See [`crate::exchange::Exchange::stderr`].
    pub stderr: String,
    /// From sending to the outcome.
    pub elapsed: Duration,
}

/// What came after the last answer.
#[derive(Debug, Default, PartialEq)]
pub struct Rest {
    /// Lines that are no messages.
    pub noise: Vec<String>,
    /// What belongs to the last request.
    pub asides: Vec<Aside>,
    /// What belongs to an earlier request of the session, by its id.
    pub belated: Vec<(i64, Aside)>,
}

/// Why a session did not begin.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The program could not be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The server did not begin a session.
    #[error("{0}")]
    Refused(String),
}

/// What a line is for the request in flight.
enum Taken {
    /// It is the reply.
    Reply(Outcome),
    /// It may be the reply, though it does not say so: it is, unless a better one comes soon.
    Perhaps(Outcome),
    /// Something else, dealt with.
    Other,
}

impl Session {
    /// Starts a server and begins a session. Also gives the answer to its first request.
    ///
    /// # Errors
    /// When there is no session in the end; the message quotes the tail of standard error.
    pub async fn open(
        command: &Command,
        lifecycle: Lifecycle,
        roots: Vec<String>,
        deadlines: Deadlines,
    ) -> Result<(Self, Welcome, Answer), OpenError> {
        let process = Process::spawn(command)?;
        let mut session = Self {
            process,
            lifecycle,
            deadlines,
            roots,
            next_id: 1,
            assembler: Assembler::default(),
            given_up: BTreeSet::new(),
        };
        let (method, params) = first_request(lifecycle);
        let answer = session.request(method, &params.to_string(), deadlines.start).await;
        let greeting = match (&answer.outcome, lifecycle) {
            (Outcome::Result(result), Lifecycle::Legacy) => welcome(result),
            (Outcome::Result(result), Lifecycle::Modern) => discovered(result),
            (outcome, _) => Err(refusal(method, outcome)),
        };
        match greeting {
            Ok(greeting) => {
                if lifecycle == Lifecycle::Legacy {
                    session.process.send(notification_line(INITIALIZED)).await;
                }
                Ok((session, greeting, answer))
            }
            Err(cause) => {
                session.process.kill().await;
                let cause = with_noise(&cause, &answer.noise);
                Err(OpenError::Refused(with_stderr(&cause, &answer.stderr)))
            }
        }
    }

    /// Sends a request and waits for what becomes of it, with the deadline of a call. `params` is JSON text and goes out
    /// byte for byte. Where no reply comes the server is asked whether it lives.
    pub async fn call(&mut self, method: &str, params: &str) -> Answer {
        let begun = Instant::now();
        let mut answer = self.request(method, params, self.deadlines.call).await;
        if let Outcome::NoReply { pulse, .. } = &mut answer.outcome {
            let mut beside = Beside::default();
            *pulse = self.pulse(answer.id, begun, &mut beside).await;
            answer.noise.extend(beside.noise);
            answer.asides.extend(beside.asides);
            answer.belated.extend(beside.belated);
            answer.stderr.push_str(&self.process.take_stderr());
        }
        answer
    }

    /// Sends a line as it is, whatever it holds; what comes of it shows in the replies to later requests.
    pub async fn send_raw(&mut self, line: Vec<u8>) {
        self.process.send(line).await;
    }

    async fn request(&mut self, method: &str, params: &str, deadline: Duration) -> Answer {
        let (id, line) = self.compose(method, params);
        let mut beside = Beside::default();
        let begun = Instant::now();
        let mut perhaps = None;
        let exchanged = self.exchange(id, line.clone(), &mut beside, &mut perhaps);
        let outcome = match tokio::time::timeout(deadline, exchanged).await {
            Ok(outcome) => outcome,
            Err(_) => {
                self.give_up_held(&mut beside);
                self.given_up.insert(id);
                let none = Outcome::NoReply { waited_ms: millis(deadline), pulse: Pulse::Unasked };
                perhaps.unwrap_or(none)
            }
        };
        // A server that complains on standard error does so before or right after it answers.
        tokio::task::yield_now().await;
        if matches!(outcome, Outcome::Ended(_)) {
            self.process.drained().await;
        }
        Answer {
            id,
            line,
            outcome,
            reply: beside.reply,
            noise: beside.noise,
            asides: beside.asides,
            belated: beside.belated,
            stderr: self.process.take_stderr(),
            elapsed: begun.elapsed(),
        }
    }

    fn compose(&mut self, method: &str, params: &str) -> (i64, String) {
        let id = self.next_id;
        self.next_id += 1;
        let line = match self.lifecycle {
            Lifecycle::Legacy => request_line(id, method, params),
            Lifecycle::Modern => request_line(id, method, &with_meta(params)),
        };
        (id, line)
    }

    async fn exchange(
        &mut self,
        id: i64,
        line: String,
        beside: &mut Beside,
        perhaps: &mut Option<Outcome>,
    ) -> Outcome {
        self.process.send(line).await;
        let mut settled_at = None;
        loop {
            let next = match settled_at {
                None => self.process.next_line().await,
                Some(at) => match tokio::time::timeout_at(at, self.process.next_line()).await {
                    Ok(next) => next,
                    Err(_) => {
                        self.given_up.insert(id);
                        return perhaps.take().expect("a time is set when something came");
                    }
                },
            };
            let Some(raw) = next else { break };
            let reply = RawReply::of(&raw.bytes, raw.length);
            match self.take(Some(id), raw, beside).await {
                Taken::Reply(outcome) => {
                    beside.passed_over(perhaps.take());
                    beside.reply = Some(reply);
                    return outcome;
                }
                Taken::Perhaps(outcome) if perhaps.is_none() => {
                    *perhaps = Some(outcome);
                    beside.reply = Some(reply);
                    settled_at = Some(tokio::time::Instant::now() + GRACE);
                }
                Taken::Perhaps(outcome) => beside.passed_over(Some(outcome)),
                Taken::Other => {}
            }
        }
        self.give_up_held(beside);
        match perhaps.take() {
            Some(outcome) => outcome,
            None => Outcome::Ended(self.process.exit().await),
        }
    }

    /// Takes one line: the outcome of the request in flight, if there is one, or something beside it.
    async fn take(&mut self, in_flight: Option<i64>, raw: RawLine, beside: &mut Beside) -> Taken {
        if raw.is_cut() {
            return self.oversized(in_flight, &raw, beside);
        }
        let mut taken = Taken::Other;
        for (line, bytes) in self.assembler.take(raw.bytes) {
            match self.piece(in_flight, line, &bytes, beside).await {
                Taken::Other => {}
                better => taken = better,
            }
        }
        taken
    }

    async fn piece(
        &mut self,
        in_flight: Option<i64>,
        line: Line,
        bytes: &[u8],
        beside: &mut Beside,
    ) -> Taken {
        match line {
            Line::Blank | Line::Notification { .. } => Taken::Other,
            Line::Noise => {
                beside.noise(quoted(bytes));
                Taken::Other
            }
            Line::Malformed(how) => {
                let line = quoted(bytes);
                beside.aside(Aside::Malformed(Malformed { how, line }));
                Taken::Other
            }
            Line::Request { id, method } => {
                self.reply(&id, &method).await;
                Taken::Other
            }
            Line::Batch(lines) => self.batch(in_flight, &lines, bytes, beside),
            Line::Response { id, body, repeated } => {
                if let Some(member) = repeated {
                    beside.aside(Aside::Repeated { member, line: quoted(bytes) });
                }
                self.response(in_flight, id, body, bytes, beside)
            }
        }
    }

    /// An array of messages: our reply within it is ours, and not a valid message.
    fn batch(&mut self, in_flight: Option<i64>, lines: &[Line], bytes: &[u8], beside: &mut Beside) -> Taken {
        let malformed = Malformed { how: IN_A_BATCH.to_owned(), line: quoted(bytes) };
        let is_ours = in_flight.is_some_and(|ours| {
            lines
                .iter()
                .any(|line| matches!(line, Line::Response { id: Some(Id::Number(id)), .. } if *id == ours))
        });
        if is_ours {
            return Taken::Reply(Outcome::Malformed(malformed));
        }
        beside.aside(Aside::Malformed(malformed));
        Taken::Other
    }

    fn response(
        &mut self,
        in_flight: Option<i64>,
        id: Option<Id>,
        body: Body,
        bytes: &[u8],
        beside: &mut Beside,
    ) -> Taken {
        let sent = 1..self.next_id;
        match (id, in_flight) {
            (Some(Id::Number(id)), Some(ours)) if id == ours => Taken::Reply(outcome(body, bytes)),
            (Some(Id::Number(id)), _) if self.given_up.remove(&id) => {
                beside.belated(id, Aside::Late(quoted(bytes)));
                Taken::Other
            }
            (Some(Id::Number(id)), _) if sent.contains(&id) => {
                beside.belated(id, Aside::DuplicateReply(quoted(bytes)));
                Taken::Other
            }
            // The number as a string, or as 7.0, is another id; and yet there is no doubt what it answers.
            (Some(Id::Other(text)), Some(ours)) if is_spelling_of(&text, ours) => {
                beside.aside(Aside::WrongId(quoted(bytes)));
                Taken::Reply(outcome(body, bytes))
            }
            (Some(_), in_flight) => {
                beside.aside(Aside::WrongId(quoted(bytes)));
                // Nothing else was asked: it is the reply, unless the right one comes soon.
                in_flight.map_or(Taken::Other, |_| Taken::Perhaps(outcome(body, bytes)))
            }
            (None, in_flight) => {
                let malformed = Malformed { how: without_id(&body), line: quoted(bytes) };
                if in_flight.is_some() {
                    return Taken::Perhaps(Outcome::Malformed(malformed));
                }
                beside.aside(Aside::Malformed(malformed));
                Taken::Other
            }
        }
    }

    fn oversized(&mut self, in_flight: Option<i64>, raw: &RawLine, beside: &mut Beside) -> Taken {
        let beginning = String::from_utf8_lossy(&raw.bytes[..raw.bytes.len().min(64 * 1024)]);
        let seen = glimpse(&beginning);
        let id = seen.id.or_else(|| id_at_end(&String::from_utf8_lossy(&raw.end)));
        let oversized =
            Oversized { bytes: u64::try_from(raw.length).unwrap_or(u64::MAX), line: quoted(&raw.bytes) };
        let is_ours = match (id.as_deref().and_then(response_id), in_flight) {
            (Some(Id::Number(id)), Some(ours)) => id == ours,
            // Nothing says whose it is: it looks like a reply, and one is waited for.
            (None, Some(_)) => beginning.trim_start().starts_with('{') && !seen.has_method,
            _ => false,
        };
        if is_ours {
            return Taken::Reply(Outcome::Oversized(oversized));
        }
        beside.aside(Aside::Oversized(oversized));
        Taken::Other
    }

    /// What is held as the beginning of a message will not be one any more.
    fn give_up_held(&mut self, beside: &mut Beside) {
        for (line, bytes) in self.assembler.give_up() {
            match line {
                Line::Noise => beside.noise(quoted(&bytes)),
                Line::Malformed(how) => {
                    beside.aside(Aside::Malformed(Malformed { how, line: quoted(&bytes) }));
                }
                Line::Response { body: Body::Malformed(how), .. } => {
                    beside.aside(Aside::Malformed(Malformed { how, line: quoted(&bytes) }));
                }
                _ => {}
            }
        }
    }

    /// Asks a server that left a call unanswered whether it lives. Any answer to a harmless request says so.
    async fn pulse(&mut self, call: i64, begun: Instant, beside: &mut Beside) -> Pulse {
        let mut asked = BTreeSet::new();
        // `ping` has gone with the handshake.
        let methods: &[&str] = match self.lifecycle {
            Lifecycle::Legacy => &["ping", "tools/list"],
            Lifecycle::Modern => &["tools/list"],
        };
        for method in methods {
            let (id, line) = self.compose(method, "{}");
            asked.insert(id);
            self.process.send(line).await;
        }
        self.given_up.extend(&asked);
        let heard = async {
            while let Some(raw) = self.process.next_line().await {
                let mut heard = Beside::default();
                self.take(None, raw, &mut heard).await;
                let late: Vec<i64> = heard.late().collect();
                heard.belated.retain(|(id, _)| !asked.contains(id));
                beside.append(heard);
                if late.contains(&call) {
                    return Pulse::Late { after_ms: millis(begun.elapsed()) };
                }
                if late.iter().any(|id| asked.contains(id)) {
                    return Pulse::Answers;
                }
            }
            Pulse::Ended(self.process.exit().await)
        };
        tokio::time::timeout(PULSE, heard).await.unwrap_or(Pulse::Silent)
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
    pub async fn close(mut self) -> Rest {
        let mut beside = Beside::default();
        let mut given_up = self.given_up;
        let mut pieces = Vec::new();
        for raw in self.process.shutdown().await {
            pieces.extend(self.assembler.take(raw.bytes));
        }
        pieces.extend(self.assembler.give_up());
        for (line, bytes) in pieces {
            let line_text = quoted(&bytes);
            match line {
                Line::Noise => beside.noise(line_text),
                Line::Malformed(how) => beside.aside(Aside::Malformed(Malformed { how, line: line_text })),
                Line::Response { id: Some(Id::Number(id)), .. } if given_up.remove(&id) => {
                    beside.belated(id, Aside::Late(line_text));
                }
                Line::Response { id: Some(Id::Number(id)), .. } if (1..self.next_id).contains(&id) => {
                    beside.belated(id, Aside::DuplicateReply(line_text));
                }
                Line::Response { id: Some(_), .. } => beside.aside(Aside::WrongId(line_text)),
                Line::Response { id: None, body, .. } => {
                    let how = without_id(&body);
                    beside.aside(Aside::Malformed(Malformed { how, line: line_text }));
                }
                Line::Batch(_) => {
                    let how = IN_A_BATCH.to_owned();
                    beside.aside(Aside::Malformed(Malformed { how, line: line_text }));
                }
                Line::Blank | Line::Notification { .. } | Line::Request { .. } => {}
            }
        }
        Rest { noise: beside.noise, asides: beside.asides, belated: beside.belated }
    }

    /// Ends the server at once: it is not to be trusted with an orderly end.
    pub async fn kill(self) {
        self.process.kill().await;
    }
}

/// The request with which a session begins.
pub fn first_request(lifecycle: Lifecycle) -> (&'static str, Value) {
    match lifecycle {
        Lifecycle::Legacy => (INITIALIZE, initialize_params()),
        Lifecycle::Modern => (DISCOVER, json!({})),
    }
}

fn outcome(body: Body, bytes: &[u8]) -> Outcome {
    match body {
        Body::Result(result) if result.get("resultType").is_some_and(|kind| kind == "input_required") => {
            Outcome::InputRequired(result)
        }
        Body::Result(result) => Outcome::Result(result),
        Body::Error(error) => Outcome::Error(error),
        Body::Malformed(how) => Outcome::Malformed(Malformed { how, line: quoted(bytes) }),
    }
}

/// What is wrong with a response that does not say what it answers.
fn without_id(body: &Body) -> String {
    match body {
        Body::Malformed(how) => how.clone(),
        Body::Result(_) | Body::Error(_) => "it is a response without an id".to_owned(),
    }
}

/// Whether an id, as JSON text, is our number in another spelling.
fn is_spelling_of(text: &str, ours: i64) -> bool {
    let bare = text.trim_matches('"');
    bare.parse::<i64>().is_ok_and(|id| id == ours) || bare == format!("{ours}.0")
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
