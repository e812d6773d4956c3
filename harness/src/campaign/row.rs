//! Rows of calls: longer ones, and those that are left when parts are taken out.
//!
//! The main functions are [`alone`], [`after`] and [`without_parts`].

use crate::generate::{Input, Sequence};

/// A long row of calls without whole parts of it, the largest first: to leave out one after the other would take too long.
pub(super) fn without_parts(row: &Sequence) -> impl Iterator<Item = Sequence> {
    // Of a short row, or one whose steps feed one another, there are none.
    let count = if row.feeds.is_empty() && row.steps.len() >= 4 { row.steps.len() } else { 0 };
    let sizes = std::iter::successors(Some(count / 2), |size| (*size > 2).then_some(size / 2));
    let parts = sizes.flat_map(move |size| (0..count).step_by(size.max(1)).map(move |from| (from, size)));
    let without = parts.map(move |(from, size)| {
        let kept = row.steps.iter().enumerate().filter(|(index, _)| !(from..from + size).contains(index));
        Sequence { steps: kept.map(|(_, step)| step.clone()).collect(), feeds: Vec::new() }
    });
    without.filter(|shorter| !shorter.steps.is_empty())
}

/// A single call.
pub(super) fn alone(tool: String, input: Input) -> Sequence {
    Sequence { steps: vec![(tool, input)], feeds: Vec::new() }
}

/// Calls after others.
pub(super) fn after(earlier: &[(String, Input)], sequence: &Sequence) -> Sequence {
    let moved = |index: usize| index + earlier.len();
    let feeds = sequence.feeds.iter().cloned().map(|mut feed| {
        (feed.from, feed.to) = (moved(feed.from), moved(feed.to));
        feed
    });
    let steps = earlier.iter().cloned().chain(sequence.steps.iter().cloned()).collect();
    Sequence { steps, feeds: feeds.collect() }
}
