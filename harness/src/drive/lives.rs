//! What tools make: made twice, used once it is deleted, deleted twice, after all other calls of the session.
//!
//! The main function is [`drive_lives`].

use tokio::sync::watch;

use crate::event::Event;
use crate::plan::ProbePlan;
use crate::transcript::{CaseKind, DrivenCase};

use super::case::{Driver, LifeResult};
use super::patience::Patience;
use super::until;

/// Drives them, in a process of their own; gives whether the run was interrupted.
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
    // Whatever the probes have made of the server's state is none of theirs.
    driver.renew().await;
    for life in &planned.lives {
        let ending = life.end.as_ref().map(|end| &end.tool);
        if std::iter::once(&life.maker).chain(ending).any(|tool| patience.withheld(tool).is_some()) {
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
