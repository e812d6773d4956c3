//! Starts the server without one of its environment variables: whether it starts, and what its tools say.
//!
//! The main type is [`UnsetDriver`]. It uses processes of its own after everything else. It only sends calls
//! that were sent in this session before; the reply without the variable counts only if the reply with it
//! differs.

use serde_json::json;

use crate::catalog::Tool;
use crate::class::Class;
use crate::condition::CaseId;
use crate::contract;
use crate::exchange::{Call, Exchange, Place, Step};
use crate::expectation::Expected;
use crate::judge::has_succeeded;
use crate::plan::{ProbeScope, sanitized};
use crate::roles::Role;
use crate::signature::signature;
use crate::transcript::{CaseKind, CaseOutcome, DrivenCase, Head};

use super::Assignment;
use super::pool::{NumberedSession, ProcessPool};

/// At most this many tools are called for each missing variable.
const MOST: usize = 40;

/// What is known when variables are left out.
pub(super) struct UnsetDriver<'a> {
    pub(super) assignment: &'a Assignment,
    pub(super) head: &'a Head,
    pub(super) scope: ProbeScope<'a>,
    /// All exchanges of the run so far.
    pub(super) earlier: &'a [Exchange],
}

/// How a server with the variable answers a call that one without it refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Alike,
    Otherwise,
}

/// What has come of the variables so far.
struct UnsetProgress {
    pool: ProcessPool,
    /// A process that has the variable, started when first needed.
    whole: Option<NumberedSession>,
    /// The case of each start, and after it those of the tools that miss its variable.
    cases: Vec<DrivenCase>,
}

impl UnsetDriver<'_> {
    /// Leaves out each variable in turn; returns a case for each start and for each tool that needs one, and
    /// the exchanges, numbered on from the earlier ones.
    pub(super) async fn drive(&self, pool: ProcessPool) -> (Vec<DrivenCase>, Vec<Exchange>) {
        let first_exchange = self.earlier.len();
        let first_process =
            self.earlier.iter().map(|exchange| exchange.process + 1).max().unwrap_or_default();
        let (known, started) = (pool.exchanges.len(), pool.started());
        let mut progress = UnsetProgress { pool, whole: None, cases: Vec::new() };
        for name in &self.assignment.unset {
            self.leave_out(&mut progress, name).await;
        }
        if let Some(numbered) = progress.whole.take() {
            progress.pool.close(numbered).await;
        }
        let mut exchanges = progress.pool.exchanges.split_off(known);
        for (offset, exchange) in exchanges.iter_mut().enumerate() {
            exchange.index = first_exchange + offset;
            exchange.process = first_process + exchange.process - started;
        }
        (progress.cases, exchanges)
    }

    async fn leave_out(&self, progress: &mut UnsetProgress, name: &str) {
        let id = |part: &str| CaseId(format!("unset/{}/{part}", sanitized(name)));
        let start = id("start");
        let title = format!("the server starts without the environment variable `{name}`");
        if !self.wants(&start)
            && !self.head.catalog.tools.iter().any(|tool| self.wants(&id(&sanitized(&tool.name))))
        {
            return;
        }
        let at_start = place(&start, Step::Call, Expected::Without(name.to_owned()), None);
        // Those of the tools follow it.
        let place_of_start = progress.cases.len();
        let numbered = match progress.pool.open_without(name, at_start).await {
            Ok(numbered) => numbered,
            Err(outcome) => {
                progress.cases.push(driven(&start, &title, None, outcome));
                return;
            }
        };
        let (mut lacking, mut called, mut missed) = (Some(numbered), 0_usize, 0_usize);
        for control in self.controls() {
            let tool = control.tool().unwrap_or_default();
            let case = id(&sanitized(tool));
            if !self.wants(&case) {
                continue;
            }
            let Some(mut numbered) = lacking.take() else { break };
            let expected = Expected::Without(name.to_owned());
            let at = place(&case, Step::Call, expected, Some(control.index));
            let index = send(&mut progress.pool, &mut numbered, control, at).await;
            called += 1;
            match progress.pool.exchanges[index].outcome.is_lost() {
                true => numbered.session.kill().await,
                false => lacking = Some(numbered),
            }
            if has_succeeded(&progress.pool.exchanges[index], &self.assignment.contract) {
                // This tool needs no such variable: its call is no case, but a step in the case of the start.
                progress.pool.exchanges[index].place = place(&start, Step::Prepare, Expected::Anything, None);
                continue;
            }
            let outcome = self.compare(progress, control, &case, index).await;
            if outcome == Ok(Answer::Alike) {
                // With the variable it is refused in the same words: the call itself is wrong, and no case either.
                for exchange in
                    progress.pool.exchanges[index..].iter_mut().filter(|exchange| exchange.tool().is_some())
                {
                    exchange.place = place(&start, Step::Prepare, Expected::Anything, None);
                }
                continue;
            }
            missed += 1;
            let outcome = outcome.map_or_else(CaseOutcome::Errored, |_| CaseOutcome::Driven);
            let title = format!("`{tool}` is called without the environment variable `{name}`");
            progress.cases.push(driven(&case, &title, Some(tool), outcome));
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
        progress.cases.insert(place_of_start, driven(&start, &title, None, outcome));
    }

    /// Sends the call to a server that has the variable. Only if the answer differs does it show what is
    /// missing.
    async fn compare(
        &self,
        progress: &mut UnsetProgress,
        control: &Exchange,
        case: &CaseId,
        index: usize,
    ) -> Result<Answer, String> {
        let mut numbered = match progress.whole.take() {
            Some(numbered) => numbered,
            None => progress.pool.open().await?.0,
        };
        let at = place(case, Step::Control, Expected::Anything, None);
        let whole = send(&mut progress.pool, &mut numbered, control, at).await;
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
    fn controls(&self) -> impl Iterator<Item = &Exchange> {
        let of = |tool: &str| {
            let mut complete = self.earlier.iter().rev().filter(|exchange| {
                exchange.tool() == Some(tool)
                    && exchange.place.step == Step::Control
                    && exchange.environment.is_none()
                    && !exchange.outcome.is_lost()
            });
            let succeeded =
                complete.clone().find(|exchange| has_succeeded(exchange, &self.assignment.contract));
            succeeded.or_else(|| complete.next())
        };
        let tools = self.head.catalog.tools.iter().filter(|tool| self.changes_nothing(tool));
        tools.filter_map(move |tool| of(&tool.name)).take(MOST)
    }

    /// Whether a call of the tool neither changes nor executes anything.
    fn changes_nothing(&self, tool: &Tool) -> bool {
        let asks = [Role::Read, Role::Grep, Role::Glob, Role::Http];
        let plays = self
            .head
            .bindings
            .iter()
            .any(|binding| binding.tool == tool.name && asks.contains(&binding.role));
        let setting = self.assignment.tools.get(&tool.name);
        let class = setting.and_then(|setting| setting.class).unwrap_or_else(|| Class::from_tool(tool));
        (plays || self.scope.is_complete(class)) && !setting.is_some_and(|setting| setting.skip)
    }

    fn wants(&self, id: &CaseId) -> bool {
        self.assignment.probes.filter.as_ref().is_none_or(|filter| filter.is_match(&id.0))
    }
}

/// Repeats a call; returns the index of its exchange.
async fn send(
    pool: &mut ProcessPool,
    numbered: &mut NumberedSession,
    earlier: &Exchange,
    place: Place,
) -> usize {
    let params = json!({"name": earlier.tool(), "arguments": earlier.call.arguments}).to_string();
    let answer = numbered.session.call("tools/call", &params).await;
    let call = Call { line: String::new(), ..earlier.call.clone() };
    pool.record(numbered.process, place, call, answer)
}

fn place(case: &CaseId, step: Step, expected: Expected, control: Option<usize>) -> Place {
    Place { case: Some(case.clone()), step, expected, control, follows: None, twin: None, words: None }
}

fn driven(id: &CaseId, title: &str, tool: Option<&str>, outcome: CaseOutcome) -> DrivenCase {
    DrivenCase {
        id: id.clone(),
        title: title.to_owned(),
        kind: CaseKind::Probe,
        requirements: Vec::new(),
        condition: None,
        tools: tool.into_iter().map(str::to_owned).collect(),
        files: Vec::new(),
        outcome,
    }
}
