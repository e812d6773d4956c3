//! How two texts differ, for reviewers of error texts.

use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// After this long the rest of two long texts counts as changed.
const PATIENCE: Duration = Duration::from_secs(2);

/// A run of words or of lines of two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run<'t> {
    /// Whether both texts have it.
    pub is_kept: bool,
    /// What the old text has.
    pub before: &'t [&'t str],
    /// What the new text has in its place.
    pub after: &'t [&'t str],
}

/// The runs of two texts, of which the words or the lines are given, in their order.
pub fn runs<'t>(before: &'t [&'t str], after: &'t [&'t str]) -> Vec<Run<'t>> {
    let deadline = Instant::now() + PATIENCE;
    let run = |change: DiffOp| Run {
        is_kept: matches!(change, DiffOp::Equal { .. }),
        before: &before[change.old_range()],
        after: &after[change.new_range()],
    };
    let changes = capture_diff_slices_deadline(Algorithm::Patience, before, after, Some(deadline));
    changes.into_iter().map(run).collect()
}
