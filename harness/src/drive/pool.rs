//! The processes of a run: a shared one that drives most cases, and another for each case that changes the
//! server's own state.
//!
//! The main type is [`ProcessPool`]. It records the exchanges of the lifecycle, and replaces processes that
//! were lost.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::catalog::Catalog;
use crate::exchange::{Call, EnvironmentEffect, Exchange, LivenessCheck, Outcome, Place, Step, StrayMessage};
use crate::expectation::Expected;
use crate::judge::{REFUSED, UNFLAGGED};
use crate::placeholder::Folders;
use crate::plan::FeatureRequest;
use crate::server::{Answered, Command, Deadlines, OpenError, Session, TimeReserve, first_request};
use crate::transcript::{CaseOutcome, Lifecycle};
use crate::wire::ServerHello;

use super::startup::{RequestedLifecycle, open_first};

/// At most this many pages of `tools/list` are requested.
const PAGES: usize = 100;
/// In a whole run, this many deadlines are spent waiting longer for unanswered calls.
const WAITED: u32 = 4;
/// At most this many tools are read.
const TOOLS: usize = 10_000;

/// The processes of a run.
pub(super) struct ProcessPool {
    command: Command,
    deadlines: Deadlines,
    reserve: TimeReserve,
    roots: Vec<String>,
    lifecycle: Lifecycle,
    started: usize,
    /// The process that gets the calls, if one is running.
    pub(super) running: Option<NumberedSession>,
    /// The index of each request's exchange, by the number of the process and the request's id.
    requests: HashMap<(usize, i64), usize>,
    /// The exchange that listed the tools (the last page).
    pub(super) listing: Option<usize>,
    /// All exchanges recorded so far.
    pub(super) exchanges: Vec<Exchange>,
}

/// A session with the number of its process.
pub(super) struct NumberedSession {
    pub(super) session: Session,
    pub(super) process: usize,
}

/// What the first session showed about the server.
pub(super) struct OpenedServer {
    pub(super) welcome: ServerHello,
    pub(super) lifecycle: Lifecycle,
    pub(super) catalog: Catalog,
}

/// Why the first process cannot be used.
pub(super) enum OpenFailure {
    /// The server failed.
    Server(String),
    /// The machine cannot run another process.
    Machine(String),
}

impl ProcessPool {
    pub(super) fn new(command: Command, folders: &Folders, deadlines: Deadlines) -> Self {
        Self {
            command,
            deadlines,
            reserve: TimeReserve::new(deadlines.call.saturating_mul(WAITED)),
            roots: vec![file_uri(&folders.workspace)],
            lifecycle: Lifecycle::Legacy,
            started: 0,
            running: None,
            requests: HashMap::new(),
            listing: None,
            exchanges: Vec::new(),
        }
    }

    /// A pool for the same server and run without a process. It knows the lifecycle exchanges recorded so far.
    pub(super) fn sibling(&self) -> Self {
        Self {
            command: self.command.clone(),
            deadlines: self.deadlines,
            reserve: self.reserve.clone(),
            roots: self.roots.clone(),
            lifecycle: self.lifecycle,
            started: self.started,
            running: None,
            requests: HashMap::new(),
            listing: self.listing,
            exchanges: self.exchanges.clone(),
        }
    }

    /// A pool for the same server and run, which goes on with the process that is running.
    pub(super) fn successor(&mut self) -> Self {
        let mut successor = self.sibling();
        if let Some(NumberedSession { session, .. }) = self.running.take() {
            successor.running = Some(NumberedSession { session, process: successor.started });
            successor.started += 1;
        }
        successor
    }

    /// A pool for the same server and run without a process, which records on after these exchanges.
    pub(super) fn after(&self, exchanges: Vec<Exchange>) -> Self {
        let started = exchanges.iter().map(|exchange| exchange.process + 1).max().unwrap_or_default();
        Self { started, exchanges, ..self.sibling() }
    }

    /// Starts the first process and asks for its tools. The error says why the server cannot be exercised.
    pub(super) async fn first(&mut self, opening: RequestedLifecycle) -> Result<OpenedServer, OpenFailure> {
        let opened = open_first(&self.command, &self.roots, self.deadlines, opening).await;
        let (lifecycle, (session, welcome, answer)) = opened.map_err(|error| match error {
            OpenError::Spawn(error) if error.is_want_of_room => OpenFailure::Machine(error.to_string()),
            error => OpenFailure::Server(unopened(error)),
        })?;
        self.lifecycle = lifecycle;
        let mut numbered = self.numbered(session, answer);
        let catalog = self.list_tools(&mut numbered).await.map_err(OpenFailure::Server)?;
        self.running = Some(numbered);
        Ok(OpenedServer { welcome, lifecycle, catalog })
    }

    /// The process that is running, or a new one if it was lost.
    pub(super) async fn take(&mut self) -> Result<NumberedSession, String> {
        match self.running.take() {
            Some(numbered) => Ok(numbered),
            None => Ok(self.open().await?.0),
        }
    }

    /// The number of the process that is running.
    pub(super) fn number(&self) -> Option<usize> {
        self.running.as_ref().map(|numbered| numbered.process)
    }

    /// Keeps the process for the next request, or ends it if it is lost.
    pub(super) async fn keep(&mut self, numbered: NumberedSession, is_lost: bool) {
        match is_lost {
            true => numbered.session.kill().await,
            false => self.running = Some(numbered),
        }
    }

    /// Shuts the process down properly; the next request starts a new one.
    pub(super) async fn renew(&mut self) {
        if let Some(numbered) = self.running.take() {
            self.close(numbered).await;
        }
    }

    /// Starts a process.
    pub(super) async fn open(&mut self) -> Result<(NumberedSession, ServerHello), String> {
        let opened = Session::open(&self.command, self.lifecycle, self.roots.clone(), self.deadlines).await;
        let (session, welcome, answer) = opened.map_err(unopened)?;
        Ok((self.numbered(session, answer), welcome))
    }

    /// Starts a process without this variable in its environment in order to judge its start, and records that as
    /// an exchange at this place. If no session begins, returns the outcome of the case.
    pub(super) async fn open_without(
        &mut self,
        variable: &str,
        place: Place,
    ) -> Result<NumberedSession, CaseOutcome> {
        let mut command = self.command.clone();
        command.unset = Some(variable.to_owned());
        let opened = Session::open(&command, self.lifecycle, self.roots.clone(), self.deadlines).await;
        let (process, (method, params)) = (self.started, first_request(self.lifecycle));
        let (session, answer) = match opened {
            Ok((session, _, answer)) => (Some(session), answer),
            Err(OpenError::Refused { answer, .. }) => (None, *answer),
            Err(error @ OpenError::Spawn(_)) => return Err(CaseOutcome::Errored(unopened(error))),
        };
        self.started += 1;
        self.record(process, place, Call::of(method, None, params), answer);
        let mut session = session.ok_or(CaseOutcome::Driven)?;
        session.wait_on(self.reserve.clone());
        Ok(NumberedSession { session, process })
    }

    /// Numbers a session and records the exchange that opened it.
    fn numbered(&mut self, mut session: Session, answer: Answered) -> NumberedSession {
        session.wait_on(self.reserve.clone());
        let process = self.started;
        self.started += 1;
        let (method, params) = first_request(self.lifecycle);
        self.record_lifecycle(process, method, params, answer);
        NumberedSession { session, process }
    }

    async fn list_tools(&mut self, numbered: &mut NumberedSession) -> Result<Catalog, String> {
        let mut catalog = Catalog::default();
        let mut cursors: Vec<String> = Vec::new();
        for _ in 0..PAGES {
            let params = cursors.last().map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
            let answer = numbered.session.call("tools/list", &params.to_string()).await;
            self.listing =
                Some(self.record_lifecycle(numbered.process, "tools/list", params, answer.clone()));
            let Outcome::Result(result) = &answer.outcome else {
                return Err(format!("the server did not list its tools: {}", in_words(&answer.outcome)));
            };
            catalog.add_page(result);
            let next = result.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
            match next {
                // A repeated cursor would go round for ever.
                Some(cursor) if catalog.tools.len() < TOOLS && !cursors.contains(&cursor) => {
                    cursors.push(cursor);
                }
                _ => break,
            }
        }
        catalog.tools.truncate(TOOLS);
        if catalog.tools.is_empty() {
            return Err("the server lists no tools, so there is nothing to call".to_owned());
        }
        Ok(catalog)
    }

    fn record_lifecycle(
        &mut self,
        process: usize,
        method: &str,
        arguments: Value,
        answer: Answered,
    ) -> usize {
        let place = Place::at(None, Step::Lifecycle, Expected::Anything, None);
        self.record(process, place, Call::of(method, None, arguments), answer)
    }

    /// Sends a request and records it; returns the index of its exchange.
    pub(super) async fn request(
        &mut self,
        numbered: &mut NumberedSession,
        request: &FeatureRequest,
        place: Place,
    ) -> usize {
        let answer = numbered.session.call(request.method, &request.params.to_string()).await;
        self.record(numbered.process, place, request.as_call(), answer)
    }

    /// Sends a request and records it; also returns the process, unless the request lost it.
    pub(super) async fn exchange(
        &mut self,
        mut numbered: NumberedSession,
        request: &FeatureRequest,
        place: Place,
    ) -> (usize, Option<NumberedSession>) {
        let index = self.request(&mut numbered, request, place).await;
        if self.exchanges[index].outcome.is_lost() {
            numbered.session.kill().await;
            return (index, None);
        }
        (index, Some(numbered))
    }

    /// Records an exchange; returns its index.
    pub(super) fn record(&mut self, process: usize, place: Place, mut call: Call, answer: Answered) -> usize {
        call.line = answer.line;
        let index = self.exchanges.len();
        self.requests.insert((process, answer.id), index);
        let belated = answer.belated;
        self.exchanges.push(Exchange {
            index,
            process,
            place,
            call,
            outcome: answer.outcome,
            reply: answer.reply,
            noise: answer.noise,
            strays: answer.strays,
            stderr: answer.stderr,
            changes: Vec::new(),
            elapsed_ms: u64::try_from(answer.elapsed.as_millis()).unwrap_or(u64::MAX),
            environment: EnvironmentEffect::None,
            guidance: None,
        });
        self.put_back(process, index, belated);
        index
    }

    /// Adds replies that came late, or twice, to the exchange that they answer, or to this one if that was not
    /// recorded.
    fn put_back(&mut self, process: usize, index: usize, belated: Vec<(i64, StrayMessage)>) {
        for (id, stray) in belated {
            let of = self.requests.get(&(process, id)).copied().unwrap_or(index);
            self.exchanges[of].strays.push(stray);
        }
    }

    /// Shuts a process down properly; what it still writes is added to its last exchange.
    pub(super) async fn close(&mut self, numbered: NumberedSession) {
        let NumberedSession { session, process } = numbered;
        let rest = session.close().await;
        let last = self.exchanges.iter().rposition(|exchange| exchange.process == process);
        if let Some(index) = last {
            self.exchanges[index].noise.extend(rest.noise);
            self.exchanges[index].strays.extend(rest.strays);
            self.put_back(process, index, rest.belated);
        }
    }
}

fn unopened(error: OpenError) -> String {
    match error {
        OpenError::Spawn(error) => error.to_string(),
        OpenError::Refused { cause, .. } => format!("the server did not start a session: {cause}"),
    }
}

/// What became of a request that did not succeed, as part of a sentence.
pub(super) fn in_words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Result(_) if outcome.is_tool_error() => {
            format!("{REFUSED}{}", first_line(outcome.texts().first().copied().unwrap_or("(no text)")))
        }
        Outcome::Result(_) => {
            let reply = first_line(outcome.texts().first().copied().unwrap_or("(no text)"));
            format!("{UNFLAGGED}{reply}")
        }
        Outcome::Error(error) => {
            format!("it was refused with JSON-RPC error {}: {}", error.code, first_line(&error.message))
        }
        Outcome::Malformed(malformed) => format!("the reply is not a valid message: {}", malformed.how),
        Outcome::InputRequired(_) => {
            "the server asks for user input before it goes on, which this program does not give".to_owned()
        }
        Outcome::Oversized(oversized) => {
            format!("the reply is a line of {} bytes, which is more than this program reads", oversized.bytes)
        }
        Outcome::NoReply { waited_ms, liveness } => {
            let then = match liveness {
                LivenessCheck::Unasked => String::new(),
                LivenessCheck::Answers => "; the server answers other requests, so the call is \
                    lost"
                    .to_owned(),
                LivenessCheck::Late { .. } => "; it came later".to_owned(),
                LivenessCheck::Silent => {
                    "; the server no longer answers anything: it hangs, or is blocked for a long \
                     time"
                        .to_owned()
                }
                LivenessCheck::Ended(exit) => format!("; then the server ended ({exit})"),
            };
            format!("there was no reply within {waited_ms} ms{then}")
        }
        Outcome::Ended(exit) => format!("the server ended ({exit})"),
    }
}

/// The first line of a text, cut to 200 characters.
pub(super) fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    // The first line of an object that spans several lines is only a brace.
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (line, text) = match line.contains(char::is_alphanumeric) {
        true => (line, text),
        false => (joined.as_str(), joined.as_str()),
    };
    let mut short: String = line.chars().take(200).collect();
    if short.len() < text.trim_end().len() {
        short.push_str(" ...");
    }
    short
}

/// The `file:` URI of a folder.
pub(super) fn file_uri(path: &str) -> String {
    let mut uri = String::from("file://");
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}
