//! Calls that take far longer than others of their tool.
//!
//! The main type is [`Times`]. It only picks suspects; whether a call is slow shows when it is sent alone and
//! compared with a plain one of the same tool in the same process. Slow calls are not findings, because no rule
//! depends on a clock.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use crate::generate::Sequence;

/// A slow call takes longer than this.
const LONG: Duration = Duration::from_secs(1);
/// A slow call takes this many times as long as usual.
const TIMES: u32 = 20;
/// The usual time is taken from this many of a tool's latest replies.
const KEPT: usize = 128;
/// With fewer replies the usual time is unknown.
const FEWEST: usize = 20;
/// At most this many slow calls are reported.
pub(super) const MOST: usize = 16;

/// The latest reply times of each tool.
#[derive(Debug, Default)]
pub(super) struct Times {
    by_tool: BTreeMap<String, VecDeque<Duration>>,
    /// Tool and change of the calls that were already examined.
    seen: BTreeSet<(String, String)>,
}

impl Times {
    /// Adds a reply; returns whether it came far later than usual.
    pub(super) fn add(&mut self, tool: &str, taken: Duration) -> bool {
        if !self.by_tool.contains_key(tool) {
            self.by_tool.insert(tool.to_owned(), VecDeque::new());
        }
        let Some(kept) = self.by_tool.get_mut(tool) else { return false };
        let is_late = taken > LONG && kept.len() >= FEWEST && is_slow(taken, median(kept));
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back(taken);
        is_late
    }

    /// Whether calls with this change of this tool's arguments were not examined before.
    pub(super) fn is_new(&mut self, sequence: &Sequence) -> bool {
        let Some((tool, input)) = sequence.steps.last() else { return false };
        let change = input.changes.first().map(|change| format!("{} {}", change.path, change.keyword));
        self.seen.len() < KEPT && self.seen.insert((tool.clone(), change.unwrap_or_default()))
    }
}

fn median(times: &VecDeque<Duration>) -> Duration {
    let mut sorted: Vec<Duration> = times.iter().copied().collect();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// Whether a call that took this long is slow compared with the usual time.
pub(super) fn is_slow(taken: Duration, usual: Duration) -> bool {
    taken > LONG && taken > usual * TIMES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_slow_beside_the_usual_one_of_its_own_tool() {
        let mut times = Times::default();
        let (quick, long) = (Duration::from_millis(2), Duration::from_millis(1_200));
        assert!(!times.add("view", long), "nothing is known of it yet");
        for _ in 0..FEWEST {
            assert!(!times.add("view", quick));
            assert!(!times.add("run", Duration::from_millis(400)));
        }
        assert!(!times.add("view", Duration::from_millis(900)), "many times as long, and not long");
        assert!(!times.add("run", long), "long, and not many times as long");
        assert!(times.add("view", long));
    }

    #[test]
    fn what_becomes_usual_is_not_slow() {
        let mut times = Times::default();
        for _ in 0..KEPT {
            times.add("view", Duration::from_millis(2));
        }
        let late = (0..KEPT).filter(|_| times.add("view", Duration::from_millis(1_500))).count();
        assert!((KEPT / 3..KEPT).contains(&late), "{late}");
        assert_eq!(times.by_tool["view"].len(), KEPT);
    }
}
