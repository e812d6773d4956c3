//! Failed calls whose reply looks suspicious, sent again with another wrong value.
//!
//! The main type is [`TwinDriver`]. The judge decides which replies are suspicious; this module decides which
//! tools may be called again and how often. Twins are sent in another process after the cases and probes, so that
//! the report is the same for any `--jobs`.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::class::{Class, ToolSetting};
use crate::condition::CaseId;
use crate::contract::Contract;
use crate::exchange::{Exchange, Outcome, Place, Step};
use crate::expectation::Expected;
use crate::judge::{RecordedSoFar, suspicions};
use crate::plan::{FeatureRequest, PlannedCase, ProbeScope, twin_arguments};
use crate::roles::Role;
use crate::rules::RunRecord;
use crate::transcript::{DrivenCase, Head};

use super::pool::ProcessPool;

/// At most this many twins are sent in a run.
const MOST: usize = 60;

/// What is known when twins are chosen.
pub(super) struct TwinDriver<'a> {
    pub(super) head: &'a Head,
    pub(super) contract: &'a Contract,
    pub(super) settings: &'a BTreeMap<String, ToolSetting>,
    pub(super) scope: ProbeScope<'a>,
    pub(super) cases: &'a [PlannedCase],
    pub(super) driven: &'a [DrivenCase],
    pub(super) exchanges: &'a [Exchange],
    /// Cases in which the service behind the server failed, or that are about a thing that already existed or
    /// no longer did. They have no twins, because they would be answered differently.
    pub(super) apart: &'a HashSet<CaseId>,
    /// Tools that succeed only with made-up answers of the service behind the server. They have no twins,
    /// because they would be answered differently.
    pub(super) invented: &'a HashSet<String>,
}

impl TwinDriver<'_> {
    /// What is sent, and where it belongs.
    pub(super) fn calls(&self) -> Vec<(Place, FeatureRequest)> {
        let roles: HashMap<&CaseId, Role> =
            self.cases.iter().map(|planned| (&planned.case.id, planned.case.script.call.role)).collect();
        let lost: HashSet<&str> =
            self.exchanges.iter().filter(|exchange| is_lost(exchange)).filter_map(Exchange::tool).collect();
        let may = |exchange: &Exchange| {
            let role = exchange.place.case.as_ref().and_then(|case| roles.get(case)).copied();
            let tool = exchange.tool().unwrap_or_default();
            let is_apart = exchange.place.case.as_ref().is_some_and(|case| self.apart.contains(case));
            !lost.contains(tool)
                && !is_apart
                && !self.invented.contains(tool)
                && self.changes_nothing(tool, role)
                && twin_arguments(exchange).is_some()
        };
        let run_record = &RunRecord::new(self.driven, self.exchanges);
        let recorded = RecordedSoFar { head: self.head, run_record, succeeded: None };
        let suspected = suspicions(recorded, self.contract, may);
        let calls = suspected.into_iter().take(MOST).filter_map(|index| {
            let exchange = &self.exchanges[index];
            let place = Place::at(exchange.place.case.as_ref(), Step::Twin, Expected::Anything, None);
            let request = FeatureRequest::of_tool(exchange.tool()?, Some(twin_arguments(exchange)?));
            Some((Place { twin: Some(index), ..place }, request))
        });
        calls.collect()
    }

    /// Whether a call of the tool, with this role in the case, neither changes nor executes anything.
    fn changes_nothing(&self, tool: &str, role: Option<Role>) -> bool {
        if let Some(role) = role {
            return matches!(role, Role::Read | Role::Grep | Role::Glob | Role::TaskOutput);
        }
        let set = self.settings.get(tool).and_then(|setting| setting.class);
        let class = set.or_else(|| self.head.catalog.tool(tool).map(Class::from_tool));
        // In confinement nothing is sent after it that could be affected by its changes.
        class.is_some_and(|class| self.scope.is_complete(class))
    }
}

/// Sends the twins in another process, as long as it answers. It is kept for what comes next: these calls change nothing, or
/// were refused.
pub(super) async fn drive_twins(calls: Vec<(Place, FeatureRequest)>, pool: &mut ProcessPool) {
    if calls.is_empty() {
        return;
    }
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
