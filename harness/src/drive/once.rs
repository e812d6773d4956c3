//! What a run sends besides probes, sent once for a campaign on a confined server: calls while the service
//! behind the server fails, calls about what tools have made, and the cases of the suite.
//!
//! The main type is [`Once`]. It builds on the calls that were learnt just before, in the processes of the same
//! driver.

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use tokio::sync::watch;

use crate::exchange::{Exchange, Step};
use crate::plan::{PlannedCase, ProbePlan};
use crate::transcript::DrivenCase;

use super::case::Driver;
use super::driven::driven_case;
use super::faults::drive_faults;
use super::lives::drive_lives;
use super::obstacle::drive_obstacles;
use super::patience::Patience;
use super::{DriveError, until};

/// At most this many calls are needed for one life.
const OF_A_LIFE: usize = 24;

/// The cases that were driven once, and their exchanges.
#[derive(Debug, Default)]
pub(crate) struct OnceRecord {
    pub(crate) cases: Vec<DrivenCase>,
    /// The exchanges of the cases, those they refer to, and those that belong to no case.
    pub(crate) exchanges: Vec<Exchange>,
}

/// What is sent once.
pub(super) struct Once<'o> {
    pub(super) cases: Vec<PlannedCase>,
    pub(super) probed: &'o ProbePlan,
    /// When no more cases are begun.
    pub(super) until: Option<Instant>,
    /// No more cases are begun once there are this many exchanges.
    pub(super) end: usize,
}

impl Once<'_> {
    /// Sends everything; returns the cases that came about.
    ///
    /// # Errors
    /// When it is interrupted meanwhile.
    pub(super) async fn drive(
        &self,
        driver: &mut Driver<'_>,
        patience: &mut Patience,
        interrupt: &mut watch::Receiver<bool>,
    ) -> Result<Vec<DrivenCase>, DriveError> {
        let mut driven = Vec::new();
        let sent = async {
            let tell = &mut |_| {};
            let tools = &self.probed.tools;
            let mut interrupted = drive_faults(driver, tools, patience, &mut driven, interrupt, tell).await;
            if !interrupted {
                let lives = drive_lives(driver, self.probed, patience, &mut driven, interrupt, tell);
                interrupted = Box::pin(lives).await;
            }
            for planned in &self.cases {
                if interrupted || driver.exchanges().len() >= self.end {
                    break;
                }
                interrupted = self.case(planned, driver, patience, &mut driven, interrupt).await;
            }
            if !interrupted && driver.exchanges().len() < self.end {
                interrupted = drive_obstacles(driver, tools, &mut driven, interrupt, tell).await;
            }
            interrupted
        };
        let interrupted = match self.until {
            Some(end) => tokio::time::timeout_at(end.into(), sent).await.unwrap_or_default(),
            None => sent.await,
        };
        if interrupted { Err(DriveError::Interrupted) } else { Ok(driven) }
    }

    /// Drives one case of the suite, unless its tool was given up; returns whether it was interrupted.
    async fn case(
        &self,
        planned: &PlannedCase,
        driver: &mut Driver<'_>,
        patience: &mut Patience,
        driven: &mut Vec<DrivenCase>,
        interrupt: &mut watch::Receiver<bool>,
    ) -> bool {
        let Ok(script) = &planned.script else { return false };
        if patience.withheld(&script.call.tool).is_some() {
            return false;
        }
        let Some(outcome) = until(interrupt, Box::pin(driver.case(planned))).await else { return true };
        for (tool, response) in driver.take_responses().0 {
            patience.record(&tool, response);
        }
        driven.push(driven_case(planned, outcome));
        false
    }
}

/// Reduces the plan to what can be sent in about this many calls.
pub(super) fn bound(plan: &mut ProbePlan, most: usize) {
    plan.lives.truncate(most / OF_A_LIFE);
    let of_a_tool = most / plan.tools.len().max(1);
    plan.tools.iter_mut().for_each(|tool| tool.faults.truncate(of_a_tool));
}

/// The cases whose tools are all in `tools`.
pub(super) fn of_tools(mut cases: Vec<PlannedCase>, tools: &BTreeSet<String>) -> Vec<PlannedCase> {
    cases.retain(|planned| planned.script.is_ok() && planned.tools.iter().all(|tool| tools.contains(tool)));
    cases
}

/// The exchanges from index `first` on, renumbered, with those they refer to and those of no case.
pub(super) fn since(exchanges: Vec<Exchange>, first: usize) -> Vec<Exchange> {
    let referred: BTreeSet<usize> = exchanges
        .iter()
        .skip(first)
        .flat_map(|exchange| [exchange.place.control, exchange.place.follows, exchange.place.twin])
        .flatten()
        .collect();
    let is_kept = |exchange: &Exchange| {
        exchange.index >= first
            || exchange.place.step == Step::Lifecycle
            || referred.contains(&exchange.index)
    };
    let mut kept: Vec<Exchange> = exchanges.into_iter().filter(is_kept).collect();
    let numbers: HashMap<usize, usize> =
        kept.iter().enumerate().map(|(number, exchange)| (exchange.index, number)).collect();
    let renumbered = |index: Option<usize>| index.and_then(|index| numbers.get(&index).copied());
    for (number, exchange) in kept.iter_mut().enumerate() {
        exchange.index = number;
        let place = &mut exchange.place;
        place.control = renumbered(place.control);
        place.follows = renumbered(place.follows);
        place.twin = renumbered(place.twin);
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::Outcome;

    use super::*;

    #[test]
    fn what_came_before_is_kept_where_something_refers_to_it() {
        let mut exchanges: Vec<Exchange> = (0..5)
            .map(|number| {
                let arguments = json!({ "number": number });
                let alone = Exchange::alone(Some("read"), arguments, Outcome::Result(json!({})));
                Exchange { index: number, ..alone }
            })
            .collect();
        exchanges[0].place.step = Step::Lifecycle;
        exchanges[4].place.control = Some(2);
        let kept = since(exchanges, 3);
        let told: Vec<_> = kept.iter().map(|exchange| &exchange.call.arguments["number"]).collect();
        assert_eq!(told, [0, 2, 3, 4]);
        assert_eq!((kept[3].index, kept[3].place.control), (3, Some(1)));
    }
}
