//! Where a suspicion becomes a finding, or nothing.
//!
//! The main type is [`Lab`]. The call that is to blame is found by sending those in flight again one by one; it is sent
//! alone in a fresh process, made as small as it gets, and confirmed twice. What shows only after other calls becomes a
//! sequence; what shows not every time is told as flaky.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use crate::exchange::{Exchange, Exit, Outcome};
use crate::finding::Finding;
use crate::generate::{Input, Sequence};

use super::ledger::Ledger;
use super::trial::{Bench, NO_REPLY, Patience, Trial, Trials};
use super::verdict::Key;

/// So many smaller inputs are tried for one finding, and so long.
const TRIES: usize = 400;
const TIME: Duration = Duration::from_secs(6);
/// Where each try that shows it costs a wait.
const TIME_OF_HANGS: Duration = Duration::from_secs(12);
/// Where each try is a fresh process and a row of calls.
const TIME_OF_ROWS: Duration = Duration::from_secs(20);
/// How long a reply that always came at once is waited for.
pub(super) const SHORT: Duration = Duration::from_millis(1000);
/// So many earlier calls may be needed for a finding to show.
const EARLIER: [usize; 5] = [2, 6, 16, 32, 64];

/// Something that may be a finding.
#[derive(Debug)]
pub(super) struct Suspicion {
    pub(super) cause: Cause,
    /// Calls that the same process got before, the oldest first: those that most likely matter, then others.
    pub(super) earlier: Vec<Earlier>,
}

/// Calls with their tools.
pub(super) type Earlier = Vec<(String, Input)>;

/// What gave rise to it.
#[derive(Debug)]
pub(super) enum Cause {
    /// A reply broke a rule, while several calls were in flight.
    Reply {
        key: Key,
        finding: Box<Finding>,
        /// The calls up to the one that met it.
        play: Sequence,
        /// That one as it was sent.
        last: (String, Input),
    },
    /// The process ended. One of these calls may be to blame.
    Ended { exit: Exit, in_flight: Vec<Sequence> },
    /// No reply came to these.
    Silent { in_flight: Vec<Sequence> },
}

/// What a suspicion came to.
pub(super) enum Insight {
    /// A finding with the calls that show it.
    Found(Box<Discovery>),
    /// It was found before: this call did it.
    Known(Sequence),
    /// It is none.
    Nothing,
}

/// A finding with the calls that show it.
pub(super) struct Discovery {
    /// Under which it was looked into.
    pub(super) key: Key,
    /// Under which its smallest input shows.
    pub(super) shown: Key,
    pub(super) finding: Finding,
    /// The call that was seen to show it first.
    pub(super) culprit: Sequence,
    /// The smallest one.
    pub(super) play: Sequence,
    /// Its arguments as they were sent.
    pub(super) sent: Vec<Input>,
    /// Each time in a fresh process.
    pub(super) stable: bool,
}

/// Looks into suspicions.
pub(super) struct Lab<'a> {
    pub(super) trials: Trials<'a>,
    pub(super) ledger: &'a RefCell<Ledger>,
    /// From when on nothing is made smaller any more.
    pub(super) hurry: &'a dyn Fn() -> bool,
}

impl Lab<'_> {
    /// Looks into a suspicion.
    pub(super) async fn examine(&mut self, suspicion: Suspicion) -> Insight {
        let Suspicion { cause, earlier } = suspicion;
        match cause {
            Cause::Reply { key, finding, play, last } => {
                Box::pin(self.of_reply(key, *finding, play, last, &earlier)).await
            }
            Cause::Ended { exit, in_flight } => Box::pin(self.of_end(exit, in_flight, &earlier)).await,
            Cause::Silent { in_flight } => Box::pin(self.of_silence(in_flight)).await,
        }
    }

    async fn of_reply(
        &mut self,
        key: Key,
        finding: Finding,
        play: Sequence,
        (tool, input): (String, Input),
        earlier: &[Earlier],
    ) -> Insight {
        let alone = super::draw::alone(tool, input);
        let mut starting = None;
        for candidate in [&alone, &play].into_iter().take(play.steps.len().min(2)) {
            if self.trials.send(candidate, fresh(&key), Patience::Full).await.shows(&key).is_some() {
                starting = Some(candidate.clone());
                break;
            }
        }
        if starting.is_none() {
            starting = self.with_earlier(&key, &play, earlier).await;
        }
        let Some(starting) = starting else {
            return self.flaky(key, finding, play).await;
        };
        self.settled(key, finding, play, starting).await
    }

    /// The shortest row of earlier calls after which it shows.
    async fn with_earlier(&mut self, key: &Key, play: &Sequence, earlier: &[Earlier]) -> Option<Sequence> {
        for calls in earlier {
            let mut tried = 0;
            for most in EARLIER {
                let count = most.min(calls.len());
                if count == tried {
                    break;
                }
                tried = count;
                let whole = after(&calls[calls.len() - count..], play);
                if self.trials.send(&whole, fresh(key), Patience::Full).await.shows(key).is_some() {
                    return Some(whole);
                }
            }
        }
        None
    }

    /// Makes calls that show it smaller, and confirms them.
    async fn settled(
        &mut self,
        key: Key,
        finding: Finding,
        culprit: Sequence,
        starting: Sequence,
    ) -> Insight {
        // In a process that goes on, a single call costs no start; a row of calls needs to begin anew.
        let fresh = fresh(&key);
        let bench = if starting.steps.len() == 1 && fresh == Bench::Fresh { Bench::Live } else { fresh };
        let mut small = self.smaller(&key, starting.clone(), bench).await;
        let mut first = self.trials.send(&small, fresh, Patience::Full).await;
        if first.shows(&key).is_none() && bench == Bench::Live {
            small = self.smaller(&key, starting.clone(), fresh).await;
            first = self.trials.send(&small, fresh, Patience::Full).await;
        }
        if first.shows(&key).is_none() {
            small = starting;
            first = self.trials.send(&small, fresh, Patience::Full).await;
        }
        let Some((shown, confirmed)) = first.shows(&key).cloned() else {
            return self.flaky(key, finding, culprit).await;
        };
        // What takes a whole deadline each time is confirmed once.
        let stable = key.rule == NO_REPLY
            || self.trials.send(&small, fresh, Patience::Full).await.shows(&key).is_some();
        Insight::Found(Box::new(Discovery {
            key,
            shown,
            finding: confirmed,
            culprit,
            play: small,
            sent: first.sent,
            stable,
        }))
    }

    /// The smallest calls that still show it, as far as time allows.
    async fn smaller(&mut self, key: &Key, mut small: Sequence, bench: Bench) -> Sequence {
        let begun = Instant::now();
        let (patience, time) = match key.rule.as_str() {
            NO_REPLY => (Patience::Short(SHORT.min(self.trials.start.deadlines.call)), TIME_OF_HANGS),
            _ if small.steps.len() > 1 => (Patience::Full, TIME_OF_ROWS),
            _ => (Patience::Full, TIME),
        };
        let mut left = TRIES;
        'smaller: loop {
            let shorter = without_parts(&small);
            let candidates: Vec<Sequence> =
                shorter.into_iter().chain(small.simpler(self.trials.generators)).take(left).collect();
            for candidate in candidates {
                if left == 0 || begun.elapsed() > time || (self.hurry)() {
                    break 'smaller;
                }
                left -= 1;
                if self.trials.send(&candidate, bench, patience).await.seems_to_show(key) {
                    small = candidate;
                    continue 'smaller;
                }
            }
            break;
        }
        small
    }

    /// It was seen, and does not show again each time.
    async fn flaky(&mut self, key: Key, finding: Finding, play: Sequence) -> Insight {
        let mut seen: Option<(Key, Finding)> = None;
        for _ in 0..2 {
            let again = self.trials.send(&play, fresh(&key), Patience::Full).await;
            seen = seen.or_else(|| again.shows(&key).cloned());
        }
        let (shown, mut finding) = seen.unwrap_or_else(|| (key.clone(), finding));
        if key.is_stray() {
            // Nobody knows whose it is.
            finding.tool = None;
        }
        let shown = Key { tool: finding.tool.clone(), ..shown };
        let sent = play.steps.iter().map(|(_, input)| input.clone()).collect();
        let culprit = play.clone();
        Insight::Found(Box::new(Discovery { key, shown, finding, culprit, play, sent, stable: false }))
    }

    async fn of_end(&mut self, exit: Exit, in_flight: Vec<Sequence>, earlier: &[Earlier]) -> Insight {
        for play in &in_flight {
            let trial = self.trials.send(play, Bench::Live, Patience::Short(SHORT)).await;
            if let Some((key, finding)) = crash(&trial).cloned() {
                return self.of_crash(key, finding, play.clone(), earlier).await;
            }
        }
        // No single one: perhaps all of them together, or what came before.
        let Some(last) = in_flight.last().cloned() else { return Insight::Nothing };
        let mut whole = earlier.first().cloned().unwrap_or_default();
        whole.extend(in_flight.iter().flat_map(|play| play.steps.clone()));
        whole.truncate(EARLIER[EARLIER.len() - 1] + in_flight.len());
        let row = Sequence { steps: whole, feeds: Vec::new() };
        let trial = self.trials.send(&row, Bench::Fresh, Patience::Short(SHORT)).await;
        if let Some((key, finding)) = crash(&trial).cloned() {
            let steps = row.steps[..trial.sent.len().min(row.steps.len())].to_vec();
            let row = Sequence { steps, feeds: Vec::new() };
            self.ledger.borrow_mut().note(&key);
            return self.settled(key, finding, row.clone(), row).await;
        }
        let Some((tool, input)) = last.steps.last() else { return Insight::Nothing };
        let value = input.value().unwrap_or_default();
        let verdict = self
            .trials
            .verdicts
            .borrow_mut()
            .closely(&Exchange::alone(Some(tool), value, Outcome::Ended(exit)), input);
        let Some((key, mut finding)) = verdict.findings.iter().find(|(key, _)| is_crash(key)).cloned() else {
            return Insight::Nothing;
        };
        // Nobody knows whose it is.
        let key = Key { tool: None, ..key };
        finding.tool = None;
        self.ledger.borrow_mut().note(&key);
        let row = Sequence {
            steps: in_flight.into_iter().flat_map(|play| play.steps).collect(),
            feeds: Vec::new(),
        };
        let sent = row.steps.iter().map(|(_, input)| input.clone()).collect();
        Insight::Found(Box::new(Discovery {
            shown: key.clone(),
            key,
            finding,
            culprit: row.clone(),
            play: row,
            sent,
            stable: false,
        }))
    }

    async fn of_crash(&mut self, key: Key, finding: Finding, play: Sequence, earlier: &[Earlier]) -> Insight {
        let novelty = self.ledger.borrow_mut().note(&key);
        if novelty == super::ledger::Novelty::Known {
            return Insight::Known(play);
        }
        let Some(last) = play.steps.last().cloned() else { return Insight::Known(play) };
        self.of_reply(key, finding, play, last, earlier).await
    }

    async fn of_silence(&mut self, in_flight: Vec<Sequence>) -> Insight {
        let short = Patience::Short(SHORT.min(self.trials.start.deadlines.call));
        for play in in_flight {
            let trial = self.trials.send(&play, Bench::Live, short).await;
            let Some(tool) = trial.unanswered.clone() else { continue };
            if self.ledger.borrow().has(NO_REPLY, &tool) {
                return Insight::Known(play);
            }
            let alone = self.trials.send(&play, Bench::Fresh, Patience::Full).await;
            let Some((key, finding)) = hang(&alone).cloned() else { continue };
            self.ledger.borrow_mut().note(&key);
            return self.settled(key, finding, play.clone(), play).await;
        }
        Insight::Nothing
    }
}

/// The kind of fresh process in which it shows.
fn fresh(key: &Key) -> Bench {
    if key.is_stray() { Bench::Heard } else { Bench::Fresh }
}

fn is_crash(key: &Key) -> bool {
    key.rule == "liveness/crash"
}

fn crash(trial: &Trial) -> Option<&(Key, Finding)> {
    trial.findings.iter().find(|(key, _)| is_crash(key))
}

fn hang(trial: &Trial) -> Option<&(Key, Finding)> {
    trial.findings.iter().find(|(key, _)| key.rule == NO_REPLY)
}

/// A long row of calls without whole parts of it, the largest first: to leave out one after the other would take too long.
fn without_parts(row: &Sequence) -> Vec<Sequence> {
    let count = row.steps.len();
    if !row.feeds.is_empty() || count < 4 {
        return Vec::new();
    }
    let sizes = std::iter::successors(Some(count / 2), |size| (*size > 2).then_some(size / 2));
    let parts = sizes.flat_map(|size| (0..count).step_by(size.max(1)).map(move |from| (from, size)));
    let without = parts.map(|(from, size)| {
        let kept = row.steps.iter().enumerate().filter(|(index, _)| !(from..from + size).contains(index));
        Sequence { steps: kept.map(|(_, step)| step.clone()).collect(), feeds: Vec::new() }
    });
    without.filter(|shorter| !shorter.steps.is_empty()).collect()
}

/// Calls after others.
fn after(earlier: &[(String, Input)], play: &Sequence) -> Sequence {
    let moved = |index: usize| index + earlier.len();
    let feeds = play.feeds.iter().cloned().map(|mut feed| {
        (feed.from, feed.to) = (moved(feed.from), moved(feed.to));
        feed
    });
    let steps = earlier.iter().cloned().chain(play.steps.iter().cloned()).collect();
    Sequence { steps, feeds: feeds.collect() }
}
