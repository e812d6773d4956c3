//! Folding findings by their cause: what one change to the server fixes is shown once, with all its places.
//!
//! The main type is [`Fold`]. The report itself has a finding for each tool and wording; a fault that sits in one
//! handler of the server shows there many times.

use std::cmp::Reverse;

use crate::finding::{Finding, Layer, Level, State};

/// Findings that have one cause, the most telling first.
#[derive(Debug, Clone)]
pub(super) struct Fold<'a> {
    /// At least one, in the report's order.
    pub(super) findings: Vec<&'a Finding>,
}

impl<'a> Fold<'a> {
    /// The finding that is shown in full.
    pub(super) fn first(&self) -> &'a Finding {
        self.findings[0]
    }

    /// In how many places it shows.
    pub(super) fn places(&self) -> usize {
        self.findings.iter().map(|finding| finding.places.len().max(1)).sum()
    }

    /// How many tools it concerns.
    pub(super) fn tools(&self) -> usize {
        let places = self.findings.iter().flat_map(|finding| &finding.places);
        let mut tools: Vec<_> = places.filter_map(|place| place.tool.as_deref()).collect();
        tools.extend(self.findings.iter().filter_map(|finding| finding.tool.as_deref()));
        tools.sort_unstable();
        tools.dedup();
        tools.len()
    }

    /// A baseline lists all of it.
    pub(super) fn is_known(&self) -> bool {
        self.findings.iter().all(|finding| finding.state == State::Known)
    }
}

/// What two findings share when one change fixes both: the rule, its severity, and the advice, whatever names and
/// values the advice holds.
#[derive(PartialEq, Eq)]
struct Cause<'a> {
    rule: &'a str,
    level: Level,
    layer: Option<Layer>,
    requirement: &'a str,
    advice: String,
}

/// Folds findings, what is to be fixed first in front: most severe, new before known, then in the most places, and
/// among equals in the report's order.
pub(super) fn fold(findings: &[Finding]) -> Vec<Fold<'_>> {
    let mut folds: Vec<(Cause<'_>, Fold<'_>)> = Vec::new();
    for finding in findings {
        let cause = Cause {
            rule: &finding.rule,
            level: finding.level,
            layer: finding.layer,
            requirement: &finding.requirement,
            advice: without_values(&finding.help),
        };
        match folds.iter_mut().find(|(other, _)| *other == cause) {
            Some((_, fold)) => fold.findings.push(finding),
            None => folds.push((cause, Fold { findings: vec![finding] })),
        }
    }
    let mut folds: Vec<_> = folds.into_iter().map(|(_, fold)| fold).collect();
    folds.sort_by_key(|fold| (Reverse(fold.first().level), fold.is_known(), Reverse(fold.places())));
    folds
}

/// A text with what stands between backquotes left out, and its digits.
fn without_values(text: &str) -> String {
    let outside = text.split('`').step_by(2).collect::<Vec<_>>().join("`");
    outside.chars().filter(|char| !char.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_that_differs_in_a_name_is_the_same_advice() {
        assert_eq!(without_values("name `path` (at most 3)"), without_values("name `file` (at most 12)"));
        assert_ne!(without_values("name `path`"), without_values("list `path`"));
    }
}
