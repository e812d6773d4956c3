//! Counts calls, replies and errors, and knows when the campaign is over.
//!
//! The main type is [`Tally`].

use std::cell::Cell;
use std::time::Duration;

use crate::event::Pace;

use super::clock::Clock;
use super::settings::Budget;

/// The figures of a campaign, and its end.
pub(super) struct Tally {
    pub(super) calls: Cell<u64>,
    pub(super) replies: Cell<u64>,
    pub(super) errors: Cell<u64>,
    pub(super) clock: Clock,
    /// The largest memory of one session's processes, in bytes, since the last progress report.
    memory: Cell<Option<u64>>,
    /// No process can be had any more, or no tool gets a further call.
    pub(super) lost: Cell<bool>,
}

impl Tally {
    /// The tally of a campaign that ends then.
    pub(super) fn new(end: Budget) -> Self {
        Self {
            calls: Cell::new(0),
            replies: Cell::new(0),
            errors: Cell::new(0),
            clock: Clock::new(end),
            memory: Cell::new(None),
            lost: Cell::new(false),
        }
    }

    /// Whether nothing new is to be sent.
    pub(super) fn is_over(&self) -> bool {
        self.clock.is_over(self.calls.get(), self.lost.get())
    }

    pub(super) fn add_calls(&self, calls: u64) {
        self.calls.set(self.calls.get() + calls);
    }

    pub(super) fn add_reply(&self) {
        self.replies.set(self.replies.get() + 1);
    }

    pub(super) fn add_error_reply(&self) {
        self.add_reply();
        self.errors.set(self.errors.get() + 1);
    }

    pub(super) fn add_memory(&self, held: u64) {
        self.memory.set(self.memory.get().max(Some(held)));
    }

    /// The progress; `before` is the number of calls at the previous report, `within` the time since.
    pub(super) fn pace(&self, before: u64, within: Duration, signatures: usize, findings: usize) -> Pace {
        let calls = self.calls.get();
        let elapsed = self.clock.elapsed();
        let share = |of: f64, whole: f64| ((100.0 * of / whole.max(f64::EPSILON)) as u64).min(100);
        let by_time = self.clock.end.duration.map(|whole| share(elapsed.as_secs_f64(), whole.as_secs_f64()));
        let by_calls = self.clock.end.calls.map(|most| share(calls as f64, most as f64));
        Pace {
            elapsed,
            calls,
            per_second: ((calls - before) as f64 / within.as_secs_f64().max(0.001)) as u64,
            signatures: signatures as u64,
            findings: findings as u64,
            memory: self.memory.take(),
            percent: by_time.into_iter().chain(by_calls).max(),
            left: self.clock.end.duration.map(|whole| whole.saturating_sub(elapsed)),
            confirming: None,
        }
    }
}
