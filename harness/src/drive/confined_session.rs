//! The second session of a run: confined, with its own folders at the same path. It sends the calls that a
//! tool's class forbids without confinement, and those for which the first session found no control.
//!
//! The main type is [`ConfinedSession`].

use std::path::Path;

use tokio::sync::watch;

use crate::catalog::Catalog;
use crate::class::Class;
use crate::confinement::{Confinement, SecondSessionResult};
use crate::event::Event;
use crate::generate::{is_an_end, needed_by};
use crate::plan::{ProbePlan, ProbeScope, SettledCases, probes};
use crate::server::RunFolders;
use crate::transcript::{CaseKind, CaseOutcome, Head, Transcript};

use super::merge::{SecondSessionRecord, append};
use super::service::ServerEnvironment;
use super::{Assignment, DriveError, SecondSession, SessionPart, drive_in, known, unmade};

/// What the first session leaves for a second, confined one.
pub(super) struct ConfinedSession<'a> {
    assignment: &'a Assignment,
    settled: SettledCases,
    plan: ProbePlan,
}

impl<'a> ConfinedSession<'a> {
    /// What the first session left; `None` if that is nothing, or if no second session was requested.
    pub(super) fn after(assignment: &'a Assignment, first: &Transcript) -> Option<Self> {
        if assignment.safety.second == SecondSession::Unasked || first.interrupted {
            return None;
        }
        let settled = settled(first);
        let plan = probes(known(assignment, &first.head, ProbeScope::Complete(&settled)), &assignment.probes);
        (!plan.tools.is_empty()).then_some(Self { assignment, settled, plan })
    }

    /// Drives the second session and appends it to the first.
    ///
    /// # Errors
    /// When the harness itself is in trouble.
    pub(super) async fn drive(
        self,
        parent: &Path,
        first: &mut Transcript,
        planned_withheld: usize,
        behind: ServerEnvironment,
        interrupt: &mut watch::Receiver<bool>,
        tell: &mut dyn FnMut(Event),
    ) -> Result<(), DriveError> {
        let safety = match &self.assignment.safety.second {
            SecondSession::By(safety) => safety,
            SecondSession::Missing(why) => {
                first.head.second = Some(SecondSessionResult::Missing(self.left(why)));
                return Ok(());
            }
            SecondSession::Unasked => return Ok(()),
        };
        let behind = match behind.within(safety) {
            Ok(behind) => behind,
            Err(why) => {
                first.head.second = Some(SecondSessionResult::Missing(self.left(&why)));
                return Ok(());
            }
        };
        let run_folders = RunFolders::again(&first.head.folders, self.assignment.seed)
            .map_err(|error| DriveError::Harness(unmade(parent, &error)))?;
        let part =
            SessionPart::Second { head: &first.head, settled: &self.settled, earlier: &first.exchanges };
        let driven = Box::pin(drive_in(self.assignment, &run_folders, &behind, part, interrupt, tell)).await;
        let removed = run_folders.remove().map_err(|error| DriveError::Harness(error.to_string()));
        match driven {
            Ok(driven) => {
                first.head.second = match driven.confinement {
                    Confinement::Confined(confined) => Some(SecondSessionResult::Driven(confined)),
                    Confinement::Off | Confinement::Unavailable(_) => None,
                };
                let tools = driven.tools.into_iter().collect();
                let mut transcript = driven.transcript;
                let left = transcript.withheld.split_off(driven.planned_withheld);
                let withheld = std::mem::replace(&mut transcript.withheld, left);
                append(first, planned_withheld, SecondSessionRecord { transcript, withheld, tools });
            }
            Err(DriveError::Interrupted) => first.interrupted = true,
            Err(DriveError::NotExercised(why)) => {
                first.head.second = Some(SecondSessionResult::Missing(self.left(&why)));
            }
            Err(error) => return Err(error),
        }
        removed
    }

    /// What was not tried, and why.
    fn left(&self, why: &str) -> String {
        let tools = self.plan.tools.len();
        let calls: usize = self.plan.tools.iter().map(|tool| tool.probes.len()).sum();
        let (calls, they) =
            if calls == 1 { ("1 call".to_owned(), "it") } else { (format!("{calls} calls"), "they") };
        let tools = if tools == 1 { "1 tool".to_owned() } else { format!("{tools} tools") };
        format!(
            "{calls} to {tools} were not sent, because {they} could do harm and the server could not be \
             sandboxed: {why}"
        )
    }
}

/// The cases that a session brought to a verdict, and the tools that it gave up on.
fn settled(first: &Transcript) -> SettledCases {
    let mut settled = SettledCases::default();
    for case in first.cases.iter().filter(|case| case.kind == CaseKind::Probe) {
        match &case.outcome {
            CaseOutcome::Driven | CaseOutcome::Errored(_) => {
                settled.probes.insert(case.id.clone());
            }
            // The tool left calls unanswered: more of them cost a deadline each.
            CaseOutcome::Skipped(_) => settled.tools.extend(case.tools.iter().cloned()),
            CaseOutcome::PreconditionFailed(_) => {}
        }
    }
    settled
}

/// The head, reduced to the tools that the second session lists in the same way: verdicts rest on the first
/// list.
pub(super) fn narrowed(first: &Head, listed: &Catalog) -> Head {
    let mut head = first.clone();
    head.catalog.tools.retain(|tool| listed.tools.contains(tool));
    head
}

/// Sorts the tools into the order in which they are probed: those that read come first, before others change
/// anything; those that delete come last, and among these the one that deletes what the others work on is the
/// very last.
pub(super) fn order(plan: &mut ProbePlan, catalog: &Catalog) {
    let taken_along = |name: &str| {
        let ending = catalog.tool(name).filter(|_| is_an_end(name));
        ending.map_or(0, |tool| needed_by(tool, &catalog.tools))
    };
    plan.tools.sort_by_cached_key(|tool| {
        let class = match tool.class {
            Class::Read => 0,
            Class::Write => 1,
            Class::Unknown => 2,
            Class::Effect => 3,
        };
        (is_an_end(&tool.name), taken_along(&tool.name), class)
    });
}
