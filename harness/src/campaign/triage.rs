//! Where candidates wait until somebody looks into them.
//!
//! The main type is [`Queue`]. What was not sent once more comes first, then what may be made smaller; of either the gravest.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use tokio::sync::Notify;

use crate::finding::Level;
use crate::generate::Input;

use super::clock::Clock;
use super::minimizer::{Candidate, Discovery, Minimizer, Trigger};

/// How often an idle worker looks for work.
const IDLE: Duration = Duration::from_millis(200);

/// Where candidates are looked into.
pub(super) enum Triage<'a> {
    /// At once, while nothing else is sent: the same seed gives the same requests.
    Inline(Box<RefCell<Option<Minimizer<'a>>>>),
    /// While the campaign goes on: silences take long, and have a queue of their own.
    Queued { replies: Queue, silences: Queue },
}

/// What is to be done.
#[derive(Debug, Clone)]
pub(super) enum TriageTask {
    /// Something is looked into that was seen once.
    Examine(Box<Candidate>),
    /// What was confirmed is made smaller.
    Shrink(Box<Discovery>),
    /// A refusal that could not be judged is compared with calls that succeed.
    Compare(Box<Refused>),
}

/// A refused call.
#[derive(Debug, Clone)]
pub(super) struct Refused {
    pub(super) tool: String,
    pub(super) input: Input,
}

/// What comes before what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    Examine,
    Compare,
    Shrink,
    Last,
}

impl TriageTask {
    /// The gravest first: what ended a process, then by level. What may show something more comes after what was seen, and
    /// after the end of the campaign last of all.
    fn order(&self, is_over: bool) -> (Turn, Option<Reverse<Level>>) {
        match self {
            Self::Examine(candidate) => match &candidate.cause {
                Trigger::Ended { .. } | Trigger::Silent { .. } | Trigger::Slow { .. } => {
                    (Turn::Examine, None)
                }
                Trigger::Reply { finding, .. } => (Turn::Examine, Some(Reverse(finding.level))),
            },
            Self::Shrink(discovery) => (Turn::Shrink, Some(Reverse(discovery.finding.level))),
            Self::Compare(_) if is_over => (Turn::Last, None),
            Self::Compare(_) => (Turn::Compare, None),
        }
    }

    fn is_of_a_reply(&self) -> bool {
        match self {
            Self::Examine(candidate) => matches!(candidate.cause, Trigger::Reply { .. }),
            Self::Shrink(_) | Self::Compare(_) => true,
        }
    }
}

/// What waits.
#[derive(Default)]
pub(super) struct Queue {
    waiting: RefCell<VecDeque<TriageTask>>,
    more: Notify,
}

impl Queue {
    /// Puts one more there, unless this many wait that are not about a reply.
    pub(super) fn put(&self, task: TriageTask, most: usize, clock: &Clock) {
        let mut waiting = self.waiting.borrow_mut();
        if task.is_of_a_reply() || waiting.iter().filter(|task| !task.is_of_a_reply()).count() < most {
            count(&task, clock, 1);
            waiting.push_back(task);
            self.more.notify_one();
        }
    }

    /// The next one.
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

    /// Waits until there may be something to do.
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

/// What is in somebody's hands just now, by the order in which it began: whatever ends that, it is not lost.
#[derive(Default)]
pub(super) struct InProgress(RefCell<BTreeMap<usize, TriageTask>>);

impl InProgress {
    /// Takes one in hand; gives its place.
    pub(super) fn take(&self, task: TriageTask) -> usize {
        let mut in_hand = self.0.borrow_mut();
        let place = in_hand.last_key_value().map_or(0, |(last, _)| last + 1);
        in_hand.insert(place, task);
        place
    }

    /// It is settled.
    pub(super) fn settle(&self, place: usize) {
        self.0.borrow_mut().remove(&place);
    }

    pub(super) fn len(&self) -> usize {
        self.0.borrow().len()
    }

    /// Everything that is not settled.
    pub(super) fn drain(&self) -> Vec<TriageTask> {
        std::mem::take(&mut *self.0.borrow_mut()).into_values().collect()
    }
}
