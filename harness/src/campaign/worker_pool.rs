//! What the processes of a campaign share: the drawer, the verdicts, and the queues of candidates.
//!
//! The main type is [`WorkerPool`]. All of it runs on one thread; no `RefCell` is borrowed across an `await`.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::pin::Pin;
use std::time::Duration;

use crate::contract::Contract;
use crate::exchange::Exit;
use crate::finding::{Finding, Level};
use crate::generate::{Generator, Input, Sequence};
use crate::judge::SlowCall;
use crate::placeholder::Folders;
use crate::refused;
use crate::rules::{CRASH, Group, MEMORY_GROWTH, NO_REPLY};

use super::base_calls::BaseCalls;
use super::clock::LABS_MEANWHILE;
use super::draw::{CallDrawer, CallSource};
use super::echo::is_echo;
use super::execution::ServerStart;
use super::file::{self, FindingFile, FindingParts, ServerStarted};
use super::growth::Scale;
use super::journal::{Journal, Line};
use super::ledger::Ledger;
use super::minimizer::{
    Candidate, Discovery, Earlier, Minimizer, Stability, TriageResult, Trigger, end_as_seen,
};
use super::slow::{self, Times};
use super::tally::{IsError, Tally};
use super::triage::{InProgress, Queue, Triage, TriageTask};
use super::unjudged::Unjudged;
use super::unwritten::{Purpose, Unwritten};
use super::verdict::{CampaignJudge, Key, needs_control};

/// At most this many crashes and silences wait to be examined; more at a time would show nothing more.
const WAITING: usize = 3;

/// Replays a finding in folders of its own.
pub(super) type FreshReplay<'a> = dyn Fn(FindingFile) -> Pin<Box<dyn Future<Output = bool> + 'a>> + 'a;

/// What the processes of a campaign share.
pub(super) struct WorkerPool<'a> {
    pub(super) start: &'a ServerStart,
    pub(super) generators: &'a BTreeMap<String, Generator>,
    /// The calls that are known to succeed.
    pub(super) base_calls: &'a BaseCalls,
    pub(super) folders: &'a Folders,
    pub(super) lay_out: &'a dyn Fn(),
    /// Whether the folders have grown too large.
    pub(super) is_full: &'a dyn Fn() -> bool,
    pub(super) in_flight: usize,
    pub(super) drawer: RefCell<CallDrawer<'a>>,
    pub(super) judge: &'a RefCell<CampaignJudge>,
    pub(super) ledger: &'a RefCell<Ledger>,
    pub(super) tally: &'a Tally,
    pub(super) triage: Triage<'a>,
    /// The folder in which findings are written.
    pub(super) findings: Option<&'a Path>,
    /// Whether a finding shows in folders of its own, as it must for whoever replays it.
    pub(super) elsewhere: &'a FreshReplay<'a>,
    /// How the server is started.
    pub(super) server: &'a ServerStarted,
    /// The usual reply times.
    pub(super) times: RefCell<Times>,
    /// The calls that proved to be slow.
    pub(super) slow: RefCell<Vec<SlowCall>>,
    /// The finding on the first process that was seen to grow, with calls that it got.
    pub(super) grown: RefCell<Option<(Finding, Earlier)>>,
    pub(super) contract: &'a Contract,
    /// The tasks being worked on.
    pub(super) in_hand: InProgress,
    /// Refusals that could not be judged.
    pub(super) unjudged: RefCell<Unjudged>,
    /// What a killed campaign goes on from.
    pub(super) journal: &'a Journal,
    /// Files that could not be written.
    pub(super) unwritten: &'a Unwritten,
    pub(super) quiet: Cell<Duration>,
    /// Whether a fresh process accepts calls again after one had too many.
    pub(super) renews: Cell<bool>,
}

impl<'a> WorkerPool<'a> {
    pub(super) fn is_over(&self) -> bool {
        self.tally.is_over()
    }

    /// The next call, or calls that belong together; where no tool gets a further one the campaign is over.
    pub(super) fn next_call(&self) -> Option<(Sequence, CallSource)> {
        let next = self.drawer.borrow_mut().next();
        self.tally.lost.set(self.tally.lost.get() || next.is_none());
        next
    }

    /// Has what other campaigns found sent here, too.
    pub(super) fn take_shared(&self) {
        self.drawer.borrow_mut().take_shared(self.folders);
    }

    pub(super) fn quiet(&self) -> Duration {
        self.quiet.get()
    }

    /// Doubles how long a process may say nothing.
    pub(super) fn wait_longer(&self) {
        self.wait_at_least(self.quiet.get() * 2);
    }

    /// Lets a process say nothing for at least this long, but never longer than a call may take.
    pub(super) fn wait_at_least(&self, time: Duration) {
        let most = self.start.deadlines.call.max(self.quiet.get());
        self.quiet.set(self.quiet.get().max(time.min(most)));
    }

    /// Whether a process that had too many calls is replaced after this many answers. If it answered no more
    /// than are in flight at once, the server counts elsewhere.
    pub(super) fn may_renew(&self, answered: u64) -> bool {
        if answered <= self.in_flight as u64 {
            self.renews.set(false);
        }
        self.renews.get()
    }

    pub(super) fn count_call(&self) {
        self.tally.add_calls(1);
    }

    pub(super) fn count_reply(&self, is_error: IsError) {
        self.tally.replies.set(self.tally.replies.get() + 1);
        if is_error == IsError::Yes {
            self.tally.errors.set(self.tally.errors.get() + 1);
        }
    }

    /// Submits a candidate for examination.
    pub(super) async fn suspect(&self, candidate: Candidate) {
        self.note_seen(&candidate);
        match &self.triage {
            // Timing must not decide what is sent.
            Triage::Inline(_) if matches!(candidate.cause, Trigger::Slow { .. }) => {}
            Triage::Inline(minimizer) => {
                let Some(mut taken) = minimizer.borrow_mut().take() else { return };
                self.run_task(&mut taken, TriageTask::Examine(Box::new(candidate))).await;
                minimizer.borrow_mut().replace(taken);
            }
            Triage::Queued { replies, silences } => {
                let queue = match candidate.cause {
                    Trigger::Silent { .. } | Trigger::Slow { .. } => silences,
                    Trigger::Ended { .. } | Trigger::Reply { .. } => replies,
                };
                queue.put(TriageTask::Examine(Box::new(candidate)), WAITING, &self.tally.clock);
            }
        }
    }

    /// Keeps a refusal that could not be judged until there is a call to compare it with.
    pub(super) fn keep_unjudged(&self, tool: &str, input: &Input) {
        self.unjudged.borrow_mut().put(tool, input);
    }

    /// Compares a waiting refusal if one is due.
    pub(super) async fn compare(&self) {
        let Some(task) = self.next_comparison() else { return };
        match &self.triage {
            Triage::Inline(minimizer) => {
                let Some(mut taken) = minimizer.borrow_mut().take() else { return };
                self.run_task(&mut taken, task).await;
                minimizer.borrow_mut().replace(taken);
            }
            Triage::Queued { replies, .. } => replies.put(task, WAITING, &self.tally.clock),
        }
    }

    fn next_comparison(&self) -> Option<TriageTask> {
        let judge = self.judge.borrow();
        let succeeds = |tool: &str| judge.control(tool).is_some();
        let refused = self.unjudged.borrow_mut().take(self.tally.calls.get(), succeeds)?;
        Some(TriageTask::Compare(Box::new(refused)))
    }

    /// Works off waiting tasks until the campaign is over and none is left. `rank` is the number of this
    /// worker.
    pub(super) async fn run_tasks(
        &self,
        queue: &Queue,
        minimizer: &mut Minimizer<'a>,
        rank: usize,
        ended: &Cell<bool>,
    ) {
        loop {
            let rests = rank >= LABS_MEANWHILE && !self.is_over();
            match if rests { None } else { queue.take(&self.tally.clock) } {
                Some(task) => {
                    for more in self.done(minimizer, task).await {
                        queue.put(more, WAITING, &self.tally.clock);
                    }
                }
                None if ended.get() => break,
                None => queue.idle().await,
            }
        }
        minimizer.executor.finish().await;
    }

    /// Does a task and all that follow from it.
    async fn run_task(&self, minimizer: &mut Minimizer<'a>, task: TriageTask) {
        let mut next = VecDeque::from([task]);
        while let Some(task) = next.pop_front() {
            next.extend(self.done(minimizer, task).await);
        }
    }

    /// Does a task; returns the tasks that follow from it.
    async fn done(&self, minimizer: &mut Minimizer<'a>, task: TriageTask) -> Vec<TriageTask> {
        let before = minimizer.executor.calls;
        let place = self.in_hand.take(task.clone());
        let mut next: Vec<TriageTask> = match task {
            TriageTask::Examine(candidate) => {
                let seen = key_seen(&candidate);
                let next = self.examine(minimizer, *candidate).await;
                // A confirmed finding stays in the journal until it is shrunk.
                let is_shrunk =
                    |key: &Key| matches!(&next, Some(TriageTask::Shrink(found)) if found.key == *key);
                if let Some(key) = seen.filter(|key| !is_shrunk(key)) {
                    self.journal.write(&Line::Settled(key));
                }
                next.into_iter().collect()
            }
            TriageTask::Shrink(discovery) => {
                if let Some(smaller) = minimizer.shrink(*discovery).await {
                    self.enter(smaller);
                }
                Vec::new()
            }
            TriageTask::Compare(refused) => {
                let found = minimizer.compare(&refused.tool, &refused.input).await;
                found.iter().for_each(|candidate| self.note_seen(candidate));
                found.into_iter().map(|candidate| TriageTask::Examine(Box::new(candidate))).collect()
            }
        };
        self.in_hand.settle(place);
        self.tally.add_calls(minimizer.executor.calls - before);
        for (tool, input) in minimizer.executor.unjudged.drain(..) {
            self.keep_unjudged(&tool, &input);
        }
        next.extend(self.next_comparison());
        next
    }

    async fn examine(&self, minimizer: &mut Minimizer<'a>, candidate: Candidate) -> Option<TriageTask> {
        let is_silence = matches!(candidate.cause, Trigger::Silent { .. });
        match minimizer.examine(candidate).await {
            TriageResult::Found(mut discovery) => {
                if discovery.key.rule == NO_REPLY.id && discovery.stability == Stability::Stable {
                    // Left-over files of earlier calls may take any time to walk through. Until the finding is
                    // replayed in fresh folders, it is not known to be stable.
                    let unconfirmed = Discovery {
                        stability: Stability::Unconfirmed(super::NO_TIME),
                        ..(*discovery).clone()
                    };
                    let place = self.in_hand.take(TriageTask::Shrink(Box::new(unconfirmed)));
                    if !(self.elsewhere)(self.file_of(&discovery)).await {
                        discovery.stability = Stability::Flaky;
                    }
                    self.in_hand.settle(place);
                }
                if discovery.stability == Stability::Stable {
                    self.note_open(&discovery, None);
                    return Some(TriageTask::Shrink(discovery));
                }
                self.enter(*discovery);
            }
            TriageResult::Known(trigger) => self.avoid(&trigger),
            TriageResult::Slow(slow, trigger) => {
                self.avoid(&trigger);
                let mut slow_calls = self.slow.borrow_mut();
                if slow_calls.len() < slow::MOST && !slow_calls.iter().any(|other| other.input == slow.input)
                {
                    slow_calls.push(slow);
                }
            }
            // The server only took its time.
            TriageResult::Nothing if is_silence => self.wait_longer(),
            TriageResult::Unfair(tool, input) => {
                self.keep_unjudged(&tool, &input);
                return self.next_comparison();
            }
            TriageResult::Nothing => {}
        }
        None
    }

    /// How many candidates and findings are unsettled.
    pub(super) fn open(&self) -> usize {
        let waiting = match &self.triage {
            Triage::Inline(_) => 0,
            Triage::Queued { replies, silences } => replies.len() + silences.len(),
        };
        waiting + self.in_hand.len()
    }

    /// Avoids drawing calls like the one that crashed the server or kept it busy.
    fn avoid(&self, trigger: &Sequence) {
        if let Some((tool, input)) = trigger.steps.last() {
            self.drawer.borrow_mut().avoid(tool, input);
        }
    }

    /// Notes in the journal what was seen, as it would be reported if nothing more was found out.
    fn note_seen(&self, candidate: &Candidate) {
        if self.journal.is_kept()
            && let Some(discovery) = self.as_seen(candidate.clone(), Stability::Unconfirmed(super::KILLED))
        {
            let exit = match candidate.cause {
                Trigger::Ended { exit, .. } => Some(exit),
                Trigger::Reply { .. } | Trigger::Silent { .. } | Trigger::Slow { .. } => None,
            };
            self.note_open(&discovery, exit);
        }
    }

    /// Notes in the journal what is not entered yet.
    fn note_open(&self, discovery: &Discovery, exit: Option<Exit>) {
        if self.journal.is_kept() {
            let file = FindingFile { exit, ..self.file(&self.completed(discovery), discovery) };
            self.journal.write(&Line::Seen(discovery.key.clone(), Box::new(file)));
        }
    }

    /// A finding with everything that is said of its input.
    fn completed(&self, discovery: &Discovery) -> Finding {
        let Discovery { finding, trigger, sequence, sent, stability, .. } = discovery;
        let condition = trigger
            .steps
            .last()
            .and_then(|(_, input)| input.changes.first())
            .map(|change| change.keyword.clone());
        let input = file::input(sequence, sent, self.folders);
        let unconfirmed = match stability {
            Stability::Stable | Stability::Flaky => None,
            Stability::Unconfirmed(why) => Some((*why).to_owned()),
        };
        let mut finding = Finding {
            sent: input.clone(),
            input: Some(input),
            stable: Some(*stability == Stability::Stable),
            unconfirmed,
            ..finding.clone()
        };
        let advice = finding.evidence.as_ref().and_then(|evidence| {
            let judge = self.judge.borrow();
            refused::advice(&evidence.text, sent, &judge.head().confinement, self.folders)
        });
        if let Some(advice) = advice {
            finding.help = format!("{advice} {}", finding.help);
        }
        let path = self.findings.map(|folder| file::path(folder, &finding));
        finding.replay = path.as_deref().map(file::replay);
        for place in &mut finding.places {
            place.condition.clone_from(&condition);
        }
        finding
    }

    /// Enters a finding and writes its file.
    pub(super) fn enter(&self, discovery: Discovery) {
        let Discovery { key, shown, trigger, .. } = &discovery;
        if Group::of(&key.rule) == Some(Group::Liveness) && key.rule != MEMORY_GROWTH.id {
            self.avoid(trigger);
        }
        let number = self.ledger.borrow_mut().settle(key, shown, self.completed(&discovery));
        if let (Some(number), Some(folder)) = (number, self.findings)
            && let Some(finding) = self.ledger.borrow().get(number)
        {
            let path = file::path(folder, &finding);
            let text = self.file(&finding, &discovery).text();
            if !self.unwritten.write(&path, Purpose::Finding, text) {
                return;
            }
        }
        self.journal.write(&Line::Settled(discovery.key));
    }

    /// Writes to the findings' files what they came to: their counts and examples.
    pub(super) fn complete_files(&self) {
        let Some(folder) = self.findings else { return };
        for finding in self.ledger.borrow().findings() {
            // A file that cannot be completed still replays its finding; one that could not be written was reported then.
            let _ = FindingFile::complete(&file::path(folder, &finding), &finding);
        }
    }

    fn file_of(&self, discovery: &Discovery) -> FindingFile {
        self.file(&discovery.finding, discovery)
    }

    fn file(&self, finding: &Finding, discovery: &Discovery) -> FindingFile {
        let Discovery { shown, sequence, sent, .. } = discovery;
        let tool = finding.tool.clone().unwrap_or_default();
        let last = sent.last().filter(|_| needs_control(&finding.rule));
        let control = last.and_then(|last| self.judge.borrow_mut().control_of(&tool, last).cloned());
        let control = control.as_ref().map(|input| (tool.as_str(), input));
        let judge = self.judge.borrow();
        let head = judge.head();
        let found = FindingParts {
            finding,
            sequence,
            sent,
            control,
            contract: &head.contract,
            promise: judge.promise(),
            lifecycle: head.lifecycle,
            seed: head.seed,
            mark: &shown.mark,
            folders: self.folders,
            server: self.server,
        };
        FindingFile::new(&found)
    }

    /// Records how fast a reply came; one that came far later than usual is examined, with those that waited at
    /// the same time.
    pub(super) async fn late(
        &self,
        tool: &str,
        taken: Duration,
        in_flight: impl FnOnce() -> Vec<Sequence>,
    ) -> bool {
        if !self.times.borrow_mut().add(tool, taken) {
            return false;
        }
        let in_flight = in_flight();
        let is_new = in_flight.first().is_some_and(|sequence| self.times.borrow_mut().is_new(sequence));
        if is_new {
            self.suspect(Candidate { cause: Trigger::Slow { in_flight }, earlier: Vec::new() }).await;
        }
        true
    }

    /// Records the memory of a process; `latest` are calls that it got.
    pub(super) fn record_memory(&self, scale: &Scale, latest: impl FnOnce() -> Earlier) {
        if self.grown.borrow().is_some() {
            return;
        }
        let found = scale.judge(self.judge.borrow().head(), self.contract);
        *self.grown.borrow_mut() = found.map(|finding| (finding, latest()));
    }

    /// Enters the finding that a process grew.
    pub(super) fn enter_growth(&self, stability: Stability) {
        let Some((finding, steps)) = self.grown.borrow_mut().take() else { return };
        let key = Key { rule: MEMORY_GROWTH.id.to_owned(), tool: None, mark: String::new() };
        let sent = steps.iter().map(|(_, input)| input.clone()).collect();
        let sequence = Sequence { steps, feeds: Vec::new() };
        self.enter(Discovery {
            shown: key.clone(),
            key,
            finding,
            trigger: sequence.clone(),
            sequence,
            sent,
            stability,
        });
    }

    /// Enters what there was no time to settle, as it was seen and with the reason. Silences are left out: with
    /// many calls in flight most servers are only slow.
    pub(super) fn enter_what_is_open(&self, why: &'static str) {
        let clock = &self.tally.clock;
        let mut open = self.in_hand.drain();
        if let Triage::Queued { replies, silences } = &self.triage {
            for queue in [replies, silences] {
                open.extend(std::iter::from_fn(|| queue.take(clock)));
            }
        }
        self.enter_growth(Stability::Unconfirmed(why));
        for task in open {
            let candidate = match task {
                // It is confirmed, and as small as time allowed.
                TriageTask::Shrink(discovery) => {
                    self.enter(*discovery);
                    continue;
                }
                TriageTask::Compare(_) => continue,
                TriageTask::Examine(candidate) => *candidate,
            };
            if let Some(discovery) = self.as_seen(candidate, Stability::Unconfirmed(why)) {
                self.enter(discovery);
            }
        }
    }

    /// What a candidate is taken for without being examined. A silence is nothing: with many calls in flight most
    /// servers are only slow.
    fn as_seen(&self, candidate: Candidate, stability: Stability) -> Option<Discovery> {
        let before: Vec<Input> = candidate.earlier.into_iter().flatten().map(|(_, input)| input).collect();
        match candidate.cause {
            Trigger::Reply { finding, .. } if is_echo(&finding, &before, self.folders) => None,
            Trigger::Reply { key, mut finding, sequence, .. } => {
                // It was not checked whether the control still succeeds.
                if needs_control(&key.rule) {
                    finding.level = Level::Note;
                }
                let sent = sequence.steps.iter().map(|(_, input)| input.clone()).collect();
                let (shown, trigger) = (key.clone(), sequence.clone());
                Some(Discovery { shown, key, finding: *finding, trigger, sequence, sent, stability })
            }
            Trigger::Ended { exit, in_flight } => {
                let tools =
                    in_flight.iter().flat_map(|sequence| &sequence.steps).map(|(tool, _)| tool.as_str());
                // Most likely a call that was seen to crash the server before.
                let is_known = tools.into_iter().any(|tool| self.ledger.borrow().has(CRASH.id, tool));
                if is_known { None } else { end_as_seen(self.judge, exit, in_flight, stability) }
            }
            Trigger::Silent { .. } | Trigger::Slow { .. } => None,
        }
    }
}

/// The key under which a candidate is in the journal.
fn key_seen(candidate: &Candidate) -> Option<Key> {
    match &candidate.cause {
        Trigger::Reply { key, .. } => Some(key.clone()),
        Trigger::Ended { exit, .. } => {
            Some(Key { rule: CRASH.id.to_owned(), tool: None, mark: exit.to_string() })
        }
        Trigger::Silent { .. } | Trigger::Slow { .. } => None,
    }
}
