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
use crate::plan::{RepeatedCall, sanitized};
use crate::roles::Role;
use crate::signature::signature;
use crate::transcript::{CaseOutcome, DrivenCase};

use super::after_cases::AfterCases;
use super::pool::ProcessPool;

/// At most this many tools are called for each missing variable.
const MOST: usize = 40;

impl AfterCases<'_> {
    /// Leaves out each variable in turn; returns a case for each start and for each tool that needs one. The process of the
    /// pool has all variables, and is started when it is first needed.
    pub(super) async fn drive_unset(&self, pool: &mut ProcessPool) -> Vec<DrivenCase> {
        let calls = self.known_calls(&pool.exchanges);
        let mut cases = Vec::new();
        for name in &self.assignment.unset {
            cases.extend(self.leave_out(pool, &calls, name).await);
        }
        pool.renew().await;
        cases
    }

    /// The case of the start, and after it those of the tools that miss the variable.
    async fn leave_out(
        &self,
        pool: &mut ProcessPool,
        calls: &[(usize, RepeatedCall)],
        name: &str,
    ) -> Vec<DrivenCase> {
        let id = |part: &str| CaseId(format!("unset/{}/{part}", sanitized(name)));
        let of_tool = |tool: &str| Some(id(&sanitized(tool))).filter(|id| self.assignment.probes.selects(id));
        let start = id("start");
        let mut tools = self.head.catalog.tools.iter();
        if !self.assignment.probes.selects(&start) && !tools.any(|tool| of_tool(&tool.name).is_some()) {
            return Vec::new();
        }
        let place = |case: &CaseId, control| {
            Place::at(Some(case), Step::Call, Expected::Without(name.to_owned()), control)
        };
        let title = format!("the server starts without the environment variable `{name}`");
        let mut lacking = match pool.open_without(name, place(&start, None)).await {
            Ok(numbered) => Some(numbered),
            Err(outcome) => return vec![DrivenCase::probe(start, &title, outcome)],
        };
        let needless = Place::at(Some(&start), Step::Prepare, Expected::Anything, None);
        let (mut called, mut missed) = (0_usize, Vec::new());
        for (control, call) in calls {
            let Some(case) = of_tool(&call.tool) else { continue };
            let Some(numbered) = lacking.take() else { break };
            let (index, kept) = pool.exchange(numbered, &call.request(), place(&case, Some(*control))).await;
            lacking = kept;
            called += 1;
            // A tool that needs no such variable has no case: its call is a step in that of the start. Nor has a call that is
            // refused in the same words with the variable: it is wrong itself.
            let is_needless = match has_succeeded(&pool.exchanges[index], &self.assignment.contract) {
                true => Ok(true),
                false => self.is_refused_alike(pool, call, &case, index).await,
            };
            if is_needless == Ok(true) {
                let sent = pool.exchanges[index..].iter_mut().filter(|exchange| exchange.tool().is_some());
                sent.for_each(|exchange| exchange.place = needless.clone());
                continue;
            }
            let outcome = is_needless.map_or_else(CaseOutcome::Errored, |_| CaseOutcome::Driven);
            let title = format!("`{}` is called without the environment variable `{name}`", call.tool);
            let tools = vec![call.tool.clone()];
            missed.push(DrivenCase { tools, ..DrivenCase::probe(case, &title, outcome) });
        }
        if let Some(numbered) = lacking {
            pool.close(numbered).await;
        }
        let starts = format!("the server starts without `{name}`, and no");
        let outcome = match (called, missed.len()) {
            (_, 1..) => CaseOutcome::Driven,
            (0, 0) => CaseOutcome::PreconditionFailed(format!(
                "{starts} call is known that would show which tool needs it"
            )),
            (_, 0) => {
                CaseOutcome::PreconditionFailed(format!("{starts} tool that was called ({called}) misses it"))
            }
        };
        missed.insert(0, DrivenCase::probe(start, &title, outcome));
        missed
    }

    /// Sends the call to a server that has the variable. Only if the answer differs does it show what is missing.
    async fn is_refused_alike(
        &self,
        pool: &mut ProcessPool,
        call: &RepeatedCall,
        case: &CaseId,
        without: usize,
    ) -> Result<bool, String> {
        let numbered = pool.take().await?;
        let at = Place::at(Some(case), Step::Control, Expected::Anything, None);
        let (with, kept) = pool.exchange(numbered, &call.request(), at).await;
        pool.running = kept;
        Ok(self.says(&pool.exchanges[with]) == self.says(&pool.exchanges[without]))
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

    /// For each tool that changes nothing, its last call that succeeded, or a complete one that was refused; each with its
    /// exchange.
    fn known_calls(&self, earlier: &[Exchange]) -> Vec<(usize, RepeatedCall)> {
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
            Some((known.index, RepeatedCall::of(known)?))
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
