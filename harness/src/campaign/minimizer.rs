//! Where a candidate becomes a finding, or nothing.
//!
//! A candidate goes through four states. *Seen*: something went wrong while several calls were in flight. *Attributed*: the
//! call that triggers it is known, since it shows it alone, in a fresh process. *Minimized*: the smallest input that still
//! shows it. *Confirmed*: stable, flaky, or unconfirmed for want of time ([`Stability`]). What each came to is a
//! [`TriageResult`].
//!
//! The main type is [`Minimizer`]. The call that is to blame is found by sending those in flight again one by
//! one; it is sent alone in a fresh process, minimized, and confirmed twice. A finding that needs earlier calls
//! becomes a sequence; one that does not show every time is reported as flaky.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use crate::exchange::{Exchange, Exit, Outcome};
use crate::finding::Finding;
use crate::generate::{Input, Sequence};
use crate::judge::SlowCall;
use crate::rules::handling::Distinction;
use crate::rules::{CRASH, Group, NO_REPLY, Rule, handling};

use super::clock::Clock;
use super::echo::{is_echo, is_made_up};
use super::execution::{Execution, Executor, ProcessReuse, ReplyWait};
use super::ledger::Ledger;
use super::restraint;
use super::sequence::{after, alone, in_order, without_parts};
use super::slow::is_slow;
use super::verdict::{CampaignJudge, Key, needs_control};

/// At most this many smaller inputs are tried for one finding.
const TRIES: usize = 400;
/// At most this long is spent on minimizing one finding.
const TIME: Duration = Duration::from_secs(6);
/// The same limit for a hang: each try that still hangs waits for a deadline.
const TIME_OF_HANGS: Duration = Duration::from_secs(12);
/// The same limit for a sequence: each try starts a process and sends all calls.
const TIME_OF_ROWS: Duration = Duration::from_secs(20);
/// How long to wait for a reply that has always come at once.
pub(super) const SHORT: Duration = Duration::from_millis(1000);
/// How many earlier calls are tried in front of the call, one number after the other.
const EARLIER: [usize; 5] = [2, 6, 16, 32, 64];

/// Calls with their tools.
pub(super) type Earlier = Vec<(String, Input)>;

/// Something that may be a finding. `earlier` are calls before it in the same process, the oldest first: those that most
/// likely matter, then others.
#[derive(Debug, Clone)]
pub(super) enum Candidate {
    /// A reply broke a rule while several calls were in flight.
    Reply {
        key: Key,
        finding: Box<Finding>,
        /// The calls up to and including the one with that reply.
        sequence: Sequence,
        /// The last of them, as it was sent.
        last: (String, Input),
        earlier: Vec<Earlier>,
    },
    /// The process ended. One of these calls may be the cause.
    Ended { exit: Exit, in_flight: Vec<Sequence>, earlier: Vec<Earlier> },
    /// No reply came to these calls.
    Silent { in_flight: Vec<Sequence> },
    /// A reply came far later than usual: that to the first of these calls, which were in flight together.
    Slow { in_flight: Vec<Sequence> },
}

/// The result of examining a candidate.
pub(super) enum TriageResult {
    /// A finding with the calls that show it.
    Found(Box<Discovery>),
    /// A known finding, caused by these calls.
    Known(Sequence),
    /// A slow call: not a finding, but worth reporting.
    Slow(SlowCall, Sequence),
    /// A refusal of this tool that could not be judged fairly; a comparison with other calls may show what is
    /// wrong.
    Unfair(String, Input),
    /// Not a finding.
    Nothing,
}

/// A finding with the calls that show it.
#[derive(Debug, Clone)]
pub(super) struct Discovery {
    /// The key under which it was examined.
    pub(super) key: Key,
    /// The key under which its minimized input shows.
    pub(super) shown: Key,
    pub(super) finding: Finding,
    /// The calls that first showed it.
    pub(super) trigger: Sequence,
    /// The smallest calls that show it.
    pub(super) sequence: Sequence,
    /// The arguments of these, as they were sent.
    pub(super) sent: Vec<Input>,
    pub(super) stability: Stability,
}

impl Discovery {
    /// A finding as it was seen: its calls were not minimized.
    pub(super) fn as_seen(key: Key, finding: Finding, sequence: Sequence, stability: Stability) -> Self {
        let sent = sequence.steps.iter().map(|(_, input)| input.clone()).collect();
        Self { shown: key.clone(), key, finding, trigger: sequence.clone(), sequence, sent, stability }
    }
}

/// How reliably the calls show the finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stability {
    /// Each time, in a fresh process.
    Stable,
    /// Not each time.
    Flaky,
    /// They were not sent again; with the reason.
    Unconfirmed(&'static str),
}

/// Examines and minimizes candidates.
pub(super) struct Minimizer<'a> {
    pub(super) executor: Executor<'a>,
    pub(super) ledger: &'a RefCell<Ledger>,
    /// Limits the time for minimizing.
    pub(super) clock: &'a Clock,
}

impl Minimizer<'_> {
    /// Examines a candidate.
    pub(super) async fn examine(&mut self, candidate: Candidate) -> TriageResult {
        match candidate {
            Candidate::Reply { key, finding, sequence, last, earlier } => {
                Box::pin(self.of_reply(key, *finding, sequence, last, &earlier)).await
            }
            Candidate::Ended { exit, in_flight, earlier } => {
                Box::pin(self.of_end(exit, in_flight, &earlier)).await
            }
            Candidate::Silent { in_flight } => Box::pin(self.of_silence(in_flight)).await,
            Candidate::Slow { in_flight } => Box::pin(self.of_late(in_flight)).await,
        }
    }

    async fn of_reply(
        &mut self,
        key: Key,
        finding: Finding,
        sequence: Sequence,
        (tool, input): (String, Input),
        earlier: &[Earlier],
    ) -> TriageResult {
        let mut candidates = vec![alone(tool.clone(), input.clone())];
        if sequence.steps.len() > 1 {
            candidates.push(sequence.clone());
        }
        candidates.extend(self.behind_its_control(&key, &tool, &input));
        let server = self.executor.server;
        let base_calls = &server.base_calls;
        candidates.extend(candidates.clone().iter().filter_map(|candidate| base_calls.prepared(candidate)));
        let (mut shown, mut instead) = (None, Vec::new());
        let is_other = |other: &Key| {
            other.rule == key.rule
                && other.tool == key.tool
                && handling(&key.rule).distinction == Distinction::Words
        };
        for candidate in &candidates {
            let execution = self.executor.send(candidate, fresh(&key), ReplyWait::Full).await;
            instead.extend(execution.findings.iter().map(|(key, _)| key.clone()).filter(is_other));
            if execution.shows(&key).is_some() {
                shown = Some((candidate.clone(), execution));
                break;
            }
        }
        // If the finding is about one argument, earlier calls are not to blame.
        if shown.is_none() && !is_of_one_argument(&key.rule) {
            shown = self.with_earlier(&key, &sequence, earlier).await;
        }
        let Some((starting, execution)) = shown else {
            if server.start.restraint.withholds(&sequence) {
                let stability = Stability::Unconfirmed(restraint::WITHHELD);
                return TriageResult::Found(Box::new(Discovery::as_seen(key, finding, sequence, stability)));
            }
            let before = earlier.iter().flatten().map(|(_, input)| input);
            if is_echo(&finding, before, &server.head.folders) || is_made_up(&finding) {
                return TriageResult::Nothing;
            }
            if is_of_one_argument(&key.rule) {
                self.ledger.borrow_mut().reopen(&key);
                return TriageResult::Unfair(tool, input);
            }
            if self.ledger.borrow_mut().merge(&key, &instead) {
                return TriageResult::Nothing;
            }
            return self.flaky(key, finding, sequence).await;
        };
        self.confirmed(key, sequence, starting, execution)
    }

    /// The call preceded by its control, because what the control creates may be missing in a fresh process.
    fn behind_its_control(&self, key: &Key, tool: &str, input: &Input) -> Option<Sequence> {
        let mut judge = self.executor.server.judge.borrow_mut();
        let control = judge.control_of(tool, input).filter(|_| is_of_one_argument(&key.rule))?;
        Some(in_order(vec![(tool.to_owned(), control.clone()), (tool.to_owned(), input.clone())]))
    }

    /// The shortest sequence of earlier calls after which the finding shows.
    async fn with_earlier(
        &mut self,
        key: &Key,
        sequence: &Sequence,
        earlier: &[Earlier],
    ) -> Option<(Sequence, Execution)> {
        for calls in earlier {
            let mut tried = 0;
            for most in EARLIER {
                let count = most.min(calls.len());
                if count == tried {
                    break;
                }
                tried = count;
                let whole = after(&calls[calls.len() - count..], sequence);
                let execution = self.executor.send(&whole, fresh(key), ReplyWait::Full).await;
                if execution.shows(key).is_some() {
                    return Some((whole, execution));
                }
            }
        }
        None
    }

    /// The discovery for calls that have shown a finding in the campaign and again alone; it is still to be
    /// minimized.
    fn confirmed(
        &self,
        key: Key,
        trigger: Sequence,
        sequence: Sequence,
        execution: Execution,
    ) -> TriageResult {
        let Some((shown, finding)) = execution.shows(&key).cloned() else { return TriageResult::Nothing };
        if self.is_echo(&finding, &execution) {
            return TriageResult::Nothing;
        }
        let sent = execution.sent;
        let stability = Stability::Stable;
        TriageResult::Found(Box::new(Discovery { key, shown, finding, trigger, sequence, sent, stability }))
    }

    /// Whether the reported value was sent by an earlier call of the sequence.
    fn is_echo(&self, finding: &Finding, execution: &Execution) -> bool {
        let before = execution.sent.iter().take(execution.sent.len().saturating_sub(1));
        is_echo(finding, before, &self.executor.server.head.folders)
    }

    /// Minimizes a confirmed finding as far as time allows, and confirms the result. `None` if it turns out to
    /// be an echo.
    pub(super) async fn shrink(&mut self, found: Discovery) -> Option<Discovery> {
        let (key, begun) = (found.key.clone(), Instant::now());
        if !self.clock.may_shrink(begun) {
            return Some(found);
        }
        // A single call can use a shared process and needs no start; a sequence must begin in a fresh one.
        let fresh = fresh(&key);
        let is_cheap = found.sequence.steps.len() == 1 && fresh == ProcessReuse::Fresh;
        let processes: &[ProcessReuse] =
            if is_cheap { &[ProcessReuse::Live, ProcessReuse::Fresh] } else { &[fresh] };
        let mut found = found;
        for process in processes {
            let small = self.smaller(&key, found.sequence.clone(), *process).await;
            if small == found.sequence {
                break;
            }
            let execution = self.executor.send(&small, fresh, ReplyWait::Full).await;
            if let Some((shown, finding)) = execution.shows(&key).cloned() {
                if self.is_echo(&finding, &execution) {
                    return None;
                }
                found = Discovery { shown, finding, sequence: small, sent: execution.sent, ..found };
                break;
            }
        }
        // What takes a whole deadline each time is confirmed only once.
        if key.rule != NO_REPLY.id
            && !self.executor.server.start.restraint.withholds(&found.sequence)
            && self.clock.may_shrink(begun)
            && self.executor.send(&found.sequence, fresh, ReplyWait::Full).await.shows(&key).is_none()
        {
            found.stability = Stability::Flaky;
        }
        Some(found)
    }

    /// The smallest calls that still show the finding, as far as time allows.
    async fn smaller(&mut self, key: &Key, mut small: Sequence, process: ProcessReuse) -> Sequence {
        let begun = Instant::now();
        let (patience, time) = match key.rule.as_str() {
            rule if rule == NO_REPLY.id => {
                (ReplyWait::Short(SHORT.min(self.executor.server.start.deadlines.call)), TIME_OF_HANGS)
            }
            _ if small.steps.len() > 1 => (ReplyWait::Full, TIME_OF_ROWS),
            _ => (ReplyWait::Full, TIME),
        };
        let mut left = TRIES;
        'smaller: loop {
            let whole = small.clone();
            // Candidates are made lazily: for a long input, all of them would take many times its size.
            for candidate in without_parts(&whole).chain(whole.simpler(&self.executor.server.generators)) {
                if left == 0 || begun.elapsed() > time || !self.clock.may_shrink(begun) {
                    break 'smaller;
                }
                left -= 1;
                if self.executor.send(&candidate, process, patience).await.seems_to_show(key) {
                    small = candidate;
                    continue 'smaller;
                }
            }
            break;
        }
        small
    }

    /// The discovery for a finding that was seen and does not show each time.
    async fn flaky(&mut self, key: Key, finding: Finding, sequence: Sequence) -> TriageResult {
        let mut seen: Option<(Key, Finding)> = None;
        for _ in 0..2 {
            let again = self.executor.send(&sequence, fresh(&key), ReplyWait::Full).await;
            seen = seen.or_else(|| again.shows(&key).cloned());
        }
        let (shown, mut finding) = seen.unwrap_or_else(|| (key.clone(), finding));
        if key.is_stray() {
            // Nobody knows which tool it belongs to.
            finding.tool = None;
        }
        let shown = Key { tool: finding.tool.clone(), ..shown };
        let seen = Discovery::as_seen(key, finding, sequence, Stability::Flaky);
        TriageResult::Found(Box::new(Discovery { shown, ..seen }))
    }

    async fn of_end(&mut self, exit: Exit, in_flight: Vec<Sequence>, earlier: &[Earlier]) -> TriageResult {
        for sequence in &in_flight {
            let execution = self.executor.send(sequence, ProcessReuse::Live, ReplyWait::Short(SHORT)).await;
            if let Some((key, finding)) = of_rule(&CRASH, &execution.findings) {
                return self.of_crash(key, finding, sequence.clone(), earlier).await;
            }
        }
        // No single call shows it: perhaps all of them together do, or earlier ones.
        if in_flight.is_empty() {
            return TriageResult::Nothing;
        }
        let mut whole = earlier.first().cloned().unwrap_or_default();
        whole.extend(in_flight.iter().flat_map(|sequence| sequence.steps.clone()));
        whole.truncate(EARLIER[EARLIER.len() - 1] + in_flight.len());
        let joined = in_order(whole);
        let execution = self.executor.send(&joined, ProcessReuse::Fresh, ReplyWait::Short(SHORT)).await;
        if let Some((key, _)) = of_rule(&CRASH, &execution.findings) {
            let joined = in_order(joined.steps[..execution.sent.len().min(joined.steps.len())].to_vec());
            self.ledger.borrow_mut().note(&key);
            return self.confirmed(key, joined.clone(), joined, execution);
        }
        match end_as_seen(&self.executor.server.judge, exit, in_flight, Stability::Flaky) {
            Some(discovery) => {
                self.ledger.borrow_mut().note(&discovery.key);
                TriageResult::Found(Box::new(discovery))
            }
            None => TriageResult::Nothing,
        }
    }

    async fn of_crash(
        &mut self,
        key: Key,
        finding: Finding,
        sequence: Sequence,
        earlier: &[Earlier],
    ) -> TriageResult {
        let novelty = self.ledger.borrow_mut().note(&key);
        if novelty == super::ledger::Novelty::Known {
            return TriageResult::Known(sequence);
        }
        let Some(last) = sequence.steps.last().cloned() else { return TriageResult::Known(sequence) };
        self.of_reply(key, finding, sequence, last, earlier).await
    }

    async fn of_silence(&mut self, in_flight: Vec<Sequence>) -> TriageResult {
        let short = ReplyWait::Short(SHORT.min(self.executor.server.start.deadlines.call));
        for sequence in in_flight {
            let execution = self.executor.send(&sequence, ProcessReuse::Live, short).await;
            let Some(tool) = execution.unanswered.clone() else { continue };
            if self.ledger.borrow().has(NO_REPLY.id, &tool) {
                return TriageResult::Known(sequence);
            }
            let mut whole = sequence.clone();
            let mut alone = self.executor.send(&sequence, ProcessReuse::Fresh, ReplyWait::Full).await;
            let hang = of_rule(&NO_REPLY, &alone.findings);
            if let (None, Some(prepared)) = (hang, self.executor.server.base_calls.prepared(&sequence)) {
                alone = self.executor.send(&prepared, ProcessReuse::Fresh, ReplyWait::Full).await;
                whole = prepared;
            }
            let Some((key, _)) = of_rule(&NO_REPLY, &alone.findings) else {
                if let Some(slow) = self.slow(&sequence).await {
                    return TriageResult::Slow(slow, sequence);
                }
                continue;
            };
            self.ledger.borrow_mut().note(&key);
            return self.confirmed(key, sequence, whole, alone);
        }
        TriageResult::Nothing
    }

    /// Finds out which of the calls is the slow one.
    async fn of_late(&mut self, in_flight: Vec<Sequence>) -> TriageResult {
        for sequence in in_flight {
            let execution = self.executor.send(&sequence, ProcessReuse::Live, ReplyWait::Full).await;
            if execution.times.last().is_some_and(|taken| is_slow(*taken, Duration::ZERO))
                && let Some(slow) = self.slow(&sequence).await
            {
                return TriageResult::Slow(slow, sequence);
            }
        }
        TriageResult::Nothing
    }

    /// Whether a call is slow both of two times, compared with a successful call of its tool in the same
    /// process.
    async fn slow(&mut self, sequence: &Sequence) -> Option<SlowCall> {
        let (tool, input) = sequence.steps.last().cloned()?;
        let control = self.executor.server.judge.borrow().control(&tool).cloned()?;
        let control = (tool.clone(), control);
        // The first call of a process may take longer than any later one.
        let mut steps = vec![control.clone()];
        for _ in 0..2 {
            steps.extend(sequence.steps.iter().take(sequence.steps.len() - 1).cloned());
            steps.extend([control.clone(), (tool.clone(), input.clone())]);
        }
        let execution = self.executor.send(&in_order(steps), ProcessReuse::Fresh, ReplyWait::Full).await;
        let each = sequence.steps.len() + 1;
        let times: Vec<&[Duration]> = execution.times.get(1..)?.chunks_exact(each).collect();
        let [one, other] = times.as_slice() else { return None };
        let (usual, taken) = (one[each - 2].max(other[each - 2]), one[each - 1].min(other[each - 1]));
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        is_slow(taken, usual).then(|| SlowCall {
            tool,
            input: super::file::input(sequence, &[], &self.executor.server.head.folders),
            taken_ms: vec![millis(one[each - 1]), millis(other[each - 1])],
            usual_ms: millis(usual),
        })
    }
}

/// The finding for an end of the process as it was seen: with several calls in flight nobody knows which caused it.
pub(super) fn end_as_seen(
    judge: &RefCell<CampaignJudge>,
    exit: Exit,
    in_flight: Vec<Sequence>,
    stability: Stability,
) -> Option<Discovery> {
    let (tool, input) = in_flight.last()?.steps.last()?;
    let value = input.value().unwrap_or_default();
    let exchange = Exchange::alone(Some(tool), value, Outcome::Ended(exit));
    let verdict = judge.borrow_mut().closely(&exchange, input);
    let (key, mut finding) = of_rule(&CRASH, &verdict.findings)?;
    let key = Key { tool: None, ..key };
    finding.tool = None;
    let sequence = in_order(in_flight.into_iter().flat_map(|sequence| sequence.steps).collect());
    Some(Discovery::as_seen(key, finding, sequence, stability))
}

/// Whether a rule judges a refusal only if it is known which argument is wrong. If the finding does not show
/// again, something else was wrong.
fn is_of_one_argument(rule: &str) -> bool {
    needs_control(rule) && Group::of(rule) != Some(Group::Channel)
}

/// The kind of fresh process that a finding with this key needs.
fn fresh(key: &Key) -> ProcessReuse {
    if key.is_stray() { ProcessReuse::Drained } else { ProcessReuse::Fresh }
}

/// The first finding of a rule.
fn of_rule(rule: &'static Rule, findings: &[(Key, Finding)]) -> Option<(Key, Finding)> {
    findings.iter().find(|(key, _)| key.rule == rule.id).cloned()
}
