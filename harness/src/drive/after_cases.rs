//! What a session sends after its cases and probes, each in processes of its own: twins, requests for what a
//! server offers besides tools, starts without a variable of the environment, and malformed lines.
//!
//! The main type is [`AfterCases`].

use tokio::sync::watch;

use crate::catalog::Tool;
use crate::class::{Class, is_skipped};
use crate::event::Event;
use crate::exchange::Exchange;
use crate::plan::{FeatureGroup, ProbeScope, SessionPlan, SettledCases};
use crate::server::RunFolders;
use crate::transcript::{DrivenCase, Head};

use super::features::{FeatureDriver, MOST};
use super::options::Robustness;
use super::pool::ProcessPool;
use super::restarted_process::RestartedProcess;
use super::service::ServerEnvironment;
use super::session_part::{SessionPart, tell_driven};
use super::session_trials::SessionTrials;
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

impl AfterCases<'_> {
    /// Sends all but the twins.
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
    pub(super) async fn add(&mut self, work: impl AsyncFnOnce(&mut ProcessPool) -> Vec<DrivenCase>) {
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
