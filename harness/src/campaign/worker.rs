//! One process of a campaign, with several calls in flight; it is replaced when it is lost.
//!
//! The main function is [`work`]. The drawer decides what it sends and the judge gives the verdicts; the
//! minimizer finds out which call caused a crash or a hang.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::exchange::{Malformed, Outcome, StrayMessage};
use crate::generate::{Input, Sequence};
use crate::json::leaves;
use crate::server::{Arrival, Pipeline};

use super::draw::{CallSource, plan_id};
use super::file::{self, params};
use super::flight::{CallsInFlight, least_readable};
use super::growth::{self, Scale};
use super::journal::Line;
use super::ledger::Novelty;
use super::minimizer::Candidate;
use super::restraint::{Leave, TURN};
use super::verdict::{self, Verdict};
use super::worker_pool::WorkerPool;

/// At most this many calls of a process are remembered, for findings that show only after other calls.
const REMEMBERED: usize = 2_000;
/// Longer arguments are not remembered.
const LONG: usize = 4 * 1024;
/// At most this many of the remembered calls are examined.
const EARLIER: usize = 64;
/// A process is replaced after this many calls, so that what it accumulates does not grow for ever.
const LIFE: u64 = 400_000;
/// A process without a memory limit that holds half as much as this, in bytes, is replaced.
const LARGE: u64 = 4 << 30;
/// How often the disk is checked; the clock is read once in a fixed number of calls.
const SPACE: Duration = Duration::from_secs(5);
const LOOKED: u64 = 16;
/// How long to wait for a reply to a line that a server may have dropped as a whole.
const UNREAD: Duration = Duration::from_millis(500);
/// At most this many calls wait for the replies to others of their tools.
const WAITING: usize = 16;
/// How often in a row a process may fail to start, or end before it answered.
const STARTS: usize = 5;

/// Sends calls to one process after the other until the campaign is over. The error says why no more processes
/// can be started.
pub(super) async fn work(pool: &WorkerPool<'_>) -> Result<(), String> {
    let mut failures = 0;
    while !pool.is_over() {
        if pool.begun.unwritten.is_waiting() {
            tokio::time::sleep(TURN).await;
            continue;
        }
        pool.server.space.lay_out();
        let begun = Instant::now();
        let session = match pool.server.start.open().await {
            Ok(session) => session,
            Err(error) if failures + 1 >= STARTS => return Err(error.to_string()),
            Err(_) => {
                failures += 1;
                continue;
            }
        };
        // A server that starts slowly takes as long to load what its first calls need.
        pool.wait_at_least(begun.elapsed() * 2);
        let mut worker = WorkerLoop {
            pool,
            pipeline: session.into_pipeline(),
            flights: BTreeMap::new(),
            remembered: VecDeque::new(),
            next: pool
                .server
                .base_calls
                .opening()
                .map(|opening| (opening, CallSource::Queued, Vec::new()))
                .into_iter()
                .collect(),
            is_opening: true,
            calls: 0,
            scale: Scale::new(),
            is_spent: false,
            is_large: false,
            looked: Instant::now(),
            late_until: None,
            stray: (Vec::new(), Vec::new()),
            known: VecDeque::new(),
        };
        let end = worker.work().await;
        pool.record_memory(&worker.scale, || worker.latest(growth::ROW));
        let answered = worker.answered();
        failures = if answered > 0 { 0 } else { failures + 1 };
        if matches!(end, ExitReason::Silent) && answered < pool.in_flight as u64 {
            // Each process of this server is slow at its first calls; it must be given the time to get beyond
            // them.
            pool.wait_longer();
        }
        let candidate = worker.candidate(&end).await;
        worker.flights.clear();
        match end {
            ExitReason::Over => drop(worker.pipeline.into_session().close().await),
            ExitReason::Gone => {}
            ExitReason::Silent => worker.pipeline.into_session().kill().await,
        }
        if let Some(candidate) = candidate {
            pool.suspect(candidate).await;
        }
        if failures >= STARTS {
            return Err("the server ended before it answered, in one fresh process after another".to_owned());
        }
    }
    Ok(())
}

/// A sequence with what its steps so far returned.
type NextStep = (Sequence, CallSource, Vec<Value>);

/// Why a process is left.
enum ExitReason {
    /// The process did enough, or the campaign is over.
    Over,
    /// The process ended.
    Gone,
    /// The process answers nothing any more.
    Silent,
}

/// One process at work.
struct WorkerLoop<'s, 'a> {
    pool: &'s WorkerPool<'a>,
    pipeline: Pipeline,
    /// Boxed, because map nodes of large values are large themselves and come and go with the calls.
    flights: BTreeMap<i64, Box<CallsInFlight>>,
    remembered: VecDeque<(String, Input)>,
    /// Sequences whose next step is due.
    next: VecDeque<NextStep>,
    /// What must be called before others is called, one after the other.
    is_opening: bool,
    calls: u64,
    /// The memory of its processes.
    scale: Scale,
    /// Calls sent before this moment had to wait for a slow call.
    late_until: Option<Instant>,
    /// When the disk was last checked.
    looked: Instant,
    /// Whether it accepts no more calls for now and is to be replaced.
    is_spent: bool,
    /// Whether its processes hold, or have written, so much that it is to be replaced.
    is_large: bool,
    /// Noise and stray messages since the last reply.
    stray: (Vec<String>, Vec<StrayMessage>),
    /// The verdicts on replies of known shapes that were not counted yet, in order.
    known: VecDeque<Verdict>,
}

impl WorkerLoop<'_, '_> {
    async fn work(&mut self) -> ExitReason {
        loop {
            self.fill();
            if self.flights.is_empty() {
                if self.next.is_empty() || self.is_spent || self.pool.is_over() {
                    return ExitReason::Over;
                }
                // Another process waits for a reply of the same tool.
                tokio::time::sleep(TURN).await;
                continue;
            }
            // Queued calls go out before more replies are read, so that the server always has work.
            tokio::task::yield_now().await;
            // At the very end, lines that may have been dropped are not waited for as long as others.
            let is_last = self.pool.is_over() && self.waiting_for().all(CallsInFlight::is_unreadable);
            let quiet = if is_last { UNREAD } else { self.pool.quiet.get() };
            match tokio::time::timeout(quiet, self.receive()).await {
                Ok(Some(arrivals)) => {
                    for arrival in arrivals {
                        self.take(arrival).await;
                    }
                }
                Ok(None) => return ExitReason::Gone,
                Err(_) if is_last => return ExitReason::Over,
                Err(_) => return ExitReason::Silent,
            }
            self.give_up_overdue().await;
        }
    }

    /// The lines that came. A reply of a known shape is not parsed.
    async fn receive(&mut self) -> Option<Vec<Arrival>> {
        let Self { pool, pipeline, flights, stray, known, .. } = self;
        let is_alone = stray.0.is_empty() && stray.1.is_empty();
        let mut knows = |id: i64, line: &[u8]| {
            let flight = flights.get(&id).filter(|flight| is_alone && !flight.goes_on());
            let seen = flight.and_then(|flight| flight.seen(id, line, line.len()));
            let verdict = seen.and_then(|seen| pool.server.judge.borrow().known(seen));
            let is_known = verdict.is_some();
            known.extend(verdict);
            is_known
        };
        pipeline.next(&mut knows).await
    }

    fn answered(&self) -> u64 {
        self.calls.saturating_sub(self.flights.len() as u64)
    }

    /// The calls in flight, the oldest first.
    fn waiting_for(&self) -> impl Iterator<Item = &CallsInFlight> {
        self.flights.values().map(Box::as_ref)
    }

    /// Sends calls until the permitted number is in flight.
    fn fill(&mut self) {
        self.is_opening &= !(self.next.is_empty() && self.flights.is_empty());
        let most = if self.is_opening { 1 } else { self.pool.in_flight };
        // What waits for a reply of its tool holds nothing else up.
        let mut waiting = VecDeque::new();
        while self.flights.len() < most && waiting.len() < WAITING {
            if self.pool.is_over() || self.is_spent {
                break;
            }
            let (sequence, origin, replies) = match self.next.pop_front() {
                Some(next) => next,
                None if self.calls >= LIFE || self.is_large || self.pool.begun.unwritten.is_waiting() => {
                    break;
                }
                None => match self.pool.next_call() {
                    Some((sequence, origin)) => (sequence, origin, Vec::new()),
                    None => break,
                },
            };
            waiting.extend(self.send(sequence, origin, replies));
        }
        waiting.append(&mut self.next);
        self.next = waiting;
    }

    /// Sends the next step of a sequence; gives it back where that has to wait for another call of its tool.
    fn send(&mut self, sequence: Sequence, origin: CallSource, replies: Vec<Value>) -> Option<NextStep> {
        let step = replies.len();
        let (tool, drawn) = sequence.steps.get(step)?;
        let hold = match self.pool.server.start.restraint.leave(tool) {
            Leave::Now(hold) => hold,
            Leave::Later => return Some((sequence, origin, replies)),
            Leave::Never => return None,
        };
        if (origin, step) == (CallSource::Again, 0) {
            self.pool.server.space.lay_out();
        }
        let generator = self.pool.server.generators.get(tool).filter(|_| !sequence.feeds.is_empty());
        let ready = generator.and_then(|generator| sequence.ready(step, &replies, generator));
        let input = ready.as_ref().unwrap_or(drawn);
        let id = self.pipeline.send(&params(tool, input));
        self.calls += 1;
        if let Some(held) = self.scale.measure(self.calls, self.pipeline.processes()) {
            self.pool.campaign.tally.add_memory(held);
            self.is_large |= held > self.pool.server.start.command.bounds.memory.unwrap_or(LARGE) / 2;
        }
        if self.calls.is_multiple_of(LOOKED) && self.looked.elapsed() > SPACE {
            // A new process finds emptied folders, but this one may depend on what it wrote.
            self.looked = Instant::now();
            self.is_large |= self.pool.server.space.is_full();
        }
        self.pool.campaign.tally.add_calls(1);
        let mut flight = Box::new(CallsInFlight::new(sequence, origin, replies, ready));
        flight.hold = hold;
        self.flights.insert(id, flight);
        None
    }

    async fn take(&mut self, arrival: Arrival) {
        match arrival {
            Arrival::Unread => self.unread(),
            Arrival::Noise(line) => self.stray.0.push(line),
            Arrival::Stray(stray) => self.stray.1.push(stray),
            Arrival::Reply { id, outcome, line, stray } => {
                let Some(flight) = self.flights.remove(&id) else { return };
                self.reply(id, flight, outcome, &line.bytes, line.length, stray).await;
            }
            Arrival::Known(id) => {
                let (Some(flight), Some(verdict)) = (self.flights.remove(&id), self.known.pop_front()) else {
                    return;
                };
                self.look_at_the_clock(&flight).await;
                self.judged(flight, verdict, None).await;
            }
        }
    }

    /// Takes an error without an id as the answer to the oldest call that not every parser can read; it says
    /// nothing about the tool.
    fn unread(&mut self) {
        match least_readable(&self.flights) {
            Some(id) => {
                self.pipeline.give_up(id);
                self.flights.remove(&id);
                self.pool.campaign.tally.add_error_reply();
            }
            None => self.stray.1.push(StrayMessage::Malformed(Malformed {
                how: "it is an error without an id".to_owned(),
                line: String::new(),
            })),
        }
    }

    async fn reply(
        &mut self,
        id: i64,
        flight: Box<CallsInFlight>,
        outcome: Outcome,
        line: &[u8],
        length: usize,
        stray: Option<StrayMessage>,
    ) {
        self.look_at_the_clock(&flight).await;
        let (noise, mut strays) = std::mem::take(&mut self.stray);
        strays.extend(stray);
        let result = flight.goes_on().then(|| outcome.result().cloned().unwrap_or_default());
        let Some(seen) = flight.seen(id, line, length) else { return };
        let parsed = verdict::ParsedReply { seen, value: flight.value(), outcome, noise, strays };
        let (verdict, closely) = self.pool.server.judge.borrow_mut().judge(parsed);
        if let Some(exchange) = closely
            && !verdict.is_error
            && let Some(result) = exchange.outcome.result()
        {
            self.pool.drawer.borrow_mut().learn(seen.tool, flight.value(), result);
        }
        self.judged(flight, verdict, result).await;
    }

    /// Submits a call that took far longer than usual for examination.
    async fn look_at_the_clock(&mut self, flight: &CallsInFlight) {
        if self.late_until.is_some_and(|until| flight.since <= until) {
            return;
        }
        let Some((tool, _)) = flight.step() else { return };
        let together = || {
            let others = self.waiting_for().map(CallsInFlight::so_far);
            std::iter::once(flight.so_far()).chain(others).collect()
        };
        if self.pool.late(tool, flight.since.elapsed(), together).await {
            self.late_until = Some(Instant::now());
        }
    }

    /// What a reply is worth is known: counts it, has its findings looked into, and goes on with its sequence.
    async fn judged(&mut self, mut flight: Box<CallsInFlight>, verdict: Verdict, result: Option<Value>) {
        let hold = flight.hold.take();
        let (Some((tool, input)), pool) = (flight.step(), self.pool) else { return };
        if verdict.is_carried_out {
            pool.server.start.restraint.note(tool, input);
        }
        drop(hold);
        match verdict.is_error {
            true => pool.campaign.tally.add_error_reply(),
            false => pool.campaign.tally.add_reply(),
        }
        if verdict.is_rationed && (self.is_spent || pool.may_renew(self.answered())) {
            self.is_spent = true;
            let CallsInFlight { sequence, origin, .. } = *flight;
            pool.drawer.borrow_mut().put_back(sequence, origin);
            return;
        }
        if result.is_none() && matches!(flight.origin, CallSource::Base | CallSource::Again) {
            pool.drawer.borrow_mut().record_answer(tool, flight.origin, verdict.is_error);
        }
        if let Some(brings) = &verdict.new {
            let folders = &pool.server.head.folders;
            pool.drawer.borrow_mut().keep((tool, input), brings, flight.origin, folders);
        }
        if flight.origin == CallSource::Planned && result.is_none() {
            pool.begun.journal.write(&Line::Planned(plan_id(&(tool.to_owned(), input.clone()))));
        }
        if verdict.is_unjudged {
            pool.unjudged.borrow_mut().put(tool, input);
        }
        if verdict.new.is_some() || verdict.is_unjudged {
            pool.compare().await;
        }
        for (key, finding) in verdict.findings.iter() {
            let sequence = || Sequence {
                steps: flight.sequence.steps[..=flight.replies.len()].to_vec(),
                feeds: flight.sequence.feeds.clone(),
            };
            let example = || file::example(&sequence(), &pool.server.head.folders);
            if pool.campaign.ledger.borrow_mut().note_call(key, example) == Novelty::New {
                let earlier = match key.is_stray() {
                    // It may be the answer to a call that is still waiting.
                    true => vec![self.latest(EARLIER).into_iter().chain(self.waiting()).collect()],
                    false => vec![self.related(flight.value()), self.latest(EARLIER)],
                };
                let last = (tool.to_owned(), input.clone());
                let finding = Box::new(finding.clone());
                let (key, sequence) = (key.clone(), sequence());
                pool.suspect(Candidate::Reply { key, finding, sequence, last, earlier }).await;
            }
        }
        match result {
            Some(result) => {
                self.remember((tool.to_owned(), input.clone()));
                let CallsInFlight { sequence, origin, mut replies, .. } = *flight;
                replies.push(result);
                self.next.push_back((sequence, origin, replies));
            }
            None => {
                let CallsInFlight { mut sequence, replies, ready, .. } = *flight;
                let (tool, drawn) = sequence.steps.swap_remove(replies.len());
                self.remember((tool, ready.unwrap_or(drawn)));
            }
        }
    }

    fn remember(&mut self, step: (String, Input)) {
        if step.1.arguments.len() <= LONG {
            self.remembered.push_back(step);
            if self.remembered.len() > REMEMBERED {
                self.remembered.pop_front();
            }
        }
    }

    /// The remembered calls that share a value with this one: they most likely caused what it ran into.
    fn related(&self, value: &Value) -> Vec<(String, Input)> {
        // A short text or a number, as JSON writes it.
        let is_telling = |leaf: &&Value| match leaf {
            Value::String(text) => (1..200).contains(&text.len()),
            leaf => leaf.is_number(),
        };
        let own: Vec<String> = leaves(value).into_iter().filter(is_telling).map(Value::to_string).collect();
        let related =
            |input: &&(String, Input)| own.iter().any(|leaf| input.1.arguments.contains(leaf.as_str()));
        let mut earlier: Vec<(String, Input)> =
            self.remembered.iter().rev().filter(related).take(EARLIER).cloned().collect();
        earlier.reverse();
        earlier
    }

    /// The last calls that were answered, at most this many.
    fn latest(&self, most: usize) -> Vec<(String, Input)> {
        self.remembered.iter().rev().take(most).rev().cloned().collect()
    }

    /// The calls in flight with their tools.
    fn waiting(&self) -> impl Iterator<Item = (String, Input)> {
        let step = |(tool, input): (&str, &Input)| (tool.to_owned(), input.clone());
        self.waiting_for().filter_map(CallsInFlight::step).map(step)
    }

    /// Gives up calls that had no reply within a call's deadline although others did.
    async fn give_up_overdue(&mut self) {
        let none_can_be = self.waiting_for().next().is_none_or(|oldest| oldest.since.elapsed() < UNREAD);
        if none_can_be {
            return;
        }
        let deadline = self.pool.server.start.deadlines.call;
        let overdue: Vec<i64> = self
            .flights
            .iter()
            .filter(|(_, flight)| {
                let waited = flight.since.elapsed();
                waited > deadline || flight.is_unreadable() && waited > UNREAD
            })
            .map(|(id, _)| *id)
            .collect();
        for id in overdue {
            self.pipeline.give_up(id);
            let Some(mut flight) = self.flights.remove(&id) else { continue };
            flight.hold = None;
            if flight.is_unreadable() {
                // The server dropped the line as a whole, and would drop more of its kind.
                self.pool.drawer.borrow_mut().avoid_unreadable();
                continue;
            }
            self.pool.suspect(Candidate::Silent { in_flight: vec![flight.so_far()] }).await;
        }
    }

    /// The candidate to examine once the process is replaced.
    async fn candidate(&mut self, end: &ExitReason) -> Option<Candidate> {
        let in_flight: Vec<Sequence> = self.waiting_for().map(CallsInFlight::so_far).collect();
        match end {
            ExitReason::Over => None,
            ExitReason::Gone => {
                let exit = self.pipeline.exit().await;
                Some(Candidate::Ended { exit, in_flight, earlier: vec![self.latest(EARLIER)] })
            }
            ExitReason::Silent if self.waiting_for().all(CallsInFlight::is_unreadable) => {
                self.pool.drawer.borrow_mut().avoid_unreadable();
                None
            }
            ExitReason::Silent => Some(Candidate::Silent { in_flight }),
        }
    }
}

/// How long a process may say nothing before it counts as silent.
pub(super) const QUIET: Duration = Duration::from_millis(1_500);
