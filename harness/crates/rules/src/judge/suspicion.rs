//! Which replies need a second look: those with a finding that may only be an echo of the caller's words.
//!
//! The main function is [`suspicions`]. It gives no verdict: the calls that it selects are sent again with
//! another value, and judged with the rest.

use std::collections::HashSet;

use crate::contract::Contract;
use crate::exchange::{Exchange, Step};
use crate::expectation::{Expected, ExpectedValue};
use crate::finding::LevelSetting;
use crate::rules::handling::Recheck;
use crate::rules::{self, Rule, RunRecord};
use crate::transcript::Chosen;

use super::twins::hit_key;
use super::{RecordedSoFar, RuleHit, context, errors, hits_of, silenced};

/// The exchanges that need a twin, in order, one for each suspicion; only those that may have one.
pub fn suspicions(
    recorded: RecordedSoFar<'_>,
    contract: &Contract,
    may: impl Fn(&Exchange) -> bool,
) -> Vec<usize> {
    let RecordedSoFar { head, run_record: &RunRecord { exchanges, .. }, .. } = recorded;
    let is_on = |rule: &&&'static Rule| head.levels.get(rule.id) != Some(&LevelSetting::Off);
    let rules: Vec<&'static Rule> = rules::all()
        .iter()
        .filter(is_on)
        .filter(|rule| rule.page().handling.recheck != Recheck::Never)
        .copied()
        .collect();
    let errors = errors(exchanges, contract);
    let declared = head.chosen != Chosen::Default;
    let mut known = HashSet::new();
    let mut suspected = Vec::new();
    for exchange in exchanges {
        let is_tried = matches!(exchange.place.step, Step::Call | Step::Again);
        if !is_tried || !matches!(exchange.place.expected, Expected::Failure(_)) {
            continue;
        }
        let context = context(recorded, contract, declared, exchange, &errors);
        let mut hits = silenced(hits_of(&context, &rules));
        hits.retain(|hit| !is_about_a_name(hit, exchange));
        if hits.is_empty() || !may(exchange) {
            continue;
        }
        let found: Vec<_> = hits.iter().map(|hit| hit_key(hit, exchange, &head.folders)).collect();
        // One twin is enough for each kind of reply.
        if found.iter().any(|suspicion| !known.contains(suspicion)) {
            suspected.push(exchange.index);
            known.extend(found);
        }
    }
    suspected
}

/// Whether the missing value is the name of a parameter, which no other value would bring up.
fn is_about_a_name(hit: &RuleHit, exchange: &Exchange) -> bool {
    fn is_name(value: &ExpectedValue) -> bool {
        match value {
            ExpectedValue::Parameter(_) => true,
            ExpectedValue::AnyOf(values) => values.iter().all(is_name),
            _ => false,
        }
    }
    let Expected::Failure(failure) = &exchange.place.expected else { return false };
    hit.rule.page().handling.recheck == Recheck::UnlessName && failure.value.as_ref().is_some_and(is_name)
}
