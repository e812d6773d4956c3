//! What a session sends after its cases and probes, each in processes of its own: twins, requests for what a
//! server offers besides tools, starts without a variable of the environment, and malformed lines.
//!
//! The main type is [`AfterCases`].

use std::collections::HashSet;

use tokio::sync::watch;

use crate::catalog::Tool;
use crate::class::{Class, is_skipped};
use crate::condition::CaseId;
use crate::event::Event;
use crate::exchange::Exchange;
use crate::plan::{FeatureGroup, PlannedCase, ProbeScope, SessionPlan, SettledCases};
use crate::server::RunFolders;
use crate::transcript::{DrivenCase, Head};

use super::features::{FeatureDriver, MOST};
use super::options::Robustness;
use super::pool::ProcessPool;
use super::restarted_process::RestartedProcess;
use super::service::ServerEnvironment;
use super::session_part::{SessionPart, tell_driven};
use super::session_trials::SessionTrials;
use super::twins::drive_twins;
use super::{Assignment, malformed, until};

/// The session after which this is sent.
#[derive(Clone, Copy)]
pub(super) struct AfterCases<'a> {
    pub(super) assignment: &'a Assignment,
    pub(super) run_folders: &'a RunFolders,
    pub(super) behind: &'a ServerEnvironment,
    pub(super) part: SessionPart<'a>,
    pub(super) scope: ProbeScope<'a>,
    pub(super) robustness: Robustness,
    pub(super) head: &'a Head,
}

/// The results of the session so far.
pub(super) struct SessionRecord<'r> {
    pub(super) cases: Vec<DrivenCase>,
    /// All exchanges, and how to start further processes.
    pub(super) pool: ProcessPool,
    pub(super) interrupted: bool,
    pub(super) interrupt: &'r mut watch::Receiver<bool>,
    /// Is told the outcome of each case.
    pub(super) tell: &'r mut dyn FnMut(Event),
}

/// What has no twins, because it would be answered differently when sent again.
pub(super) struct Untwinned {
    /// Cases in which the service behind the server failed, or that are about a thing that already existed or
    /// no longer did.
    pub(super) cases: Vec<DrivenCase>,
    /// Tools that succeed only with made-up answers of the service behind the server.
    pub(super) tools: HashSet<String>,
}

impl AfterCases<'_> {
    /// Sends the twins of suspicious calls, and adds the cases without twins to the session's.
    pub(super) async fn drive_twins(
        &self,
        cases: &[PlannedCase],
        untwinned: Untwinned,
        record: &mut SessionRecord<'_>,
    ) {
        let apart: HashSet<CaseId> = untwinned.cases.iter().map(|case| case.id.clone()).collect();
        record.cases.extend(untwinned.cases);
        if record.interrupted {
            return;
        }
        let calls = self.twins(cases, (&apart, &untwinned.tools), record);
        let work = async |pool: &mut ProcessPool| {
            drive_twins(calls, pool).await;
            Vec::new()
        };
        record.add(work).await;
    }

    /// Sends all else.
    pub(super) async fn drive(&self, record: &mut SessionRecord<'_>) {
        let Self { assignment, run_folders, behind, part, robustness, head, .. } = *self;
        let nothing = SettledCases::default();
        match part {
            SessionPart::First => {
                let features = FeatureDriver {
                    contract: &assignment.contract,
                    folders: &behind.folders,
                    run_folders,
                    choice: &assignment.probes,
                    most: MOST,
                    until: None,
                    lifecycle: head.lifecycle,
                    more: FeatureGroup::of_optional_arguments(&head.catalog.tools, &assignment.tools),
                    trials: Some(self.trials(&nothing, &record.pool.exchanges)),
                };
                record.add(async |pool| features.drive(pool).await).await;
            }
            SessionPart::Second { settled, .. } => {
                let trials = self.trials(settled, &record.pool.exchanges);
                let work = async |pool: &mut ProcessPool| {
                    Box::pin(trials.drive(&mut RestartedProcess::new(pool))).await
                };
                record.add(work).await;
            }
        }
        if !record.interrupted {
            record.pool.renew().await;
        }
        let may_unset = matches!(part, SessionPart::First) && assignment.server.streams.is_none();
        if may_unset && !assignment.unset.is_empty() {
            record.add(async |pool| self.drive_unset(pool).await).await;
        }
        if robustness == Robustness::Tried {
            record.add(malformed::drive_malformed).await;
        }
    }

    /// The calls of the session, to be sent again where other calls may get in their way. Tools that only read are called,
    /// and in confinement those about which nothing is known.
    fn trials<'t>(&'t self, settled: &'t SettledCases, exchanges: &[Exchange]) -> SessionTrials<'t> {
        let may = |tool: &Tool| {
            let class = Class::of(tool, &self.assignment.tools);
            let is_harmless = matches!(class, Class::Read | Class::Unknown) && self.scope.is_complete(class);
            is_harmless && !is_skipped(&tool.name, &self.assignment.tools)
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

impl SessionRecord<'_> {
    /// Does this work unless the run was interrupted, and adds its cases. Nothing is kept of what is interrupted.
    async fn add(&mut self, work: impl AsyncFnOnce(&mut ProcessPool) -> Vec<DrivenCase>) {
        if self.interrupted {
            return;
        }
        let known = self.pool.exchanges.len();
        match until(self.interrupt, work(&mut self.pool)).await {
            Some(cases) => {
                tell_driven(&cases, self.tell);
                self.cases.extend(cases);
            }
            None => {
                self.pool.exchanges.truncate(known);
                self.interrupted = true;
            }
        }
    }
}
