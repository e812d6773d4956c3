//! Successful calls, sent again while the server can write to no file, for every tool of a confined server. The last
//! calls of a session: what the server keeps may be ruined by them.
//!
//! The main function is [`drive_storage`].

use tokio::sync::watch;

use crate::event::Event;
use crate::plan::{PlannedStorage, ProbedTool};
use crate::transcript::{CaseKind, CaseOutcome, DrivenCase};

use super::case::{Driver, StorageResult};
use super::driven::texts;
use super::until;

/// At most this many processes are lost to it in a session: each costs a start, and shows little.
const LOST: usize = 3;
/// At most this many tools are tried in a session.
const MOST: usize = 100;

/// Sends one call of each tool; returns whether the run was interrupted. A tool whose call succeeds all the same
/// writes nothing, or later, so it is no case.
pub(super) async fn drive_storage(
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
    let planned = probed.iter().filter_map(|tool| Some((tool, tool.storage.as_ref()?)));
    for (tool, storage) in planned.take(MOST) {
        let tried = until(interrupt, Box::pin(driver.storage(tool, storage))).await;
        // A tool that did not answer meanwhile is not given up for that.
        driver.take_responses();
        let outcome = match tried {
            None => return true,
            Some(StorageResult::Untold) => continue,
            Some(StorageResult::Unlimited) => break,
            Some(StorageResult::Driven(outcome)) => outcome,
            Some(StorageResult::Lost(outcome)) => {
                lost += 1;
                outcome
            }
        };
        tell(Event::Driven { case: storage.id.clone(), outcome: outcome.clone() });
        driven.push(case(tool, storage, outcome));
        if lost >= LOST {
            break;
        }
    }
    false
}

fn case(tool: &ProbedTool, storage: &PlannedStorage, outcome: CaseOutcome) -> DrivenCase {
    DrivenCase {
        id: storage.id.clone(),
        title: storage.title.clone(),
        kind: CaseKind::Probe,
        requirements: storage.requirements.clone(),
        condition: storage.condition().map(str::to_owned),
        tools: vec![tool.name.clone()],
        files: texts(&tool.files),
        outcome,
    }
}
