//! Starts the server without one of its environment variables: whether it starts, and what its tools say.
//!
//! The main function is [`AfterCases::drive_unset`]. It uses processes of its own after everything else. It only sends calls
//! that were sent in this session before; the reply without the variable counts only if the reply with it
//! differs.

use crate::catalog::Tool;
use crate::class::{Class, is_skipped};
use crate::condition::CaseId;
use crate::contract;
use crate::exchange::{Exchange, Place, Step};
use crate::expectation::Expected;
use crate::judge::has_succeeded;
use crate::plan::{FeatureRequest, sanitized};
use crate::roles::Role;
use crate::signature::signature;
use crate::transcript::{CaseOutcome, DrivenCase};

use super::after_cases::AfterCases;
use super::pool::{NumberedSession, ProcessPool};

/// At most this many tools are called for each missing variable.
const MOST: usize = 40;

/// How a server with the variable answers a call that one without it refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Alike,
    Otherwise,
}

/// A call that was sent to a server with all variables.
struct KnownCall {
    /// Its exchange.
    index: usize,
    tool: String,
    request: FeatureRequest,
}

/// What has come of the variables so far.
struct UnsetProgress<'p> {
    pool: &'p mut ProcessPool,
    /// A process that has the variable, started when first needed.
    whole: Option<NumberedSession>,
    /// The case of each start, and after it those of the tools that miss its variable.
    cases: Vec<DrivenCase>,
}

impl AfterCases<'_> {
    /// Leaves out each variable in turn; returns a case for each start and for each tool that needs one.
    pub(super) async fn drive_unset(&self, pool: &mut ProcessPool) -> Vec<DrivenCase> {
        let controls = self.controls(&pool.exchanges);
        let mut progress = UnsetProgress { pool, whole: None, cases: Vec::new() };
        for name in &self.assignment.unset {
            self.leave_out(&mut progress, &controls, name).await;
        }
        if let Some(numbered) = progress.whole.take() {
            progress.pool.close(numbered).await;
        }
        progress.cases
    }

    async fn leave_out(&self, progress: &mut UnsetProgress<'_>, controls: &[KnownCall], name: &str) {
        let id = |part: &str| CaseId(format!("unset/{}/{part}", sanitized(name)));
        let start = id("start");
        let title = format!("the server starts without the environment variable `{name}`");
        if !self.assignment.probes.selects(&start)
            && !self
                .head
                .catalog
                .tools
                .iter()
                .any(|tool| self.assignment.probes.selects(&id(&sanitized(&tool.name))))
        {
            return;
        }
        let without = || Expected::Without(name.to_owned());
        // Those of the tools follow it.
        let place_of_start = progress.cases.len();
        let at_start = Place::at(Some(&start), Step::Call, without(), None);
        let numbered = match progress.pool.open_without(name, at_start).await {
            Ok(numbered) => numbered,
            Err(outcome) => {
                progress.cases.push(DrivenCase::probe(start, &title, outcome));
                return;
            }
        };
        let needless = Place::at(Some(&start), Step::Prepare, Expected::Anything, None);
        let (mut lacking, mut called, mut missed) = (Some(numbered), 0_usize, 0_usize);
        for control in controls {
            let case = id(&sanitized(&control.tool));
            if !self.assignment.probes.selects(&case) {
                continue;
            }
            let Some(mut numbered) = lacking.take() else { break };
            let at = Place::at(Some(&case), Step::Call, without(), Some(control.index));
            let index = progress.pool.request(&mut numbered, &control.request, at).await;
            called += 1;
            match progress.pool.exchanges[index].outcome.is_lost() {
                true => numbered.session.kill().await,
                false => lacking = Some(numbered),
            }
            if has_succeeded(&progress.pool.exchanges[index], &self.assignment.contract) {
                // This tool needs no such variable: its call is no case, but a step in the case of the start.
                progress.pool.exchanges[index].place = needless.clone();
                continue;
            }
            let outcome = self.compare(progress, control, &case, index).await;
            if outcome == Ok(Answer::Alike) {
                // With the variable it is refused in the same words: the call itself is wrong, and no case either.
                for exchange in
                    progress.pool.exchanges[index..].iter_mut().filter(|exchange| exchange.tool().is_some())
                {
                    exchange.place = needless.clone();
                }
                continue;
            }
            missed += 1;
            let outcome = outcome.map_or_else(CaseOutcome::Errored, |_| CaseOutcome::Driven);
            let title = format!("`{}` is called without the environment variable `{name}`", control.tool);
            let tools = vec![control.tool.clone()];
            progress.cases.push(DrivenCase { tools, ..DrivenCase::probe(case, &title, outcome) });
        }
        if let Some(numbered) = lacking {
            progress.pool.close(numbered).await;
        }
        let outcome = match (called, missed) {
            (_, 1..) => CaseOutcome::Driven,
            (0, 0) => CaseOutcome::PreconditionFailed(format!(
                "the server starts without `{name}`, and no call is known that would show which tool needs it"
            )),
            (_, 0) => CaseOutcome::PreconditionFailed(format!(
                "the server starts without `{name}`, and no tool that was called ({called}) misses it"
            )),
        };
        progress.cases.insert(place_of_start, DrivenCase::probe(start, &title, outcome));
    }

    /// Sends the call to a server that has the variable. Only if the answer differs does it show what is
    /// missing.
    async fn compare(
        &self,
        progress: &mut UnsetProgress<'_>,
        control: &KnownCall,
        case: &CaseId,
        index: usize,
    ) -> Result<Answer, String> {
        let mut numbered = match progress.whole.take() {
            Some(numbered) => numbered,
            None => progress.pool.open().await?.0,
        };
        let at = Place::at(Some(case), Step::Control, Expected::Anything, None);
        let whole = progress.pool.request(&mut numbered, &control.request, at).await;
        let (without, with) = (&progress.pool.exchanges[index], &progress.pool.exchanges[whole]);
        let answer = match self.says(with) == self.says(without) {
            true => Answer::Alike,
            false => Answer::Otherwise,
        };
        match with.outcome.is_lost() {
            true => numbered.session.kill().await,
            false => progress.whole = Some(numbered),
        }
        Ok(answer)
    }

    /// What a reply says, with its values masked.
    fn says(&self, exchange: &Exchange) -> Option<String> {
        let contract = &self.assignment.contract;
        if has_succeeded(exchange, contract) {
            return None;
        }
        let text = match contract::read(contract, exchange) {
            Some(error) => error.text,
            None => exchange.outcome.texts().join("\n"),
        };
        Some(signature(&text, exchange, &self.head.folders))
    }

    /// For each tool that changes nothing, its last call that succeeded, or a complete one that was refused.
    fn controls(&self, earlier: &[Exchange]) -> Vec<KnownCall> {
        let of = |tool: &Tool| {
            let mut complete = earlier.iter().rev().filter(|exchange| {
                exchange.tool() == Some(&tool.name)
                    && exchange.place.step == Step::Control
                    && exchange.environment.is_none()
                    && !exchange.outcome.is_lost()
            });
            let succeeded =
                complete.clone().find(|exchange| has_succeeded(exchange, &self.assignment.contract));
            let known = succeeded.or_else(|| complete.next())?;
            let request = FeatureRequest::of_tool(&tool.name, Some(known.call.arguments.clone()));
            Some(KnownCall { index: known.index, tool: tool.name.clone(), request })
        };
        let tools = self.head.catalog.tools.iter().filter(|tool| self.changes_nothing(tool));
        tools.filter_map(of).take(MOST).collect()
    }

    /// Whether a call of the tool neither changes nor executes anything.
    fn changes_nothing(&self, tool: &Tool) -> bool {
        let asks = [Role::Read, Role::Grep, Role::Glob, Role::Http];
        let plays = self
            .head
            .bindings
            .iter()
            .any(|binding| binding.tool == tool.name && asks.contains(&binding.role));
        let settings = &self.assignment.tools;
        (plays || self.scope.is_complete(Class::of(tool, settings))) && !is_skipped(&tool.name, settings)
    }
}
