//! Counting what the rules say against what wordings lack.
//!
//! The main type is [`Shares`]. It knows nothing of texts.

use std::collections::BTreeMap;

use mcp_errconf::finding::Level;

use super::labelled::{FaultyCall, Found, Lack, Wording};

/// How often a rule spoke where nothing is lacking, and where something is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Shares {
    /// Places where nothing is lacking.
    pub(crate) good: usize,
    /// Of them those with a finding of the rule, notes not among them.
    pub(crate) alarms: usize,
    /// Of them those with a note.
    pub(crate) notes: usize,
    /// Places where something is lacking.
    pub(crate) lacks: usize,
    /// Of them those where the rule, or one that says more, speaks.
    pub(crate) found: usize,
}

impl Shares {
    /// Counts one place.
    pub(crate) fn count(&mut self, place: &Place) {
        if place.lacks {
            self.lacks += 1;
            self.found += usize::from(place.is_found);
        } else {
            self.good += 1;
            self.alarms += usize::from(place.level.is_some_and(|level| level > Level::Note));
            self.notes += usize::from(place.level == Some(Level::Note));
        }
    }

    /// The share of good places with a false alarm; 0 where there is none.
    pub(crate) fn false_alarms(&self) -> f64 {
        if self.good == 0 { 0.0 } else { share(self.alarms, self.good) }
    }

    /// The share of lacks that were found; 1 where nothing is lacking.
    pub(crate) fn recall(&self) -> f64 {
        if self.lacks == 0 { 1.0 } else { share(self.found, self.lacks) }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a file has fewer lines than a float has integers")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

/// One rule at one wording.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) lack: Lack,
    pub(crate) lacks: bool,
    /// The level of the rule's own finding.
    pub(crate) level: Option<Level>,
    /// The rule, or one that speaks in its place, has a finding.
    pub(crate) is_found: bool,
}

/// The places of a wording that count.
pub(crate) fn places(
    wording: &Wording,
    calls: &BTreeMap<String, FaultyCall>,
    findings: &[Found],
) -> Vec<Place> {
    let level = |rule: &str| findings.iter().find(|(found, _)| found == rule).map(|(_, level)| *level);
    let asked = Lack::ALL.into_iter().filter(|lack| wording.is_asked(*lack, calls));
    asked
        .map(|lack| {
            let instead = Lack::ALL.into_iter().filter(|other| speaks_for(*other, lack));
            let is_found = level("message/empty").is_some()
                || instead.into_iter().any(|other| level(other.rule()).is_some());
            Place { lack, lacks: wording.lacks.contains(&lack), level: level(lack.rule()), is_found }
        })
        .collect()
}

/// Whether a finding of one lack stands for one of the other, too.
fn speaks_for(one: Lack, other: Lack) -> bool {
    one == other || one == Lack::Meaning || one == Lack::ValidValues && other == Lack::Hint
}

/// The findings of rules that have nothing to do with what a wording may lack.
pub(crate) fn strangers(findings: &[Found]) -> impl Iterator<Item = &str> {
    let is_measured = |rule: &str| Lack::ALL.into_iter().any(|lack| lack.rule() == rule);
    findings.iter().map(|(rule, _)| rule.as_str()).filter(move |rule| !is_measured(rule))
}
