//! Two sessions of one run as one transcript.
//!
//! The main function is [`append`].

use std::collections::{HashMap, HashSet};

use crate::condition::CaseId;
use crate::exchange::EnvironmentEffect;
use crate::transcript::{CaseKind, CaseOutcome, DrivenCase, Transcript, Withheld};

/// What a second session brought.
pub(super) struct SecondSessionRecord {
    pub(super) transcript: Transcript,
    /// What its plan does not send.
    pub(super) withheld: Vec<Withheld>,
    /// The tools that its plan was made for.
    pub(super) tools: HashSet<String>,
}

/// Adds a second session to the first: its exchanges numbered on, its cases in the place of those that the first one did
/// not bring to a verdict.
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
    // What the first session withheld by its plan the second one has planned anew.
    let mut number = 0;
    first.withheld.retain(|left| {
        number += 1;
        number > planned_withheld || !tools.contains(&left.tool)
    });
    first.withheld.extend(withheld);
    first.withheld.extend(second_withheld);
    first.interrupted |= second.interrupted;
}

/// Whether a case says more in the second session than in the first.
fn replaces(second: &DrivenCase, first: &DrivenCase) -> bool {
    match (&second.outcome, &first.outcome) {
        (CaseOutcome::Driven, _) => true,
        // A server that ended in confinement has answered in the first session: what it said there was judged.
        (CaseOutcome::Errored(_), CaseOutcome::Skipped(_) | CaseOutcome::Errored(_)) => true,
        // In confinement more was tried.
        (CaseOutcome::PreconditionFailed(_), CaseOutcome::PreconditionFailed(_)) => true,
        _ => false,
    }
}

/// Takes a probe out of what was left unsent: the first session has sent it.
fn forget(withheld: &mut Vec<Withheld>, case: &DrivenCase) {
    if case.kind != CaseKind::Probe || !matches!(case.outcome, CaseOutcome::Skipped(_)) {
        return;
    }
    // One entry of a session counts the probes of a tool that were skipped; it is the last one.
    let of_tool = |left: &&mut Withheld| case.tools.contains(&left.tool);
    if let Some(left) = withheld.iter_mut().rev().find(of_tool) {
        left.probes = left.probes.saturating_sub(1);
    }
    withheld.retain(|left| left.probes > 0);
}
