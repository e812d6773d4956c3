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

/// The lines of two texts in their order, each after a sign: `-` where only the old text has it, `+` where only the new one.
pub fn signed_lines(before: &str, after: &str) -> Vec<(char, String)> {
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut signed = Vec::new();
    for run in runs(&before, &after) {
        let (old, new) = if run.is_kept { (' ', &[][..]) } else { ('-', run.after) };
        signed.extend(run.before.iter().map(|line| (old, (*line).to_owned())));
        signed.extend(new.iter().map(|line| ('+', (*line).to_owned())));
    }
    signed
}
