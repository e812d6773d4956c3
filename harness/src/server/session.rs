//! One session on one process: the lifecycle, and one request in flight at a time.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::exchange::{Exchange, LivenessCheck, Outcome, RawReply, StrayMessage};
use crate::secret::Concealed;
use crate::transcript::Lifecycle;
use crate::wire::{
    Assembler, DISCOVER, INITIALIZE, INITIALIZED, RawLine, ServerHello, cancelled_line, discovered,
    error_line, initialize_params, notification_line, request_line, result_line, welcome, with_meta,
};

use super::process::{Command, SpawnError, StandardError};
use super::refusal::{address, refusal, with_output};
use super::side_traffic::SideTraffic;
use super::transport::Transport;
use super::watch::ServerProcesses;

mod at_once;
mod incoming;
mod pipeline;
mod progress;

pub use pipeline::{Arrival, Pipeline};

use incoming::LineRole;
use progress::ProgressTokens;

const METHOD_NOT_FOUND: i64 = -32601;
/// How long to wait for a better reply after one that does not say which request it answers.
const GRACE: Duration = Duration::from_secs(2);
/// How long the reply to a call may take after a panic, and how often standard error is read for one.
const AFTER_PANIC: Duration = Duration::from_secs(1);
const LOOK_FOR_PANIC: Duration = Duration::from_millis(100);
/// How long a server that left a call unanswered may take to show that it is alive.
const PULSE: Duration = Duration::from_secs(2);
/// A reply this soon after the deadline counts as late and not as missing: a tenth of the deadline, but at most
/// this.
const LATE: Duration = Duration::from_secs(1);

/// How often what a starting server prints is read, and how long it may still answer once it has said that it serves HTTP.
const LOOK: Duration = Duration::from_millis(200);
const HTTP_GRACE: Duration = Duration::from_secs(6);
/// The id of the request that begins a session.
const FIRST: i64 = 1;

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
    transport: Transport,
    lifecycle: Lifecycle,
    deadlines: Deadlines,
    roots: Vec<String>,
    next_id: i64,
    assembler: Assembler,
    /// Requests that were given up: a reply to one of them is late.
    given_up: BTreeSet<i64>,
    /// Requests that were taken back: what else answers them means nothing.
    cancelled: BTreeSet<i64>,
    /// Requests that were taken back before they were answered: one reply to each may still come.
    withdrawn: BTreeSet<i64>,
    progress: ProgressTokens,
    reserve: TimeReserve,
}

/// Time by which calls may exceed their deadlines, shared by all clones.
#[derive(Debug, Clone, Default)]
pub struct TimeReserve(Arc<AtomicU64>);

impl TimeReserve {
    /// A reserve of this much in total.
    pub fn new(time: Duration) -> Self {
        Self(Arc::new(AtomicU64::new(millis(time))))
    }

    /// Takes up to `wanted` from the reserve.
    fn take(&self, wanted: Duration) -> Duration {
        let wanted = millis(wanted);
        let left = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(wanted)));
        Duration::from_millis(left.unwrap_or_default().min(wanted))
    }

    fn give_back(&self, time: Duration) {
        self.0.fetch_add(millis(time), Ordering::Relaxed);
    }
}

/// A request, its outcome, and what arrived with the reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The id of the request.
    pub id: i64,
    /// The line that was sent.
    pub line: String,
    /// The outcome of the request.
    pub outcome: Outcome,
    /// See [`crate::exchange::Exchange::reply`].
    pub reply: Option<RawReply>,
    /// See [`crate::exchange::Exchange::noise`].
    pub noise: Vec<String>,
    /// See [`crate::exchange::Exchange::strays`].
    pub strays: Vec<StrayMessage>,
    /// Replies to earlier requests of the session, by their ids.
    pub belated: Vec<(i64, StrayMessage)>,
    /// See [`crate::exchange::Exchange::stderr`].
    pub stderr: String,
    /// The time from sending to the outcome.
    pub elapsed: Duration,
}

impl Answered {
    /// A request to which no reply has come.
    fn none(id: i64, line: String) -> Self {
        Self {
            id,
            line,
            outcome: Outcome::NoReply { waited_ms: 0, liveness: LivenessCheck::Unasked },
            reply: None,
            noise: Vec::new(),
            strays: Vec::new(),
            belated: Vec::new(),
            stderr: String::new(),
            elapsed: Duration::ZERO,
        }
    }

    /// The exchange of a call that was sent alone: everything that came meanwhile belongs to it.
    pub(crate) fn exchange(self, tool: &str, arguments: Value) -> Exchange {
        let mut exchange = Exchange::alone(Some(tool), arguments, self.outcome);
        exchange.call.line = self.line;
        exchange.reply = self.reply;
        exchange.noise = self.noise;
        exchange.strays = self.strays;
        exchange.stderr = self.stderr;
        exchange.elapsed_ms = millis(self.elapsed);
        exchange
    }

    fn add(&mut self, side: SideTraffic) {
        self.reply = self.reply.take().or(side.reply);
        self.noise.extend(side.noise);
        self.strays.extend(side.strays);
        self.belated.extend(side.belated);
        self.stderr.push_str(&side.stderr);
    }
}

/// Why a session did not begin.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The program could not be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The server did not begin a session.
    #[error("{cause}")]
    Refused {
        /// The reason, with the end of standard error.
        cause: String,
        /// The answer to the first request.
        answer: Box<Answered>,
    },
}

impl Session {
    /// Starts a server and begins a session; also returns the answer to the first request.
    ///
    /// # Errors
    /// If no session begins; the message quotes the end of standard error.
    pub async fn open(
        command: &Command,
        lifecycle: Lifecycle,
        roots: Vec<String>,
        deadlines: Deadlines,
    ) -> Result<(Self, ServerHello, Answered), OpenError> {
        Self::begin(Transport::open(command)?, lifecycle, roots, deadlines).await
    }

    /// Begins a session with a server on the other side of these streams.
    ///
    /// # Errors
    /// If no session begins.
    pub(crate) async fn over(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        deadlines: Deadlines,
    ) -> Result<(Self, ServerHello, Answered), OpenError> {
        let transport = Transport::over(reader, writer, Concealed::default(), None);
        Self::begin(transport, Lifecycle::Legacy, Vec::new(), deadlines).await
    }

    async fn begin(
        transport: Transport,
        lifecycle: Lifecycle,
        roots: Vec<String>,
        deadlines: Deadlines,
    ) -> Result<(Self, ServerHello, Answered), OpenError> {
        let mut session = Self::new(transport, lifecycle, roots, deadlines);
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
                    session.transport.send(notification_line(INITIALIZED)).await;
                }
                Ok((session, greeting, answer))
            }
            Err(cause) => {
                session.transport.kill().await;
                let cause = with_output(&cause, &answer.noise, &answer.stderr);
                Err(OpenError::Refused { cause, answer: Box::new(answer) })
            }
        }
    }

    fn new(transport: Transport, lifecycle: Lifecycle, roots: Vec<String>, deadlines: Deadlines) -> Self {
        Self {
            transport,
            lifecycle,
            deadlines,
            roots,
            next_id: FIRST,
            assembler: Assembler::default(),
            given_up: BTreeSet::new(),
            cancelled: BTreeSet::new(),
            withdrawn: BTreeSet::new(),
            progress: ProgressTokens::default(),
            reserve: TimeReserve::default(),
        }
    }

    /// Sends a request and waits for its outcome, with the deadline of a call. `params` is JSON text that is
    /// sent unchanged. If no reply comes, the server is asked whether it is alive.
    pub async fn call(&mut self, method: &str, params: &str) -> Answered {
        let begun = Instant::now();
        let mut answer = self.request(method, params, self.deadlines.call).await;
        if let Outcome::NoReply { liveness, .. } = &mut answer.outcome {
            let mut side = SideTraffic::default();
            *liveness = self.liveness(answer.id, begun, &mut side).await;
            side.stderr = self.transport.take_stderr();
            answer.add(side);
        }
        answer
    }

    /// Lets unanswered calls take up to three times their deadline, as long as the reserve lasts.
    pub fn wait_on(&mut self, reserve: TimeReserve) {
        self.reserve = reserve;
    }

    /// The server's processes; `None` if the server is not a process.
    pub fn processes(&self) -> Option<ServerProcesses> {
        self.transport.processes()
    }

    /// Sends a line unchanged, whatever it contains; its effect shows in the replies to later requests.
    pub async fn send_raw(&mut self, line: Vec<u8>) {
        self.transport.send(line).await;
    }

    /// Takes a request back that was answered already, as happens where the two cross on their way. A reply to it
    /// that comes after this is passed over; what else comes of it shows in the replies to later requests.
    pub async fn take_back(&mut self, id: i64) {
        self.cancelled.insert(id);
        self.transport.send(cancelled_line(id)).await;
    }

    async fn request(&mut self, method: &str, params: &str, deadline: Duration) -> Answered {
        let (id, line) = self.compose(method, params);
        // What was written before the call says nothing of it.
        let mut side = SideTraffic { stderr: self.transport.take_stderr(), ..SideTraffic::default() };
        let begun = Instant::now();
        let mut perhaps = None;
        let panics = self.transport.standard_error().filter(|_| method == "tools/call");
        let waited = waited_for(deadline, panics);
        let exchanged = self.exchange(id, line.clone(), &mut side, &mut perhaps);
        let outcome = tokio::select! {
            biased;
            outcome = exchanged => Ok(outcome),
            waited = waited => Err(waited),
        };
        let outcome = outcome.unwrap_or_else(|waited| {
            self.give_up_held(&mut side);
            self.given_up.insert(id);
            let none = Outcome::NoReply { waited_ms: millis(waited), liveness: LivenessCheck::Unasked };
            perhaps.unwrap_or(none)
        });
        // A server that complains on standard error does so just before or after it answers.
        tokio::task::yield_now().await;
        if matches!(outcome, Outcome::Ended(_)) {
            self.transport.drained().await;
        }
        side.stderr.push_str(&self.transport.take_stderr());
        let mut answer = Answered { outcome, elapsed: begun.elapsed(), ..Answered::none(id, line) };
        answer.add(side);
        answer
    }

    fn compose(&mut self, method: &str, params: &str) -> (i64, String) {
        let id = self.next_id;
        self.next_id += 1;
        self.progress.begin(id, params);
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
        side: &mut SideTraffic,
        perhaps: &mut Option<Outcome>,
    ) -> Outcome {
        self.transport.send(line).await;
        let (mut settled_at, mut http_since) = (None, None);
        let begun = Instant::now();
        loop {
            let next = match settled_at {
                None if id == FIRST => match self.next_of_starting(side, &mut http_since).await {
                    Some(next) => next,
                    None => {
                        self.given_up.insert(id);
                        let waited_ms = millis(begun.elapsed());
                        return Outcome::NoReply { waited_ms, liveness: LivenessCheck::Unasked };
                    }
                },
                None => self.transport.next_line().await,
                Some(at) => match tokio::time::timeout_at(at, self.transport.next_line()).await {
                    Ok(next) => next,
                    Err(_) => {
                        self.given_up.insert(id);
                        return perhaps.take().expect("a time is set when something came");
                    }
                },
            };
            let Some(raw) = next else { break };
            let reply = RawReply::new(&raw.bytes, raw.length);
            match self.take(Some(id), raw, side).await {
                LineRole::Reply(outcome) => {
                    side.passed_over(perhaps.take());
                    side.reply = Some(reply);
                    return outcome;
                }
                LineRole::Perhaps(outcome) if perhaps.is_none() => {
                    *perhaps = Some(outcome);
                    side.reply = Some(reply);
                    settled_at = Some(tokio::time::Instant::now() + GRACE);
                }
                LineRole::Perhaps(outcome) => side.passed_over(Some(outcome)),
                LineRole::Other => {}
            }
        }
        self.give_up_held(side);
        match perhaps.take() {
            Some(outcome) => outcome,
            None => Outcome::Ended(self.transport.exit().await),
        }
    }

    /// The next line of a server that is starting; `None` if it said that it serves HTTP, and nothing after that.
    async fn next_of_starting(
        &mut self,
        side: &mut SideTraffic,
        http_since: &mut Option<Instant>,
    ) -> Option<Option<RawLine>> {
        loop {
            if let Ok(next) = tokio::time::timeout(LOOK, self.transport.next_line()).await {
                return Some(next);
            }
            match http_since {
                Some(since) if since.elapsed() >= HTTP_GRACE => return None,
                Some(_) => {}
                None => {
                    side.stderr.push_str(&self.transport.take_stderr());
                    *http_since = address(&side.noise, &side.stderr).map(|_| Instant::now());
                }
            }
        }
    }

    /// Asks a server that left a call unanswered whether it is alive. Any answer to a harmless request says so.
    async fn liveness(&mut self, call: i64, begun: Instant, side: &mut SideTraffic) -> LivenessCheck {
        let mut asked = BTreeSet::new();
        // The modern lifecycle has no `ping`.
        let methods: &[&str] = match self.lifecycle {
            Lifecycle::Legacy => &["ping", "tools/list"],
            Lifecycle::Modern => &["tools/list"],
        };
        for method in methods {
            let (id, line) = self.compose(method, "{}");
            asked.insert(id);
            self.transport.send(line).await;
        }
        self.given_up.extend(&asked);
        let waited = begun.elapsed();
        let grace = LATE.min(waited / 10);
        let more = self.reserve.take(2 * waited);
        let mut until = Instant::now() + PULSE;
        let mut is_last = more.is_zero();
        let answers = Cell::new(false);
        let silence = || if answers.get() { LivenessCheck::Answers } else { LivenessCheck::Silent };
        let watched = async {
            loop {
                let raw = match tokio::time::timeout_at(until.into(), self.transport.next_line()).await {
                    Ok(Some(raw)) => raw,
                    Ok(None) => return LivenessCheck::Ended(self.transport.exit().await),
                    Err(_) if is_last => return silence(),
                    Err(_) => {
                        is_last = true;
                        until += more;
                        continue;
                    }
                };
                let mut others = SideTraffic::default();
                self.take(None, raw, &mut others).await;
                let late: Vec<i64> = others.late().collect();
                others.belated.retain(|(id, _)| !asked.contains(id));
                side.append(others);
                if late.contains(&call) {
                    let after_ms = millis(begun.elapsed());
                    return LivenessCheck::Late { after_ms, blocks: !answers.get() };
                }
                if !answers.get() && late.iter().any(|id| asked.contains(id)) {
                    answers.set(true);
                    // The longer wait is not cut short once it has begun.
                    if !is_last || more.is_zero() {
                        until = Instant::now() + grace;
                    }
                }
            }
        };
        let found = tokio::time::timeout(PULSE + grace + more, watched).await.unwrap_or_else(|_| silence());
        // Unused time goes back to the reserve for other calls.
        self.reserve.give_back(more.saturating_sub(begun.elapsed().saturating_sub(waited)));
        found
    }

    /// Answers a request of the server.
    async fn reply(&mut self, id: &str, method: &str) {
        let line = match method {
            "ping" => result_line(id, &json!({})),
            "roots/list" => {
                let roots: Vec<Value> = self.roots.iter().map(|uri| json!({"uri": uri})).collect();
                result_line(id, &json!({"roots": roots}))
            }
            _ => error_line(id, METHOD_NOT_FOUND, "This client does not support the method."),
        };
        self.transport.send(line).await;
    }

    /// Shuts the server down properly; returns what arrived after the last answer.
    pub async fn close(mut self) -> SideTraffic {
        let mut side = SideTraffic::default();
        let shutdown = self.transport.shutdown().await;
        if let Some(grace) = shutdown.outlived.filter(|_| self.lifecycle == Lifecycle::Modern) {
            side.stray(StrayMessage::StillRunning(millis(grace)));
        }
        for raw in shutdown.last_lines {
            self.take(None, raw, &mut side).await;
        }
        for (line, bytes) in self.assembler.give_up() {
            self.piece(None, line, &bytes, &mut side).await;
        }
        side
    }

    /// Kills the server, which cannot be trusted to shut down properly.
    pub async fn kill(self) {
        self.transport.kill().await;
    }
}

/// The request that begins a session.
pub fn first_request(lifecycle: Lifecycle) -> (&'static str, Value) {
    match lifecycle {
        Lifecycle::Legacy => (INITIALIZE, initialize_params()),
        Lifecycle::Modern => (DISCOVER, json!({})),
    }
}

/// Waits until the deadline, or until no reply came for a moment after a panic: most servers answer a task that panicked with
/// nothing. Returns the deadline, or that moment.
async fn waited_for(deadline: Duration, standard_error: Option<StandardError>) -> Duration {
    let panics = async {
        match standard_error {
            None => std::future::pending().await,
            Some(standard_error) => {
                while !standard_error.tells_of_panic() {
                    tokio::time::sleep(LOOK_FOR_PANIC).await;
                }
                tokio::time::sleep(AFTER_PANIC).await;
            }
        }
    };
    match tokio::time::timeout(deadline, panics).await {
        Ok(()) => AFTER_PANIC,
        Err(_) => deadline,
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
