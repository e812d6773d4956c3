//! Things that tools create or list: created twice, used after deletion, deleted twice or without being there. Sent after all other calls of
//! the session.
//!
//! The main function is [`drive_lives`].

use tokio::sync::watch;

use crate::event::Event;
use crate::plan::ProbePlan;
use crate::transcript::{CaseKind, DrivenCase};

use super::case::{Driver, LifeResult};
use super::patience::Patience;
use super::until;

/// Drives all lives in a process of their own; returns whether the run was interrupted.
pub(super) async fn drive_lives(
    driver: &mut Driver<'_>,
    planned: &ProbePlan,
    patience: &mut Patience,
    driven: &mut Vec<DrivenCase>,
    interrupt: &mut watch::Receiver<bool>,
    tell: &mut dyn FnMut(Event),
) -> bool {
    if !driver.is_drawing() || planned.lives.is_empty() {
        return false;
    }
    planned.tools.iter().for_each(|tool| driver.meet(tool));
    // These calls must not depend on server state left by probes.
    driver.renew().await;
    for life in &planned.lives {
        let ending = life.end.as_ref().map(|end| &end.tool);
        if life.maker.iter().chain(ending).any(|tool| patience.withheld(tool).is_some()) {
            // The record of its probes says that nothing more is sent to it.
            continue;
        }
        let Some(lived) = until(interrupt, Box::pin(driver.life(life))).await else { return true };
        let (responses, lost) = driver.take_responses();
        for (tool, response) in responses {
            patience.record(&tool, response);
        }
        for lived in lived {
            tell(Event::Driven { case: lived.id.clone(), outcome: lived.outcome.clone() });
            driven.push(case(lived));
        }
        if lost.is_some() {
            return false;
        }
    }
    false
}

fn case(lived: LifeResult) -> DrivenCase {
    DrivenCase {
        id: lived.id,
        title: lived.title,
        kind: CaseKind::Probe,
        requirements: Vec::new(),
        condition: Some(lived.condition.to_owned()),
        tools: vec![lived.tool],
        files: Vec::new(),
        outcome: lived.outcome,
    }
}
