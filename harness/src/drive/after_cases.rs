//! What a session sends after its cases and probes, each in processes of its own: twins, requests for what a
//! server offers besides tools, starts without a variable of the environment, and malformed lines.
//!
//! The main functions are [`drive_twins`], for twins of suspicious calls, and [`drive_beside`], for all else.

use std::collections::HashSet;

use tokio::sync::watch;

use crate::catalog::Tool;
use crate::class::Class;
use crate::event::Event;
use crate::exchange::Exchange;
use crate::plan::{FeatureGroup, PlannedCase, ProbeScope, SessionPlan, SettledCases};
use crate::server::RunFolders;
use crate::transcript::{DrivenCase, Head};

use super::features::{FeatureDriver, MOST, RestartedProcess};
use super::options::Robustness;
use super::pool::ProcessPool;
use super::service::ServerEnvironment;
use super::session_part::{SessionPart, tell_driven};
use super::session_trials::SessionTrials;
use super::twins::TwinDriver;
use super::unset::UnsetDriver;
use super::{Assignment, malformed, until};

/// The session after which the extra requests are sent.
pub(super) struct ExtraSession<'a> {
    pub(super) assignment: &'a Assignment,
    pub(super) run_folders: &'a RunFolders,
    pub(super) behind: &'a ServerEnvironment,
    pub(super) part: SessionPart<'a>,
    pub(super) scope: ProbeScope<'a>,
    pub(super) robustness: Robustness,
    pub(super) head: &'a Head,
}

impl<'a> ExtraSession<'a> {
    /// The calls of the session, to be sent again where other calls may get in their way. Tools that only read are called,
    /// and in confinement those about which nothing is known.
    fn trials<'t>(&'t self, settled: &'t SettledCases, exchanges: &[Exchange]) -> SessionTrials<'t> {
        let may = |tool: &Tool| {
            let setting = self.assignment.tools.get(&tool.name);
            let class = setting.and_then(|setting| setting.class).unwrap_or_else(|| Class::from_tool(tool));
            let is_harmless = matches!(class, Class::Read | Class::Unknown) && self.scope.is_complete(class);
            is_harmless && !setting.is_some_and(|setting| setting.skip)
        };
        let contract = &self.assignment.contract;
        SessionTrials {
            plan: SessionPlan::after(exchanges, contract, &self.head.catalog, may),
            contract,
            lifecycle: self.head.lifecycle,
            choice: &self.assignment.probes,
            settled,
        }
    }
}

/// The results of the session so far.
pub(super) struct SessionRecord {
    pub(super) cases: Vec<DrivenCase>,
    pub(super) exchanges: Vec<Exchange>,
    pub(super) interrupted: bool,
}

/// What has no twins, because it would be answered differently when sent again.
pub(super) struct Untwinned {
    /// Cases in which the service behind the server failed, or that are about a thing that already existed or
    /// no longer did.
    pub(super) cases: Vec<DrivenCase>,
    /// Tools that succeed only with made-up answers of the service behind the server.
    pub(super) tools: HashSet<String>,
}

/// Sends the twins of suspicious calls, and adds their exchanges and the cases without twins to the session's.
pub(super) async fn drive_twins(
    session: &ExtraSession<'_>,
    cases: &[PlannedCase],
    untwinned: Untwinned,
    pool: ProcessPool,
    brought: &mut SessionRecord,
    interrupt: &mut watch::Receiver<bool>,
) {
    let apart = untwinned.cases.iter().map(|case| case.id.clone()).collect();
    brought.cases.extend(untwinned.cases);
    if brought.interrupted {
        return;
    }
    let driver = TwinDriver {
        head: session.head,
        contract: &session.assignment.contract,
        settings: &session.assignment.tools,
        scope: session.scope,
        cases,
        driven: &brought.cases,
        exchanges: &brought.exchanges,
        apart: &apart,
        invented: &untwinned.tools,
    };
    match until(interrupt, driver.drive(pool)).await {
        Some(recorded) => brought.exchanges.extend(recorded),
        None => brought.interrupted = true,
    }
}

/// Sends all of these and adds the results to the session's. `spare` gives a pool that has no process yet.
pub(super) async fn drive_beside(
    session: ExtraSession<'_>,
    spare: impl Fn() -> ProcessPool,
    brought: &mut SessionRecord,
    interrupt: &mut watch::Receiver<bool>,
    tell: &mut dyn FnMut(Event),
) {
    let ExtraSession { assignment, run_folders, behind, part, scope, robustness, head } = &session;
    let (part, scope, robustness) = (*part, *scope, *robustness);
    let nothing = SettledCases::default();
    if matches!(part, SessionPart::First) && !brought.interrupted {
        let bare = FeatureGroup::of_optional_arguments(&head.catalog.tools, &assignment.tools);
        let features = FeatureDriver {
            contract: &assignment.contract,
            folders: &behind.folders,
            run_folders,
            choice: &assignment.probes,
            most: MOST,
            until: None,
            lifecycle: head.lifecycle,
            more: bare,
            trials: Some(session.trials(&nothing, &brought.exchanges)),
        };
        let more = until(interrupt, features.drive_after(spare(), &brought.exchanges)).await;
        brought.add(more, tell);
    }
    if let SessionPart::Second { settled, .. } = part
        && !brought.interrupted
    {
        let trials = session.trials(settled, &brought.exchanges);
        let work = async {
            let mut process = RestartedProcess::new(spare());
            let cases = Box::pin(trials.drive(&mut process)).await;
            (cases, process.finish(&brought.exchanges).await)
        };
        let more = until(interrupt, work).await;
        brought.add(more, tell);
    }
    let may_unset = matches!(part, SessionPart::First) && assignment.server.streams.is_none();
    if may_unset && !assignment.unset.is_empty() && !brought.interrupted {
        let unset = UnsetDriver { assignment, head, scope, earlier: &brought.exchanges };
        let more = until(interrupt, unset.drive(spare())).await;
        brought.add(more, tell);
    }
    if robustness == Robustness::Tried && !brought.interrupted {
        let exchanges = &brought.exchanges;
        let processes = exchanges.iter().map(|exchange| exchange.process + 1).max().unwrap_or_default();
        let malformed = malformed::drive_malformed(spare(), exchanges.len(), processes);
        let more = until(interrupt, malformed).await;
        brought.add(more, tell);
    }
}

impl SessionRecord {
    fn add(&mut self, more: Option<(Vec<DrivenCase>, Vec<Exchange>)>, tell: &mut dyn FnMut(Event)) {
        match more {
            Some((cases, exchanges)) => {
                tell_driven(&cases, tell);
                self.cases.extend(cases);
                self.exchanges.extend(exchanges);
            }
            None => self.interrupted = true,
        }
    }
}
