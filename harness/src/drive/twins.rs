//! Failed calls whose reply looks suspicious, sent again with another wrong value.
//!
//! The main function is [`AfterCases::drive_twins`]. The judge decides which replies are suspicious; this module decides which
//! tools may be called again and how often. Twins are sent in another process after the cases and probes, so that
//! the report is the same for any `--jobs`.

use std::collections::{HashMap, HashSet};

use crate::class::Class;
use crate::condition::CaseId;
use crate::exchange::{Exchange, Outcome, Place, Step};
use crate::expectation::Expected;
use crate::judge::{RecordedSoFar, suspicions};
use crate::plan::{FeatureRequest, PlannedCase, twin_arguments};
use crate::roles::Role;
use crate::rules::RunRecord;
use crate::transcript::DrivenCase;

use super::after_cases::{AfterCases, SessionRecord};
use super::pool::ProcessPool;

/// At most this many twins are sent in a run.
const MOST: usize = 60;

impl AfterCases<'_> {
    /// Sends the twins in another process, as long as it answers. It is kept for what comes next: these calls change nothing,
    /// or were refused. Tools in `invented` get no twins, nor do the cases in `apart`, which are added to the session's: in
    /// them the service behind the server failed, or they are about a thing that already existed or no longer did.
    pub(super) async fn drive_twins(
        &self,
        cases: &[PlannedCase],
        apart: Vec<DrivenCase>,
        invented: &HashSet<String>,
        record: &mut SessionRecord<'_>,
    ) {
        let ids = apart.iter().map(|case| case.id.clone()).collect();
        record.cases.extend(apart);
        if record.interrupted {
            return;
        }
        let calls = self.twins(cases, (&ids, invented), record);
        let work = async |pool: &mut ProcessPool| {
            if !calls.is_empty() {
                send_all(calls, pool).await;
            }
            Vec::new()
        };
        record.add(work).await;
    }

    /// What is sent, and where it belongs.
    fn twins(
        &self,
        cases: &[PlannedCase],
        (apart, invented): (&HashSet<CaseId>, &HashSet<String>),
        record: &SessionRecord<'_>,
    ) -> Vec<(Place, FeatureRequest)> {
        let exchanges = &record.pool.exchanges;
        let roles: HashMap<&CaseId, Role> =
            cases.iter().map(|planned| (&planned.case.id, planned.case.script.call.role)).collect();
        let lost: HashSet<&str> =
            exchanges.iter().filter(|exchange| is_lost(exchange)).filter_map(Exchange::tool).collect();
        let may = |exchange: &Exchange| {
            let role = exchange.place.case.as_ref().and_then(|case| roles.get(case)).copied();
            let tool = exchange.tool().unwrap_or_default();
            let is_apart = exchange.place.case.as_ref().is_some_and(|case| apart.contains(case));
            !lost.contains(tool)
                && !is_apart
                && !invented.contains(tool)
                && self.repeats_harmlessly(tool, role)
                && twin_arguments(exchange).is_some()
        };
        let run_record = &RunRecord::new(&record.cases, exchanges);
        let recorded = RecordedSoFar { head: self.head, run_record, succeeded: None };
        let suspected = suspicions(recorded, &self.assignment.contract, may);
        let calls = suspected.into_iter().take(MOST).filter_map(|index| {
            let exchange = &exchanges[index];
            let place = Place::at(exchange.place.case.as_ref(), Step::Twin, Expected::Anything, None);
            let request = FeatureRequest::of_tool(exchange.tool()?, Some(twin_arguments(exchange)?));
            Some((Place { twin: Some(index), ..place }, request))
        });
        calls.collect()
    }

    /// Whether a call of the tool, with this role in the case, neither changes nor executes anything.
    fn repeats_harmlessly(&self, tool: &str, role: Option<Role>) -> bool {
        if let Some(role) = role {
            return matches!(role, Role::Read | Role::Grep | Role::Glob | Role::TaskOutput);
        }
        // In confinement nothing is sent after it that could be affected by its changes.
        let is_harmless = |tool| self.scope.is_complete(Class::of(tool, &self.assignment.tools));
        self.head.catalog.tool(tool).is_some_and(is_harmless)
    }
}

async fn send_all(calls: Vec<(Place, FeatureRequest)>, pool: &mut ProcessPool) {
    let Ok((mut numbered, _)) = pool.open().await else { return };
    for (place, request) in calls {
        let index = pool.request(&mut numbered, &request, place).await;
        if is_lost(&pool.exchanges[index]) {
            numbered.session.kill().await;
            return;
        }
    }
    pool.running = Some(numbered);
}

fn is_lost(exchange: &Exchange) -> bool {
    matches!(exchange.outcome, Outcome::NoReply { .. } | Outcome::Ended(_))
}
