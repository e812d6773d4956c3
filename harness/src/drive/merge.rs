//! Merging the two sessions of a run into one transcript.
//!
//! The main function is [`append`].

use std::collections::{HashMap, HashSet};

use crate::condition::CaseId;
use crate::exchange::EnvironmentEffect;
use crate::transcript::{CaseKind, CaseOutcome, DrivenCase, Transcript, Withheld};

/// The results of a second session.
pub(super) struct SecondSessionRecord {
    pub(super) transcript: Transcript,
    /// What its plan withholds.
    pub(super) withheld: Vec<Withheld>,
    /// The tools that its plan covers.
    pub(super) tools: HashSet<String>,
}

/// Appends a second session to the first: its exchanges are renumbered, and its cases replace those that the
/// first one did not bring to a verdict.
pub(super) fn append(first: &mut Transcript, planned_withheld: usize, further: SecondSessionRecord) {
    let SecondSessionRecord { transcript: second, withheld, tools } = further;
    let exchanges = first.exchanges.len();
    let processes = first.exchanges.iter().map(|exchange| exchange.process + 1).max().unwrap_or_default();
    let moved = |index: &mut Option<usize>| {
        if let Some(index) = index {
            *index += exchanges;
        }
    };
    first.exchanges.extend(second.exchanges.into_iter().map(|mut exchange| {
        exchange.index += exchanges;
        exchange.process += processes;
        moved(&mut exchange.place.control);
        moved(&mut exchange.place.follows);
        moved(&mut exchange.place.twin);
        if exchange.environment.is_none() {
            exchange.environment = EnvironmentEffect::Confined;
        }
        exchange
    }));
    let places: HashMap<CaseId, usize> =
        first.cases.iter().enumerate().map(|(at, case)| (case.id.clone(), at)).collect();
    let mut second_withheld = second.withheld;
    for case in second.cases {
        match places.get(&case.id) {
            Some(at) if replaces(&case, &first.cases[*at]) => first.cases[*at] = case,
            Some(_) => forget(&mut second_withheld, &case),
            None => first.cases.push(case),
        }
    }
    // What the plan of the first session withheld, the second session has planned again.
    let mut number = 0;
    first.withheld.retain(|left| {
        number += 1;
        number > planned_withheld || !tools.contains(&left.tool)
    });
    first.withheld.extend(withheld);
    first.withheld.extend(second_withheld);
    first.interrupted |= second.interrupted;
}

/// Whether the outcome of a case in the second session says more than that in the first.
fn replaces(second: &DrivenCase, first: &DrivenCase) -> bool {
    match (&second.outcome, &first.outcome) {
        (CaseOutcome::Driven, _) => true,
        // A server that crashed in confinement did answer in the first session, and that answer was judged.
        (CaseOutcome::Errored(_), CaseOutcome::Skipped(_) | CaseOutcome::Errored(_)) => true,
        // In confinement more was tried.
        (CaseOutcome::PreconditionFailed(_), CaseOutcome::PreconditionFailed(_)) => true,
        _ => false,
    }
}

/// Takes a probe off the count of unsent ones, because the first session has sent it.
fn forget(withheld: &mut Vec<Withheld>, case: &DrivenCase) {
    if case.kind != CaseKind::Probe || !matches!(case.outcome, CaseOutcome::Skipped(_)) {
        return;
    }
    // The last entry of a session for a tool counts the tool's skipped probes.
    let of_tool = |left: &&mut Withheld| case.tools.contains(&left.tool);
    if let Some(left) = withheld.iter_mut().rev().find(of_tool) {
        left.probes = left.probes.saturating_sub(1);
    }
    withheld.retain(|left| left.probes > 0);
}
