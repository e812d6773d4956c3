//! Queues in which candidates wait to be examined.
//!
//! The main type is [`Queue`]. Candidates that were not sent once more come first, then findings to be
//! minimized; the most urgent of each come first.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use tokio::sync::Notify;

use crate::finding::{Finding, Level};
use crate::generate::Input;
use crate::judge::harm;
use crate::rules::Harm;

use super::clock::Clock;
use super::minimizer::{Candidate, Discovery, Minimizer};

/// How often an idle worker looks for work.
const IDLE: Duration = Duration::from_millis(200);

/// At most this many crashes and silences wait to be examined; more at a time would show nothing more.
const WAITING: usize = 3;

/// How candidates are examined.
pub(super) enum Triage<'a> {
    /// Immediately, while nothing else is sent: the same seed gives the same requests.
    Inline(Box<RefCell<Option<Minimizer<'a>>>>),
    /// While the campaign goes on. Silences take long, so they have a queue of their own.
    Queued { replies: Queue, silences: Queue },
}

/// A task for a minimizer.
#[derive(Debug, Clone)]
pub(super) enum TriageTask {
    /// Examine something that was seen once.
    Examine(Box<Candidate>),
    /// Minimize a confirmed finding.
    Shrink(Box<Discovery>),
    /// Compare a refusal that could not be judged with successful calls.
    Compare(Box<(String, Input)>),
}

/// The order of tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    Examine,
    Compare,
    Shrink,
    Last,
}

impl TriageTask {
    /// Crashes and silences first, then as in a report: by harm and level. Tasks that may find something new come
    /// after tasks about what was seen, and after the end of the campaign last of all.
    fn order(&self, is_over: bool) -> (Turn, Option<(Harm, Reverse<Level>)>) {
        let urgency = |finding: &Finding| Some((harm(finding), Reverse(finding.level)));
        match self {
            Self::Examine(candidate) => match &**candidate {
                Candidate::Reply { finding, .. } => (Turn::Examine, urgency(finding)),
                Candidate::Ended { .. } | Candidate::Silent { .. } | Candidate::Slow { .. } => {
                    (Turn::Examine, None)
                }
            },
            Self::Shrink(discovery) => (Turn::Shrink, urgency(&discovery.finding)),
            Self::Compare(_) if is_over => (Turn::Last, None),
            Self::Compare(_) => (Turn::Compare, None),
        }
    }

    /// Whether it takes long: a reply is missing, or came late.
    pub(super) fn is_of_a_silence(&self) -> bool {
        matches!(self, Self::Examine(candidate)
            if matches!(**candidate, Candidate::Silent { .. } | Candidate::Slow { .. }))
    }

    fn is_of_a_reply(&self) -> bool {
        match self {
            Self::Examine(candidate) => matches!(**candidate, Candidate::Reply { .. }),
            Self::Shrink(_) | Self::Compare(_) => true,
        }
    }
}

/// Tasks that wait.
#[derive(Default)]
pub(super) struct Queue {
    waiting: RefCell<VecDeque<TriageTask>>,
    more: Notify,
}

impl Queue {
    /// Adds a task, unless too many that are not about a reply are waiting already.
    pub(super) fn put(&self, task: TriageTask, clock: &Clock) {
        let mut waiting = self.waiting.borrow_mut();
        if task.is_of_a_reply() || waiting.iter().filter(|task| !task.is_of_a_reply()).count() < WAITING {
            count(&task, clock, 1);
            waiting.push_back(task);
            self.more.notify_one();
        }
    }

    /// Takes the next task.
    pub(super) fn take(&self, clock: &Clock) -> Option<TriageTask> {
        let mut waiting = self.waiting.borrow_mut();
        let is_over = clock.left().is_some();
        let first = (0..waiting.len()).min_by_key(|index| waiting[*index].order(is_over))?;
        let task = waiting.remove(first)?;
        count(&task, clock, -1);
        Some(task)
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.borrow().len()
    }

    /// Waits until there may be work.
    pub(super) async fn idle(&self) {
        let _ = tokio::time::timeout(IDLE, self.more.notified()).await;
    }
}

fn count(task: &TriageTask, clock: &Clock, by: isize) {
    let counted = match task {
        TriageTask::Examine(_) => &clock.unseen,
        TriageTask::Shrink(_) => &clock.unshrunk,
        TriageTask::Compare(_) => return,
    };
    counted.set(counted.get().saturating_add_signed(by));
}

/// The tasks being worked on, by the order in which they began, so that none is lost if the work is cut short.
#[derive(Default)]
pub(super) struct InProgress(RefCell<BTreeMap<usize, TriageTask>>);

impl InProgress {
    /// Adds a task; returns its number.
    pub(super) fn take(&self, task: TriageTask) -> usize {
        let mut in_hand = self.0.borrow_mut();
        let place = in_hand.last_key_value().map_or(0, |(last, _)| last + 1);
        in_hand.insert(place, task);
        place
    }

    /// Removes a task that is done.
    pub(super) fn settle(&self, place: usize) {
        self.0.borrow_mut().remove(&place);
    }

    pub(super) fn len(&self) -> usize {
        self.0.borrow().len()
    }

    /// Removes and returns all tasks.
    pub(super) fn drain(&self) -> Vec<TriageTask> {
        std::mem::take(&mut *self.0.borrow_mut()).into_values().collect()
    }
}
