//! Successful calls, sent again while the machine is in their way, for the tools of a confined server. The last calls of a
//! session: what the server keeps may be ruined by them.
//!
//! The main function is [`drive_obstacles`].

use tokio::sync::watch;

use crate::event::Event;
use crate::plan::{Obstacle, PlannedObstacle, ProbedTool};
use crate::transcript::{CaseKind, CaseOutcome, DrivenCase};

use super::case::{Driver, ObstacleResult};
use super::driven::texts;
use super::until;

/// At most this many processes are lost to them in a session: each costs a start, and shows little.
const LOST: usize = 3;
/// At most this many tools are tried with each in a session.
const MOST: usize = 100;

/// Sends the planned calls, one obstacle after the other; returns whether the run was interrupted. A tool whose call returns
/// the same all the same needs nothing of the kind, or later, so it is no case.
pub(super) async fn drive_obstacles(
    driver: &mut Driver<'_>,
    probed: &[ProbedTool],
    driven: &mut Vec<DrivenCase>,
    interrupt: &mut watch::Receiver<bool>,
    tell: &mut dyn FnMut(Event),
) -> bool {
    if !driver.is_drawing() {
        return false;
    }
    let mut lost = 0;
    for obstacle in Obstacle::ALL {
        let of_tool =
            |tool: &'_ ProbedTool| tool.obstacles.iter().position(|planned| planned.obstacle == obstacle);
        let planned = probed.iter().filter_map(|tool| Some((tool, &tool.obstacles[of_tool(tool)?])));
        for (tool, planned) in planned.take(MOST) {
            let tried = until(interrupt, Box::pin(driver.obstacle(tool, planned))).await;
            // A tool that did not answer meanwhile is not given up for that.
            driver.take_responses();
            let outcome = match tried {
                None => return true,
                Some(ObstacleResult::Untold) => continue,
                Some(ObstacleResult::Impossible) => break,
                Some(ObstacleResult::Driven(outcome)) => outcome,
                Some(ObstacleResult::Lost(outcome)) => {
                    lost += 1;
                    outcome
                }
            };
            tell(Event::Driven { case: planned.id.clone(), outcome: outcome.clone() });
            driven.push(case(tool, planned, outcome));
            if lost >= LOST {
                return false;
            }
        }
    }
    false
}

fn case(tool: &ProbedTool, planned: &PlannedObstacle, outcome: CaseOutcome) -> DrivenCase {
    DrivenCase {
        id: planned.id.clone(),
        title: planned.title.clone(),
        kind: CaseKind::Probe,
        requirements: planned.requirements.clone(),
        condition: planned.condition().map(str::to_owned),
        tools: vec![tool.name.clone()],
        files: texts(&tool.files),
        outcome,
    }
}
