//! What the processes of a campaign share: the drawer, the verdicts, and the queues of candidates.
//!
//! The main type is [`WorkerPool`]. All of it runs on one thread; no `RefCell` is borrowed across an `await`.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::Duration;

use crate::exchange::Exit;
use crate::finding::{Finding, Level};
use crate::generate::Sequence;
use crate::judge::SlowCall;
use crate::refused;
use crate::rules::{CRASH, Group, MEMORY_GROWTH, NO_REPLY};

use super::clock::LABS_MEANWHILE;
use super::draw::{CallDrawer, CallSource};
use super::echo::is_echo;
use super::execution::{Executor, ServerUnderTest};
use super::file::{self, FindingFile};
use super::growth::Scale;
use super::journal::Line;
use super::minimizer::{Candidate, Discovery, Earlier, Minimizer, Stability, TriageResult, end_as_seen};
use super::sequence::in_order;
use super::slow::{self, Times};
use super::triage::{InProgress, Queue, Triage, TriageTask};
use super::unjudged::Unjudged;
use super::unwritten::Purpose;
use super::verdict::{Key, needs_control};
use super::worker::QUIET;
use super::{Beginning, Campaign, NO_TIME};

/// What the processes of a campaign share.
pub(super) struct WorkerPool<'a> {
    pub(super) campaign: &'a Campaign<'a>,
    pub(super) begun: &'a Beginning,
    pub(super) server: &'a ServerUnderTest<'a>,
    pub(super) in_flight: usize,
    pub(super) drawer: RefCell<CallDrawer<'a>>,
    pub(super) triage: Triage<'a>,
    /// The usual reply times.
    times: RefCell<Times>,
    /// The calls that proved to be slow.
    pub(super) slow: RefCell<Vec<SlowCall>>,
    /// The finding on the first process that was seen to grow, with calls that it got.
    pub(super) grown: RefCell<Option<(Finding, Earlier)>>,
    /// The tasks being worked on.
    in_hand: InProgress,
    /// Refusals that could not be judged, kept until there is a call to compare them with.
    pub(super) unjudged: RefCell<Unjudged>,
    /// How long a process may say nothing.
    pub(super) quiet: Cell<Duration>,
    /// Whether a fresh process accepts calls again after one had too many.
    renews: Cell<bool>,
}

impl<'a> WorkerPool<'a> {
    pub(super) fn new(campaign: &'a Campaign<'a>, drawer: CallDrawer<'a>) -> Self {
        let in_flight = campaign.begun.settings.in_flight.max(1);
        let pool = Self {
            campaign,
            begun: campaign.begun,
            server: &campaign.server,
            in_flight,
            drawer: RefCell::new(drawer),
            triage: Triage::Queued { replies: Queue::default(), silences: Queue::default() },
            times: RefCell::default(),
            slow: RefCell::default(),
            grown: RefCell::default(),
            in_hand: InProgress::default(),
            unjudged: RefCell::default(),
            quiet: Cell::new(QUIET.min(campaign.server.start.deadlines.call)),
            renews: Cell::new(true),
        };
        match (campaign.jobs(), in_flight) {
            // With one call in flight, everything that is sent follows from the seed and the replies.
            (1, 1) => Self { triage: Triage::Inline(Box::new(RefCell::new(Some(pool.minimizer())))), ..pool },
            _ => pool,
        }
    }

    fn minimizer(&self) -> Minimizer<'a> {
        let Campaign { server, ledger, tally, .. } = self.campaign;
        Minimizer { executor: Executor::new(server), ledger, clock: &tally.clock }
    }

    pub(super) fn is_over(&self) -> bool {
        self.campaign.tally.is_over()
    }

    /// The next call, or calls that belong together; where no tool gets a further one the campaign is over.
    pub(super) fn next_call(&self) -> Option<(Sequence, CallSource)> {
        let next = self.drawer.borrow_mut().next();
        let lost = &self.campaign.tally.lost;
        lost.set(lost.get() || next.is_none());
        next
    }

    /// Has what other campaigns found sent here, too.
    pub(super) fn take_shared(&self) {
        self.drawer.borrow_mut().take_shared(&self.server.head.folders);
    }

    /// Doubles how long a process may say nothing.
    pub(super) fn wait_longer(&self) {
        self.wait_at_least(self.quiet.get() * 2);
    }

    /// Lets a process say nothing for at least this long, but never longer than a call may take.
    pub(super) fn wait_at_least(&self, time: Duration) {
        let most = self.server.start.deadlines.call.max(self.quiet.get());
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

    /// Submits a candidate for examination.
    pub(super) async fn suspect(&self, candidate: Candidate) {
        self.note_seen(&candidate);
        // Timing must not decide what is sent.
        if !matches!((&self.triage, &candidate), (Triage::Inline(_), Candidate::Slow { .. })) {
            self.submit(TriageTask::Examine(Box::new(candidate))).await;
        }
    }

    /// Compares a waiting refusal if one is due.
    pub(super) async fn compare(&self) {
        if let Some(task) = self.next_comparison() {
            self.submit(task).await;
        }
    }

    async fn submit(&self, task: TriageTask) {
        match &self.triage {
            Triage::Inline(minimizer) => {
                let Some(mut taken) = minimizer.borrow_mut().take() else { return };
                let mut next = VecDeque::from([task]);
                while let Some(task) = next.pop_front() {
                    next.extend(self.done(&mut taken, task).await);
                }
                minimizer.borrow_mut().replace(taken);
            }
            Triage::Queued { replies, silences } => {
                let queue = if task.is_of_a_silence() { silences } else { replies };
                queue.put(task, &self.campaign.tally.clock);
            }
        }
    }

    fn next_comparison(&self) -> Option<TriageTask> {
        let judge = self.server.judge.borrow();
        let succeeds = |tool: &str| judge.control(tool).is_some();
        let refused = self.unjudged.borrow_mut().take(self.campaign.tally.calls.get(), succeeds)?;
        Some(TriageTask::Compare(Box::new(refused)))
    }

    /// Works off waiting tasks until the campaign is over and none is left. `rank` is the number of this
    /// worker.
    pub(super) async fn run_tasks(&self, queue: &Queue, rank: usize, ended: &Cell<bool>) {
        let mut minimizer = self.minimizer();
        loop {
            let rests = rank >= LABS_MEANWHILE && !self.is_over();
            match if rests { None } else { queue.take(&self.campaign.tally.clock) } {
                Some(task) => {
                    for more in self.done(&mut minimizer, task).await {
                        queue.put(more, &self.campaign.tally.clock);
                    }
                }
                None if ended.get() => break,
                None => queue.idle().await,
            }
        }
        minimizer.executor.finish().await;
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
                    self.begun.journal.write(&Line::Settled(key));
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
                let found = minimizer.compare(&refused).await;
                found.iter().for_each(|candidate| self.note_seen(candidate));
                found.into_iter().map(|candidate| TriageTask::Examine(Box::new(candidate))).collect()
            }
        };
        self.in_hand.settle(place);
        self.campaign.tally.add_calls(minimizer.executor.calls - before);
        for (tool, input) in minimizer.executor.unjudged.drain(..) {
            self.unjudged.borrow_mut().put(&tool, &input);
        }
        next.extend(self.next_comparison());
        next
    }

    async fn examine(&self, minimizer: &mut Minimizer<'a>, candidate: Candidate) -> Option<TriageTask> {
        let is_silence = matches!(candidate, Candidate::Silent { .. });
        match minimizer.examine(candidate).await {
            TriageResult::Found(mut discovery) => {
                if discovery.key.rule == NO_REPLY.id && discovery.stability == Stability::Stable {
                    // Left-over files of earlier calls may take any time to walk through. Until the finding is
                    // replayed in fresh folders, it is not known to be stable.
                    let unconfirmed =
                        Discovery { stability: Stability::Unconfirmed(NO_TIME), ..(*discovery).clone() };
                    let place = self.in_hand.take(TriageTask::Shrink(Box::new(unconfirmed)));
                    let file = self.file(&discovery.finding, &discovery);
                    if !matches!(self.campaign.replay(&file).await, Ok(Some(_))) {
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
                self.unjudged.borrow_mut().put(&tool, &input);
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
        if self.begun.journal.is_kept()
            && let Some(discovery) = self.as_seen(candidate.clone(), Stability::Unconfirmed(super::KILLED))
        {
            let exit = match candidate {
                Candidate::Ended { exit, .. } => Some(*exit),
                _ => None,
            };
            self.note_open(&discovery, exit);
        }
    }

    /// Notes in the journal what is not entered yet.
    fn note_open(&self, discovery: &Discovery, exit: Option<Exit>) {
        if self.begun.journal.is_kept() {
            let file = FindingFile { exit, ..self.file(&self.completed(discovery), discovery) };
            self.begun.journal.write(&Line::Seen(discovery.key.clone(), Box::new(file)));
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
        let head = &self.server.head;
        let input = file::input(sequence, sent, &head.folders);
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
        let advice = finding
            .evidence
            .as_ref()
            .and_then(|evidence| refused::advice(&evidence.text, sent, &head.confinement, &head.folders));
        if let Some(advice) = advice {
            finding.help = format!("{advice} {}", finding.help);
        }
        let folder = self.begun.settings.findings.as_deref();
        finding.replay = folder.map(|folder| file::replay(&file::path(folder, &finding)));
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
        let ledger = &self.campaign.ledger;
        let number = ledger.borrow_mut().settle(key, shown, self.completed(&discovery));
        if let (Some(number), Some(folder)) = (number, &self.begun.settings.findings)
            && let Some(finding) = ledger.borrow().get(number)
        {
            let path = file::path(folder, &finding);
            let text = self.file(&finding, &discovery).text();
            if !self.begun.unwritten.write(&path, Purpose::Finding, text) {
                return;
            }
        }
        self.begun.journal.write(&Line::Settled(discovery.key));
    }

    /// Writes to the findings' files what they came to: their counts and examples.
    pub(super) fn complete_files(&self) {
        let Some(folder) = &self.begun.settings.findings else { return };
        for finding in self.campaign.ledger.borrow().findings() {
            // A file that cannot be completed still replays its finding; one that could not be written was reported then.
            let _ = FindingFile::complete(&file::path(folder, &finding), &finding);
        }
    }

    fn file(&self, finding: &Finding, discovery: &Discovery) -> FindingFile {
        FindingFile::new(finding, discovery, self.server, &self.begun.settings.server)
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
            self.suspect(Candidate::Slow { in_flight }).await;
        }
        true
    }

    /// Records the memory of a process; `latest` are calls that it got.
    pub(super) fn record_memory(&self, scale: &Scale, latest: impl FnOnce() -> Earlier) {
        if self.grown.borrow().is_some() {
            return;
        }
        *self.grown.borrow_mut() = scale.judge(self.server).map(|finding| (finding, latest()));
    }

    /// Enters the finding that a process grew.
    pub(super) fn enter_growth(&self, stability: Stability) {
        let Some((finding, steps)) = self.grown.borrow_mut().take() else { return };
        let key = Key { rule: MEMORY_GROWTH.id.to_owned(), tool: None, mark: String::new() };
        self.enter(Discovery::as_seen(key, finding, in_order(steps), stability));
    }

    /// Enters what there was no time to settle, as it was seen and with the reason. Silences are left out: with
    /// many calls in flight most servers are only slow.
    pub(super) fn enter_what_is_open(&self, why: &'static str) {
        let clock = &self.campaign.tally.clock;
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
        match candidate {
            Candidate::Reply { key, mut finding, sequence, earlier, .. } => {
                let before = earlier.iter().flatten().map(|(_, input)| input);
                if is_echo(&finding, before, &self.server.head.folders) {
                    return None;
                }
                // It was not checked whether the control still succeeds.
                if needs_control(&key.rule) {
                    finding.level = Level::Note;
                }
                Some(Discovery::as_seen(key, *finding, sequence, stability))
            }
            Candidate::Ended { exit, in_flight, .. } => {
                let tools =
                    in_flight.iter().flat_map(|sequence| &sequence.steps).map(|(tool, _)| tool.as_str());
                // Most likely a call that was seen to crash the server before.
                let is_known =
                    tools.into_iter().any(|tool| self.campaign.ledger.borrow().has(CRASH.id, tool));
                if is_known { None } else { end_as_seen(&self.server.judge, exit, in_flight, stability) }
            }
            Candidate::Silent { .. } | Candidate::Slow { .. } => None,
        }
    }
}

/// The key under which a candidate is in the journal.
fn key_seen(candidate: &Candidate) -> Option<Key> {
    match candidate {
        Candidate::Reply { key, .. } => Some(key.clone()),
        Candidate::Ended { exit, .. } => {
            Some(Key { rule: CRASH.id.to_owned(), tool: None, mark: exit.to_string() })
        }
        Candidate::Silent { .. } | Candidate::Slow { .. } => None,
    }
}
