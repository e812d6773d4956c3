//! Cases that are driven apart from the probes, by calls that have succeeded: while the HTTP service behind the server
//! fails, about things that were made before or are gone, and while the machine is in their way.
//!
//! The main type is [`ApartCases`].

use tokio::sync::watch;

use crate::event::Event;
use crate::plan::{Obstacle, PlannedCase, ProbePlan, ProbedTool};
use crate::transcript::{CaseOutcome, DrivenCase};

use super::case::{Driver, ObstacleResult};
use super::driven::{driven_case, repeated_case};
use super::patience::Patience;
use super::until;

/// At most this many calls are sent in a session while the service fails.
const FAULTS: usize = 300;
/// At most this many processes are lost to an obstacle in a session: each costs a start, and shows little.
const LOST: usize = 3;
/// At most this many tools are tried with each obstacle in a session.
const OBSTACLES: usize = 100;

/// Drives such cases. Each function returns `None` if the run is interrupted meanwhile.
pub(super) struct ApartCases<'c, 'd> {
    pub(super) driver: &'c mut Driver<'d>,
    pub(super) patience: &'c mut Patience,
    pub(super) interrupt: &'c mut watch::Receiver<bool>,
    pub(super) tell: &'c mut dyn FnMut(Event),
    /// The cases that were driven.
    pub(super) driven: &'c mut Vec<DrivenCase>,
}

impl ApartCases<'_, '_> {
    /// Sends one call of each tool in each round while the service fails, so that no tool waits for another to finish.
    pub(super) async fn faults(&mut self, probed: &[ProbedTool]) -> Option<()> {
        let before = self.driven.len();
        let rounds = probed.iter().map(|tool| tool.faults.len()).max().unwrap_or_default();
        let turns = (0..rounds)
            .flat_map(|round| probed.iter().filter_map(move |tool| Some((tool, tool.faults.get(round)?))));
        for (tool, fault) in turns {
            if self.driven.len() - before >= FAULTS {
                if self.driver.asks(tool) {
                    let why = format!("this session has sent its {FAULTS} calls while the service fails");
                    self.driven.push(repeated_case(tool, fault, CaseOutcome::PreconditionFailed(why)));
                }
                continue;
            }
            if self.patience.withheld(&tool.name).is_some() {
                // The record of its probes says that nothing more is sent to it.
                continue;
            }
            if let Some(outcome) = until(self.interrupt, self.driver.fault(tool, fault)).await? {
                self.driver.record_responses(self.patience);
                self.enter(repeated_case(tool, fault, outcome));
            }
        }
        Some(())
    }

    /// Drives the lives of things that tools create or list, in a process of their own.
    pub(super) async fn lives(&mut self, planned: &ProbePlan) -> Option<()> {
        if !self.driver.is_drawing() || planned.lives.is_empty() {
            return Some(());
        }
        planned.tools.iter().for_each(|tool| self.driver.meet(tool));
        // These calls must not depend on server state left by probes.
        self.driver.renew().await;
        for life in &planned.lives {
            let ending = life.end.as_ref().map(|end| &end.tool);
            if life.maker.iter().chain(ending).any(|tool| self.patience.withheld(tool).is_some()) {
                // The record of its probes says that nothing more is sent to it.
                continue;
            }
            let lived = until(self.interrupt, Box::pin(self.driver.life(life))).await?;
            let lost = self.driver.record_responses(self.patience);
            lived.into_iter().for_each(|case| self.enter(case));
            if lost.is_some() {
                break;
            }
        }
        Some(())
    }

    /// Sends the planned calls while the machine is in their way, one obstacle after the other. These are the last calls of a
    /// session: what the server keeps may be ruined by them. A tool whose call returns the same all the same needs nothing of
    /// the kind, or later, so it is no case.
    pub(super) async fn obstacles(&mut self, probed: &[ProbedTool]) -> Option<()> {
        if !self.driver.is_drawing() {
            return Some(());
        }
        for obstacle in Obstacle::ALL {
            let mut lost = 0;
            let of_tool =
                |tool: &'_ ProbedTool| tool.obstacles.iter().position(|planned| planned.change == obstacle);
            let planned = probed.iter().filter_map(|tool| Some((tool, &tool.obstacles[of_tool(tool)?])));
            for (tool, planned) in planned.take(OBSTACLES) {
                let tried = until(self.interrupt, Box::pin(self.driver.obstacle(tool, planned))).await;
                // A tool that did not answer meanwhile is not given up for that.
                self.driver.take_responses();
                let outcome = match tried? {
                    ObstacleResult::Untold => None,
                    ObstacleResult::Impossible => break,
                    ObstacleResult::Driven(outcome) => Some(outcome),
                    ObstacleResult::Lost(outcome) => {
                        lost += 1;
                        outcome
                    }
                };
                if let Some(outcome) = outcome {
                    self.enter(repeated_case(tool, planned, outcome));
                }
                if lost >= LOST {
                    break;
                }
            }
        }
        Some(())
    }

    /// Drives one case of the suite, unless its tool was given up.
    pub(super) async fn case(&mut self, planned: &PlannedCase) -> Option<()> {
        let Ok(script) = &planned.script else { return Some(()) };
        if self.patience.withheld(&script.call.tool).is_none() {
            let outcome = until(self.interrupt, Box::pin(self.driver.case(planned))).await?;
            self.driver.record_responses(self.patience);
            self.enter(driven_case(planned, outcome));
        }
        Some(())
    }

    fn enter(&mut self, case: DrivenCase) {
        (self.tell)(Event::Driven { case: case.id.clone(), outcome: case.outcome.clone() });
        self.driven.push(case);
    }
}
