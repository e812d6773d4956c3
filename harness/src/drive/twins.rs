//! Failed calls whose reply looks suspicious, sent again with another wrong value.
//!
//! The main type is [`TwinDriver`]. The judge decides which replies are suspicious; this module decides which
//! tools may be called again and how often. Twins are sent in a process of their own after everything else, so
//! that the report is the same for any `--jobs`.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::class::{Class, ToolSetting};
use crate::condition::CaseId;
use crate::contract::Contract;
use crate::exchange::{Call, Exchange, Outcome, Place, Step};
use crate::expectation::Expected;
use crate::judge::{RecordedSoFar, suspicions};
use crate::plan::{PlannedCase, ProbeScope, twin_arguments};
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
    /// Sends the twins; returns their exchanges, numbered on from the existing ones.
    pub(super) async fn drive(&self, mut pool: ProcessPool) -> Vec<Exchange> {
        let calls = self.calls();
        if calls.is_empty() {
            return Vec::new();
        }
        let (known, started) = (pool.exchanges.len(), pool.started());
        let Ok((mut numbered, _)) = pool.open().await else { return Vec::new() };
        let mut lives = true;
        for (place, call, params) in calls {
            let answer = numbered.session.call("tools/call", &params).await;
            lives = !matches!(answer.outcome, Outcome::NoReply { .. } | Outcome::Ended(_));
            pool.record(numbered.process, place, call, answer);
            if !lives {
                break;
            }
        }
        match lives {
            true => pool.close(numbered).await,
            false => numbered.session.kill().await,
        }
        let processes = self.exchanges.iter().map(|exchange| exchange.process + 1).max().unwrap_or_default();
        let mut exchanges = pool.exchanges.split_off(known);
        for (offset, exchange) in exchanges.iter_mut().enumerate() {
            exchange.index = self.exchanges.len() + offset;
            exchange.process = processes + exchange.process - started;
        }
        exchanges
    }

    /// What is sent: the place, the call, and its parameters as JSON.
    fn calls(&self) -> Vec<(Place, Call, String)> {
        let roles: HashMap<&CaseId, Role> =
            self.cases.iter().map(|planned| (&planned.case.id, planned.case.script.call.role)).collect();
        let is_lost =
            |exchange: &&Exchange| matches!(exchange.outcome, Outcome::NoReply { .. } | Outcome::Ended(_));
        let lost: HashSet<&str> = self.exchanges.iter().filter(is_lost).filter_map(Exchange::tool).collect();
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
            let arguments = twin_arguments(exchange)?;
            let params = serde_json::json!({"name": exchange.tool()?, "arguments": arguments}).to_string();
            let place = Place {
                case: exchange.place.case.clone(),
                step: Step::Twin,
                expected: Expected::Anything,
                control: None,
                follows: None,
                twin: Some(index),
                words: None,
            };
            let call = Call { arguments, line: String::new(), ..exchange.call.clone() };
            Some((place, call, params))
        });
        calls.collect()
    }

    /// Whether a call of the tool, with this role in the case, neither changes nor executes anything.
    fn changes_nothing(&self, tool: &str, role: Option<Role>) -> bool {
        if let Some(role) = role {
            return matches!(role, Role::Read | Role::Grep | Role::Glob | Role::TaskOutput);
        }
        let set = self.settings.get(tool).and_then(|setting| setting.class);
        let class = set.or_else(|| Some(Class::from_tool(self.head.catalog.tool(tool)?)));
        // In confinement nothing is sent after it that could be affected by its changes.
        class.is_some_and(|class| self.scope.is_complete(class))
    }
}
