//! Successful calls, sent again while the HTTP service behind the server fails, for every tool that uses the
//! service.
//!
//! The main function is [`drive_faults`].

use tokio::sync::watch;

use crate::event::Event;
use crate::expectation::Expected;
use crate::plan::{PlannedFault, ProbedTool};
use crate::transcript::{CaseKind, CaseOutcome, DrivenCase};

use super::case::Driver;
use super::driven::texts;
use super::patience::Patience;
use super::until;

/// At most this many of these calls are sent in a session.
const MOST: usize = 300;

/// Sends one call of each tool in each round, so that no tool waits for another to finish; returns whether the
/// run was interrupted.
pub(super) async fn drive_faults(
    driver: &mut Driver<'_>,
    probed: &[ProbedTool],
    patience: &mut Patience,
    driven: &mut Vec<DrivenCase>,
    interrupt: &mut watch::Receiver<bool>,
    tell: &mut dyn FnMut(Event),
) -> bool {
    let before = driven.len();
    let rounds = probed.iter().map(|tool| tool.faults.len()).max().unwrap_or_default();
    let turns = (0..rounds)
        .flat_map(|round| probed.iter().filter_map(move |tool| Some((tool, tool.faults.get(round)?))));
    for (tool, fault) in turns {
        if driven.len() - before >= MOST {
            if driver.asks(tool) {
                let why = format!(
                    "the limit of {MOST} calls with a failing service was reached in this \
                    session"
                );
                driven.push(case(tool, fault, CaseOutcome::PreconditionFailed(why)));
            }
            continue;
        }
        let outcome = match patience.withheld(&tool.name) {
            // The record of its probes says that nothing more is sent to it.
            Some(_) => continue,
            None => match until(interrupt, driver.fault(tool, fault)).await {
                None => return true,
                Some(None) => continue,
                Some(Some(outcome)) => outcome,
            },
        };
        for (tool, response) in driver.take_responses().0 {
            patience.record(&tool, response);
        }
        tell(Event::Driven { case: fault.id.clone(), outcome: outcome.clone() });
        driven.push(case(tool, fault, outcome));
    }
    false
}

fn case(tool: &ProbedTool, fault: &PlannedFault, outcome: CaseOutcome) -> DrivenCase {
    let condition = match &fault.expected {
        Expected::Failure(failure) => Some(failure.condition.to_string()),
        _ => None,
    };
    DrivenCase {
        id: fault.id.clone(),
        title: fault.title.clone(),
        kind: CaseKind::Probe,
        requirements: fault.requirements.clone(),
        condition,
        tools: vec![tool.name.clone()],
        files: texts(&tool.files),
        outcome,
    }
}
