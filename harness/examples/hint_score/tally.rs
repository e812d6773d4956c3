//! Counting verdicts against labels.
//!
//! The main type is [`Tally`]. It knows nothing of texts.

use serde_json::{Value, json};

/// How often a verdict was right and wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) tp: usize,
    pub(crate) fp: usize,
    pub(crate) false_negatives: usize,
    pub(crate) tn: usize,
}

impl Tally {
    /// The tally of pairs of label and verdict.
    pub(crate) fn of(pairs: impl Iterator<Item = (bool, bool)>) -> Self {
        pairs.fold(Self::default(), |mut tally, (label, verdict)| {
            let place = match (label, verdict) {
                (true, true) => &mut tally.tp,
                (false, true) => &mut tally.fp,
                (true, false) => &mut tally.false_negatives,
                (false, false) => &mut tally.tn,
            };
            *place += 1;
            tally
        })
    }

    /// The share of what was found that is right; 1 where nothing was found.
    pub(crate) fn precision(&self) -> f64 {
        share(self.tp, self.fp)
    }

    /// The share of what is there that was found; 1 where nothing is there.
    pub(crate) fn recall(&self) -> f64 {
        share(self.tp, self.false_negatives)
    }

    /// As an object of figures.
    pub(crate) fn to_json(self) -> Value {
        json!({
            "precision": self.precision(),
            "recall": self.recall(),
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.false_negatives,
            "tn": self.tn,
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "a file has fewer lines than a float has integers")]
fn share(right: usize, wrong: usize) -> f64 {
    match right + wrong {
        0 => 1.0,
        all => right as f64 / all as f64,
    }
}
