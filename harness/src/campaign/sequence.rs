//! Sequences of calls: making them longer, and leaving parts out.
//!
//! The main functions are [`alone`], [`in_order`], [`after`] and [`without_parts`].

use crate::generate::{Input, Sequence};

/// The sequence with whole parts left out, the largest parts first: leaving out single steps would take too
/// long.
pub(super) fn without_parts(sequence: &Sequence) -> impl Iterator<Item = Sequence> {
    // A short sequence, or one whose steps feed one another, has no parts to leave out.
    let count = if sequence.feeds.is_empty() && sequence.steps.len() >= 4 { sequence.steps.len() } else { 0 };
    let sizes = std::iter::successors(Some(count / 2), |size| (*size > 2).then_some(size / 2));
    let parts = sizes.flat_map(move |size| (0..count).step_by(size.max(1)).map(move |from| (from, size)));
    let without = parts.map(move |(from, size)| {
        let kept =
            sequence.steps.iter().enumerate().filter(|(index, _)| !(from..from + size).contains(index));
        in_order(kept.map(|(_, step)| step.clone()).collect())
    });
    without.filter(|shorter| !shorter.steps.is_empty())
}

/// A sequence of a single call.
pub(super) fn alone(tool: String, input: Input) -> Sequence {
    in_order(vec![(tool, input)])
}

/// Calls one after the other, none of which takes a value from the reply to another.
pub(super) fn in_order(steps: Vec<(String, Input)>) -> Sequence {
    Sequence { steps, feeds: Vec::new() }
}

/// The sequence preceded by earlier calls.
pub(super) fn after(earlier: &[(String, Input)], sequence: &Sequence) -> Sequence {
    let moved = |index: usize| index + earlier.len();
    let feeds = sequence.feeds.iter().cloned().map(|mut feed| {
        (feed.from, feed.to) = (moved(feed.from), moved(feed.to));
        feed
    });
    let steps = earlier.iter().cloned().chain(sequence.steps.iter().cloned()).collect();
    Sequence { steps, feeds: feeds.collect() }
}
