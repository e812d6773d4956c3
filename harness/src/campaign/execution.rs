//! Sending calls once more, one at a time, and judging what comes back.
//!
//! The main type is [`Executor`]. It starts processes of its own, separate from the campaign's calls in flight.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;

use crate::contract::Contract;
use crate::exchange::{Exchange, Outcome, StrayMessage};
use crate::finding::Finding;
use crate::generate::{Generator, Input, Sequence, renamed};
use crate::rules::handling::Attribution;
use crate::rules::{NO_REPLY, handling};
use crate::server::{Answered, Command, Deadlines, OpenError, Session};
use crate::transcript::{Head, Lifecycle};

use super::base_calls::BaseCalls;
use super::file::params;
use super::restraint::Restraint;
use super::space::Space;
use super::verdict::{CampaignJudge, ControlCall, Key, needs_control};

/// How a server is started, and which of its tools get calls with restraint.
#[derive(Debug, Clone)]
pub(super) struct ServerStart {
    pub(super) command: Command,
    pub(super) lifecycle: Lifecycle,
    pub(super) roots: Vec<String>,
    pub(super) deadlines: Deadlines,
    pub(super) restraint: Rc<Restraint>,
}

impl ServerStart {
    /// Starts a process.
    ///
    /// # Errors
    /// If no session can be begun with it.
    pub(super) async fn open(&self) -> Result<Session, OpenError> {
        let Self { command, lifecycle, roots, deadlines, .. } = self;
        Session::open(command, *lifecycle, roots.clone(), *deadlines).await.map(|(session, _, _)| session)
    }
}

/// The server under test: how it is started, what it may be sent, and how its replies are judged.
pub(super) struct ServerUnderTest<'a> {
    pub(super) start: ServerStart,
    pub(super) head: Head,
    pub(super) contract: Contract,
    pub(super) generators: BTreeMap<String, Generator>,
    /// The calls that are known to succeed.
    pub(super) base_calls: BaseCalls,
    pub(super) space: Space<'a>,
    pub(super) judge: RefCell<CampaignJudge>,
}

/// In which process calls are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProcessReuse {
    /// In a process that has served other calls.
    Live,
    /// In a fresh one that ends with them.
    Fresh,
    /// In a fresh process that is shut down properly, so that its last output is read.
    Drained,
}

/// How long to wait for a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplyWait {
    /// Until the deadline of a call; then the server is asked whether it is alive.
    Full,
    /// Until this time, which is enough to see that a normally immediate reply does not come.
    Short(Duration),
}

/// The results of calls that were sent once more.
#[derive(Debug, Default)]
pub(super) struct Execution {
    /// What is wrong with their replies.
    pub(super) findings: Vec<(Key, Finding)>,
    /// The arguments, as they were sent.
    pub(super) sent: Vec<Input>,
    /// The tool whose call had no reply within the short wait.
    pub(super) unanswered: Option<String>,
    /// How long each reply took.
    pub(super) times: Vec<Duration>,
    /// The last call that was judged immediately, with its reply.
    pub(super) last: Option<Exchange>,
}

impl Execution {
    /// The finding with this key, if it shows.
    pub(super) fn shows(&self, key: &Key) -> Option<&(Key, Finding)> {
        // With several calls in flight, nobody knows to which a stray line belongs.
        let is_it = |found: &Key| match key.is_stray() {
            true => found.rule == key.rule,
            false => {
                found.rule == key.rule
                    && found.tool == key.tool
                    && (found.mark == key.mark || handling(&key.rule).attribution == Attribution::Process)
            }
        };
        self.findings.iter().find(|(found, _)| is_it(found))
    }

    /// Whether the finding shows; a missing reply within the short wait counts as one.
    pub(super) fn seems_to_show(&self, key: &Key) -> bool {
        let hangs = key.rule == NO_REPLY.id && self.unanswered.is_some() && self.unanswered == key.tool;
        hangs || self.shows(key).is_some()
    }
}

/// Adds lines that came after the reply to the exchange of their call.
fn enter_belated(exchanges: &mut [(i64, Exchange)], belated: &[(i64, StrayMessage)]) {
    for (of, stray) in belated {
        if let Some((_, exchange)) = exchanges.iter_mut().find(|(id, _)| id == of) {
            exchange.strays.push(stray.clone());
        }
    }
}

/// Sends calls again and judges the replies.
pub(super) struct Executor<'a> {
    pub(super) server: &'a ServerUnderTest<'a>,
    live: Option<Session>,
    /// How many calls were sent.
    pub(super) calls: u64,
    /// Refusals that could not be judged for lack of a control.
    pub(super) unjudged: Vec<(String, Input)>,
}

impl<'a> Executor<'a> {
    pub(super) fn new(server: &'a ServerUnderTest<'a>) -> Self {
        Self { server, live: None, calls: 0, unjudged: Vec::new() }
    }

    /// Sends calls one after the other and judges each reply. The result is empty if the server cannot be
    /// started.
    pub(super) fn send<'t>(
        &'t mut self,
        sequence: &'t Sequence,
        process: ProcessReuse,
        patience: ReplyWait,
    ) -> Pin<Box<dyn Future<Output = Execution> + 't>> {
        // Boxed, because it is awaited in many places and each would hold the whole future.
        Box::pin(self.sent(sequence, process, patience))
    }

    async fn sent(&mut self, sequence: &Sequence, process: ProcessReuse, patience: ReplyWait) -> Execution {
        let mut execution = Execution::default();
        let Some(mut session) = self.session(process).await else { return execution };
        let mut replies: Vec<Value> = Vec::new();
        let mut exchanges: Vec<(i64, Exchange)> = Vec::new();
        for (index, (tool, drawn)) in sequence.steps.iter().enumerate() {
            let Some(hold) = self.server.start.restraint.awaited(tool).await else { break };
            let ready = self
                .server
                .generators
                .get(tool)
                .and_then(|generator| sequence.ready(index, &replies, generator));
            let input = ready.unwrap_or_else(|| drawn.clone());
            let params = params(tool, &input);
            execution.sent.push(input.clone());
            self.calls += 1;
            let call = session.call("tools/call", &params);
            let answered = match patience {
                ReplyWait::Full => Some(call.await),
                ReplyWait::Short(wait) => tokio::time::timeout(wait, call).await.ok(),
            };
            let Some(answer) = answered else {
                execution.unanswered = Some(tool.clone());
                session.kill().await;
                return execution;
            };
            execution.times.push(answer.elapsed);
            let is_lost = matches!(answer.outcome, Outcome::Ended(_) | Outcome::NoReply { .. });
            replies.push(answer.outcome.result().cloned().unwrap_or_default());
            let id = answer.id;
            enter_belated(&mut exchanges, &answer.belated);
            let exchange = answered_exchange(tool, &input, answer);
            self.note(&exchange, &input);
            drop(hold);
            match process {
                ProcessReuse::Drained => exchanges.push((id, exchange)),
                ProcessReuse::Live | ProcessReuse::Fresh => {
                    self.judge_fairly(&mut session, &exchange, &input, &mut execution).await;
                    execution.last = Some(exchange);
                }
            }
            if is_lost {
                self.judge_all(&exchanges, &mut execution);
                session.kill().await;
                return execution;
            }
        }
        match process {
            ProcessReuse::Live => self.live = Some(session),
            ProcessReuse::Fresh => session.kill().await,
            ProcessReuse::Drained => {
                let rest = session.close().await;
                enter_belated(&mut exchanges, &rest.belated);
                if let Some((_, last)) = exchanges.last_mut() {
                    last.noise.extend(rest.noise);
                    last.strays.extend(rest.strays);
                }
                self.judge_all(&exchanges, &mut execution);
            }
        }
        execution
    }

    /// The process that calls are sent in; `None` if none can be started. In a shared process, the calls that
    /// must come before others are sent first.
    async fn session(&mut self, process: ProcessReuse) -> Option<Session> {
        if process == ProcessReuse::Live
            && let Some(session) = self.live.take()
        {
            return Some(session);
        }
        self.server.space.lay_out();
        let mut session = self.server.start.open().await.ok()?;
        let opening = self.server.base_calls.opening().filter(|_| process == ProcessReuse::Live);
        for (tool, input) in opening.into_iter().flat_map(|opening| opening.steps) {
            self.calls += 1;
            session.call("tools/call", &params(&tool, &input)).await;
        }
        Some(session)
    }

    /// Judges an exchange immediately; findings that depend on an unfair control are left out.
    async fn judge_fairly(
        &mut self,
        session: &mut Session,
        exchange: &Exchange,
        input: &Input,
        execution: &mut Execution,
    ) {
        let Some(control_call) = self.judge(exchange, input, execution) else { return };
        if !self.is_fair(session, exchange, input, control_call).await {
            execution.findings.retain(|(key, _)| !needs_control(&key.rule));
        }
    }

    fn judge_all(&mut self, exchanges: &[(i64, Exchange)], execution: &mut Execution) {
        for (index, (_, exchange)) in exchanges.iter().enumerate() {
            if let Some(input) = execution.sent.get(index).cloned() {
                let _ = self.judge(exchange, &input, execution);
            }
        }
    }

    /// Judges an exchange; also returns the control, if a finding depends on it.
    fn judge(
        &mut self,
        exchange: &Exchange,
        input: &Input,
        execution: &mut Execution,
    ) -> Option<ControlCall> {
        let verdict = self.server.judge.borrow_mut().closely(exchange, input);
        if let Some(tool) = exchange.tool().filter(|_| verdict.is_unjudged) {
            self.unjudged.push((tool.to_owned(), input.clone()));
        }
        execution.findings.extend(verdict.findings.iter().cloned());
        let is_gated = verdict.findings.iter().any(|(key, _)| needs_control(&key.rule));
        verdict.control_call.filter(|_| is_gated)
    }

    /// Whether a call was refused for the argument in which it differs from its control, and not for what
    /// earlier calls left behind.
    async fn is_fair(
        &mut self,
        session: &mut Session,
        exchange: &Exchange,
        input: &Input,
        ControlCall { control, changed }: ControlCall,
    ) -> bool {
        let tool = exchange.tool().unwrap_or_default();
        let Some(changed) = changed else {
            // A repeated call must be refused, but must succeed with a fresh name.
            return match self.renamed(tool, input, |_| true) {
                Some(other) => self.succeeds(session, tool, &other).await,
                None => true,
            };
        };
        if self.succeeds(session, tool, &control).await {
            return true;
        }
        // What the control created exists by now. Another name rules that out as the reason.
        if let Some(other) = self.renamed(tool, &control, |name| name == changed) {
            return self.succeeds(session, tool, &other).await;
        }
        let [control, again] =
            [&control, input].map(|input| self.renamed(tool, input, |name| name != changed));
        let (Some(control), Some(again)) = (control, again) else { return false };
        if !self.succeeds(session, tool, &control).await {
            return false;
        }
        let Some(again) = self.asked(session, tool, &again).await else { return false };
        let judge = self.server.judge.borrow();
        judge.refusal(&again).is_some_and(|words| judge.refusal(exchange) == Some(words))
    }

    /// Sends a call beside those that are looked into; none where its tool gets no further one.
    async fn asked(&mut self, session: &mut Session, tool: &str, input: &Input) -> Option<Exchange> {
        let hold = self.server.start.restraint.awaited(tool).await?;
        self.calls += 1;
        let answer = session.call("tools/call", &params(tool, input)).await;
        let exchange = answered_exchange(tool, input, answer);
        self.note(&exchange, input);
        drop(hold);
        Some(exchange)
    }

    /// Tells of a call that was carried out.
    fn note(&self, exchange: &Exchange, input: &Input) {
        let Some(tool) = exchange.tool().filter(|tool| self.server.start.restraint.holds(tool)) else {
            return;
        };
        if self.server.judge.borrow().succeeds(exchange) {
            self.server.start.restraint.note(tool, input);
        }
    }

    async fn succeeds(&mut self, session: &mut Session, tool: &str, input: &Input) -> bool {
        let exchange = self.asked(session, tool, input).await;
        exchange.is_some_and(|exchange| self.server.judge.borrow().succeeds(&exchange))
    }

    /// The call with fresh names in the parameters that `may` accepts; `None` if there is no such parameter, or
    /// if the call must not be sent.
    pub(super) fn renamed(&self, tool: &str, input: &Input, may: impl Fn(&str) -> bool) -> Option<Input> {
        let number = self.server.judge.borrow_mut().next_name();
        let renamed = renamed(&input.value()?, number, may)?;
        let other = self.server.generators.get(tool)?.of_arguments(&renamed, &input.changes)?;
        // A name that is too long by now is invalid.
        (other.validity == input.validity).then_some(other)
    }

    /// Ends the shared process.
    pub(super) async fn finish(&mut self) {
        if let Some(session) = self.live.take() {
            session.kill().await;
        }
    }
}

/// The exchange of a call that was sent alone: everything that came meanwhile belongs to it.
pub(super) fn answered_exchange(tool: &str, input: &Input, answer: Answered) -> Exchange {
    let value = input.value().unwrap_or_else(|| Value::from(input.arguments.as_str()));
    answer.exchange(tool, value)
}
