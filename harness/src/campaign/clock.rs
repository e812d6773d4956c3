//! How long a campaign may take: its duration for drawing calls, and a little time after it for examining what
//! was found.
//!
//! The main type is [`Clock`]. The candidates left after the end share that time: first each is sent once more,
//! then each finding gets a part of the rest for minimizing. It knows nothing of what is sent.

use std::cell::Cell;
use std::time::{Duration, Instant};

use super::settings::Budget;

/// How long after its duration a campaign and its processes have ended at the latest.
pub const AFTERWARDS: Duration = Duration::from_secs(10);
/// How much of [`AFTERWARDS`] is kept for ending the processes and writing the report.
const CLOSING: Duration = Duration::from_secs(2);
/// At most this many candidates are examined at once, besides silences.
pub(super) const LABS: usize = 4;
/// At most this many while calls are still drawn, because the processes they start take time from the server.
pub(super) const LABS_MEANWHILE: usize = 2;
/// With less time left nothing is minimized, because the result could not be confirmed.
const LEAST: Duration = Duration::from_millis(1500);

/// The time limits of a campaign.
pub(super) struct Clock {
    begun: Cell<Instant>,
    pub(super) end: Budget,
    /// Since when no more calls are drawn.
    over_since: Cell<Option<Instant>>,
    /// How many candidates wait to be sent once more.
    pub(super) unseen: Cell<usize>,
    /// How many findings wait to be minimized.
    pub(super) unshrunk: Cell<usize>,
}

impl Clock {
    /// A clock that runs from now on, until [`Self::begin`] sets it back.
    pub(super) fn new(end: Budget) -> Self {
        let begun = Cell::new(Instant::now());
        Self { begun, end, over_since: Cell::new(None), unseen: Cell::new(0), unshrunk: Cell::new(0) }
    }

    /// The first call is drawn now. What came before, such as the server's start and the search for calls that succeed, takes
    /// nothing of the duration.
    pub(super) fn begin(&self) {
        self.begun.set(Instant::now());
        self.over_since.set(None);
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.begun.get().elapsed()
    }

    /// Whether no more calls are drawn after this many; `lost` is whether no more processes can be started.
    pub(super) fn is_over(&self, calls: u64, lost: bool) -> bool {
        if self.over_since.get().is_some() {
            return true;
        }
        let end = self.end.duration.map(|duration| self.begun.get() + duration);
        let now = Instant::now();
        let over = match end {
            Some(end) if now >= end => Some(end),
            _ if lost || self.end.calls.is_some_and(|most| calls >= most) => Some(now),
            _ => None,
        };
        self.over_since.set(over);
        over.is_some()
    }

    /// The time left for settling what was found; `None` while calls are still drawn.
    pub(super) fn left(&self) -> Option<Duration> {
        let over = self.over_since.get()?;
        Some((AFTERWARDS - CLOSING).saturating_sub(over.elapsed()))
    }

    /// Whether a finding that has been minimized since `begun` may be minimized further. After the end,
    /// candidates that were not sent once more come first, and each finding keeps to its share.
    pub(super) fn may_shrink(&self, begun: Instant) -> bool {
        let (Some(over), Some(left)) = (self.over_since.get(), self.left()) else { return true };
        if self.unseen.get() > 0 || left < LEAST {
            return false;
        }
        let others = u32::try_from(self.unshrunk.get().div_ceil(LABS)).unwrap_or(u32::MAX);
        let share = (left - LEAST) / others.saturating_add(1);
        begun.max(over).elapsed() <= share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(duration: Duration) -> Clock {
        Clock::new(Budget { duration: Some(duration), calls: Some(100) })
    }

    fn ago(seconds: u64) -> Instant {
        Instant::now().checked_sub(Duration::from_secs(seconds)).expect("the machine runs longer")
    }

    #[test]
    fn a_campaign_is_over_by_its_duration_by_its_calls_or_where_nothing_can_be_had() {
        let long = || clock(Duration::from_secs(600));
        assert!(!long().is_over(99, false));
        assert!(long().is_over(100, false));
        assert!(long().is_over(0, true));
        let over = long();
        assert!(over.left().is_none() && over.is_over(100, false) && over.left().is_some());
        assert!(over.is_over(0, false), "it does not go on again");
    }

    #[test]
    fn the_time_afterwards_is_counted_from_the_duration_however_late_that_is_seen() {
        let late = Clock { begun: Cell::new(ago(14)), ..clock(Duration::from_secs(5)) };
        assert!(late.is_over(0, false));
        assert_eq!(late.left(), Some(Duration::ZERO));
    }

    #[test]
    fn what_comes_before_the_first_drawn_call_takes_nothing_of_the_duration() {
        let slow = Clock { begun: Cell::new(ago(30)), ..clock(Duration::from_secs(4)) };
        assert!(slow.is_over(0, false));
        slow.begin();
        assert!(!slow.is_over(0, false) && slow.elapsed() < Duration::from_secs(1));
    }

    #[test]
    fn after_the_end_nothing_is_made_smaller_while_something_was_not_sent_once_more() {
        let clock = clock(Duration::from_secs(600));
        assert!(clock.may_shrink(ago(3)), "while calls are drawn other bounds hold");
        assert!(clock.is_over(100, false));
        let begun = Instant::now();
        assert!(clock.may_shrink(begun));
        clock.unseen.set(1);
        assert!(!clock.may_shrink(begun));
        clock.unseen.set(0);
        clock.unshrunk.set(10_000_000);
        std::thread::sleep(Duration::from_millis(1));
        assert!(!clock.may_shrink(begun), "the others have their part");
    }
}
