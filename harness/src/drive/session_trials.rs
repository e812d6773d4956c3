//! Valid calls sent again where other calls may get in their way: several in flight at once, after one that was cancelled
//! while it ran, and after calls that were refused. First of all they are sent with a progress token.
//!
//! The main type is [`SessionTrials`]. What goes wrong is tried once more in another process, and only what shows again
//! there is judged. The process is that of the requests for other features, so that none has to be started.

use std::cmp::Reverse;
use std::time::Duration;

use serde_json::json;

use crate::condition::CaseId;
use crate::contract::Contract;
use crate::exchange::{Exchange, Place, Step};
use crate::expectation::{Authority, Expected};
use crate::judge::has_succeeded;
use crate::plan::{FeatureRequest, ProbeChoice, RepeatedCall, SessionPlan, SettledCases};
use crate::same_call::{is_disturbed, is_excused, is_refused};
use crate::transcript::{CaseOutcome, DrivenCase, Lifecycle};
use crate::wire::{PROGRESS_TOKEN, meta};

use super::pool::{NumberedSession, in_words};
use super::restarted_process::RestartedProcess;

/// Calls differ in length if it is by more milliseconds than this.
const LONGER: u64 = 50;

/// The shortest time that a call is taken to run.
const MOMENT: Duration = Duration::from_millis(2);

/// What is needed to try these calls, except the processes.
pub(super) struct SessionTrials<'a> {
    pub(super) plan: SessionPlan,
    pub(super) contract: &'a Contract,
    pub(super) lifecycle: Lifecycle,
    pub(super) choice: &'a ProbeChoice,
    /// What an earlier session brought to a verdict.
    pub(super) settled: &'a SettledCases,
}

/// What may get in the way of a call.
#[derive(Debug, Clone, Copy)]
enum Trial {
    WithToken,
    InFlight,
    Cancelled,
    AfterRefusal,
}

/// The trials in their order, with the ids and titles of their cases.
const TRIALS: [(Trial, &str, &str); 4] = [
    (Trial::WithToken, "session/progress", "valid calls with a progress token"),
    (Trial::InFlight, "session/in-flight", "several valid calls in flight at once"),
    (Trial::Cancelled, "session/cancelled", "valid calls after one that was cancelled while it ran"),
    (Trial::AfterRefusal, "session/after-refusal", "valid calls after calls that were refused"),
];

/// A call that has succeeded alone in the open process, with its exchange there.
#[derive(Clone, Copy)]
struct Proven<'p> {
    call: &'p RepeatedCall,
    control: usize,
}

/// The trials of one session, with the process that is running.
struct TrialRun<'r, 'p> {
    trials: &'r SessionTrials<'r>,
    process: &'r mut RestartedProcess<'p>,
    /// The calls that have succeeded alone, and the process in which they did.
    proven: Vec<Proven<'r>>,
    proven_in: Option<usize>,
    case: CaseId,
}

impl SessionTrials<'_> {
    /// Tries everything; returns a case for each trial.
    pub(super) async fn drive(&self, process: &mut RestartedProcess<'_>) -> Vec<DrivenCase> {
        let mut wanted = Vec::new();
        for (trial, id, title) in TRIALS {
            let id = CaseId(id.to_owned());
            let (shown, needed) = match trial {
                Trial::WithToken => (&self.plan.with_token, &self.plan.with_token),
                Trial::InFlight | Trial::Cancelled => (&self.plan.calls, &self.plan.calls),
                Trial::AfterRefusal => (&self.plan.calls, &self.plan.refused),
            };
            if !needed.is_empty() && self.choice.selects(&id) && !self.settled.probes.contains(&id) {
                let mut tools: Vec<String> = shown.iter().map(|call| call.tool.clone()).collect();
                tools.dedup();
                let outcome = CaseOutcome::Driven;
                wanted.push((trial, DrivenCase { tools, ..DrivenCase::probe(id, title, outcome) }));
            }
        }
        if wanted.is_empty() {
            return Vec::new();
        }
        process.forget_losses();
        let (proven, proven_in) = (Vec::new(), None);
        let mut run = TrialRun { trials: self, process, proven, proven_in, case: CaseId::default() };
        let mut cases = Vec::new();
        for (trial, case) in wanted {
            run.case.clone_from(&case.id);
            let outcome = match trial {
                Trial::WithToken => run.with_token().await,
                Trial::InFlight => run.in_flight().await,
                Trial::Cancelled => run.cancelled().await,
                Trial::AfterRefusal => run.after_refusal().await,
            };
            cases.push(DrivenCase { outcome, ..case });
        }
        cases
    }
}

impl<'r> TrialRun<'r, '_> {
    /// Calls of the tools with a progress token, each with one of its own. A call that does not succeed again here says
    /// nothing.
    async fn with_token(&mut self) -> CaseOutcome {
        let mut is_driven = false;
        for (number, call) in self.trials.plan.with_token.iter().enumerate() {
            let mut meta = match self.trials.lifecycle {
                Lifecycle::Legacy => json!({}),
                Lifecycle::Modern => meta(),
            };
            meta[PROGRESS_TOKEN] = format!("progress-{number}").into();
            // The modern lifecycle's own `_meta` is left out if the params begin with one.
            let params = json!({"_meta": meta, "name": call.tool, "arguments": call.arguments});
            let request = FeatureRequest { params, ..call.request() };
            let place = self.place(Step::Call, Expected::Anything, None);
            let Some(index) = self.process.send(&request, place).await else { break };
            let exchange = &mut self.process.pool.exchanges[index];
            match has_succeeded(exchange, self.trials.contract) {
                true => is_driven = true,
                false => exchange.place.step = Step::Disturb,
            }
        }
        if is_driven { CaseOutcome::Driven } else { self.unproven() }
    }

    /// Several calls at once, and in another process once more if anything is wrong.
    async fn in_flight(&mut self) -> CaseOutcome {
        let Some(first) = self.at_once().await else { return self.unproven() };
        if !self.any_disturbed(&first) {
            return self.outcome(&first);
        }
        self.process.pool.renew().await;
        let second = self.at_once().await.unwrap_or_default();
        self.settle(&first, &second)
    }

    /// Sends all calls in one write; returns the exchanges, or nothing if no call succeeds alone.
    async fn at_once(&mut self) -> Option<Vec<usize>> {
        self.prove().await;
        let calls = side_by_side(&self.proven);
        if calls.is_empty() {
            return None;
        }
        let NumberedSession { session, process } = self.process.pool.running.take()?;
        let params: Vec<String> =
            calls.iter().map(|proven| proven.call.request().params.to_string()).collect();
        let (session, answers) = session.call_at_once(&params).await;
        let others = match calls.len() - 1 {
            1 => "another call was".to_owned(),
            others => format!("{others} other calls were"),
        };
        let why = format!("alone it succeeded just before, and now {others} in flight");
        let mut recorded = Vec::new();
        for (position, answer) in answers {
            let Proven { call, control } = calls[position];
            let place = self.place(Step::Call, Expected::success(&why, Authority::Alone), Some(control));
            recorded.push(self.process.pool.record(process, place, call.request().as_call(), answer));
        }
        let is_lost = recorded.iter().any(|index| self.exchange(*index).outcome.is_lost());
        self.process.keep(NumberedSession { session, process }, is_lost).await;
        Some(recorded)
    }

    /// A call that is taken back while it runs, at once, early and half-way, and then `ping` and the same call.
    async fn cancelled(&mut self) -> CaseOutcome {
        self.prove().await;
        // The longer a call runs, the surer it is that it is still running. Small differences are chance.
        let elapsed = |control: usize| self.exchange(control).elapsed_ms;
        let by_length = |proven: &&Proven<'_>| Reverse(elapsed(proven.control) / LONGER);
        let Some(slowest) = self.proven.iter().min_by_key(by_length).copied() else {
            return self.unproven();
        };
        let shortest = self.process.shortest(&slowest.call.tool, &slowest.call.arguments).max(MOMENT);
        let why = format!(
            "it succeeded before, and then a call of `{}` was cancelled while it ran",
            slowest.call.tool
        );
        let request = slowest.call.request();
        let mut after = Vec::new();
        for delay in [Duration::ZERO, shortest / 4, shortest / 2] {
            let Some(numbered) = &mut self.process.pool.running else { break };
            let answer = numbered.session.withdraw(&request.params.to_string(), delay).await;
            let process = numbered.process;
            let disturb = self.place(Step::Disturb, Expected::Anything, None);
            self.process.pool.record(process, disturb, request.as_call(), answer);
            let expected = Expected::success(&why, Authority::Alone);
            if self.trials.lifecycle == Lifecycle::Legacy {
                let ping = FeatureRequest { method: "ping", params: json!({}), tool: None };
                let at = self.place(Step::Prepare, expected.clone(), None);
                self.process.send(&ping, at).await;
            }
            if self.process.pool.running.is_some() {
                after.extend(self.send(slowest, expected).await);
            }
        }
        let (refused, others): (Vec<usize>, Vec<usize>) =
            after.iter().partition(|index| is_refused(self.exchange(**index), self.trials.contract));
        match refused.len() {
            // Nothing shows that the cancelled call was the cause.
            1 if !others.is_empty() && self.any_disturbed(&refused) => self.settle(&refused, &[]),
            _ => self.outcome(&after),
        }
    }

    /// Calls that were refused before, and then those that succeed. If these are refused, each again in another process, to
    /// find the refused call that is the cause.
    async fn after_refusal(&mut self) -> CaseOutcome {
        self.prove().await;
        if self.proven.is_empty() {
            return self.unproven();
        }
        for refused in &self.trials.plan.refused {
            self.disturb(refused).await;
        }
        let mut first = Vec::new();
        for call in self.proven.clone() {
            if self.process.pool.running.is_some() {
                first.extend(self.after(call, self.trials.plan.refused.last()).await);
            }
        }
        let Some(cause) = first.iter().position(|index| self.is_disturbed(*index)) else {
            return match first.is_empty() {
                true => {
                    CaseOutcome::PreconditionFailed("the calls that are refused ended the process".to_owned())
                }
                false => self.outcome(&first),
            };
        };
        let disturbed = self.process.pool.exchanges[first[cause]].call.clone();
        self.process.pool.renew().await;
        self.prove().await;
        let is_same = |proven: &&Proven<'_>| {
            Some(&proven.call.tool) == disturbed.tool.as_ref() && proven.call.arguments == disturbed.arguments
        };
        let Some(call) = self.proven.iter().find(is_same).copied() else {
            return self.settle(&first, &[]);
        };
        let mut second = Vec::new();
        for refused in &self.trials.plan.refused {
            self.disturb(refused).await;
            if self.process.pool.running.is_none() {
                break;
            }
            second.extend(self.after(call, Some(refused)).await);
            if self.any_disturbed(&second) {
                break;
            }
        }
        self.settle(&first, &second)
    }

    /// Sends a call that is refused; whether it still is does not matter.
    async fn disturb(&mut self, refused: &RepeatedCall) {
        if self.process.pool.running.is_some() {
            let place = self.place(Step::Disturb, Expected::Anything, None);
            let place = Place { case: refused.case.clone(), ..place };
            self.process.send(&refused.request(), place).await;
        }
    }

    /// Sends a call that succeeded before this one was refused.
    async fn after(&mut self, proven: Proven<'_>, refused: Option<&RepeatedCall>) -> Option<usize> {
        let of = refused.map_or_else(String::new, |refused| format!(", the last one of `{}`", refused.tool));
        let why = format!("it succeeded before in the same process, and then calls were refused{of}");
        self.send(proven, Expected::success(&why, Authority::Before)).await
    }

    /// Sends a call that has succeeded alone.
    async fn send(&mut self, proven: Proven<'_>, expected: Expected) -> Option<usize> {
        let place = self.place(Step::Call, expected, Some(proven.control));
        self.process.send(&proven.call.request(), place).await
    }

    fn exchange(&self, index: usize) -> &Exchange {
        &self.process.pool.exchanges[index]
    }

    fn place(&self, step: Step, expected: Expected, control: Option<usize>) -> Place {
        Place::at(Some(&self.case), step, expected, control)
    }

    /// Sends each call alone, unless that was done in the open process; keeps those that succeed.
    async fn prove(&mut self) {
        let open = self.process.pool.number();
        if open.is_some() && open == self.proven_in {
            return;
        }
        let was_running = open.is_some();
        let mut calls: Vec<Proven<'r>> = Vec::new();
        for call in &self.trials.plan.calls {
            let place = self.place(Step::Control, Expected::Anything, None);
            let Some(control) = self.process.send(&call.request(), place).await else { break };
            let exchange = &mut self.process.pool.exchanges[control];
            if has_succeeded(exchange, self.trials.contract) {
                calls.push(Proven { call, control });
            } else if !exchange.outcome.is_lost() {
                // It was made up, or what it needs is gone.
                exchange.place.step = Step::Disturb;
            }
        }
        // If a process was lost meanwhile, what was proven in it says nothing about the next one.
        let open = self.process.pool.number();
        calls.retain(|call| Some(self.exchange(call.control).process) == open);
        (self.proven_in, self.proven) = (open, calls);
        if self.proven.is_empty() && was_running {
            // What was sent to the process before may be the cause.
            self.process.pool.renew().await;
            Box::pin(self.prove()).await;
        }
    }

    fn is_disturbed(&self, index: usize) -> bool {
        let exchanges = &self.process.pool.exchanges;
        is_disturbed(&exchanges[index], exchanges, self.trials.contract)
    }

    fn any_disturbed(&self, indices: &[usize]) -> bool {
        indices.iter().any(|index| self.is_disturbed(*index))
    }

    /// The outcome of a trial that shows something: what the second one shows again is judged there.
    fn settle(&mut self, first: &[usize], second: &[usize]) -> CaseOutcome {
        let is_shown_again = self.any_disturbed(second);
        let shown = first.iter().find(|index| self.is_disturbed(**index)).or(first.first());
        let shown = shown.map(|index| in_words(&self.exchange(*index).outcome));
        for index in first {
            self.process.pool.exchanges[*index].place.step = Step::Prepare;
        }
        match (is_shown_again, shown) {
            (false, Some(shown)) => {
                CaseOutcome::PreconditionFailed(format!("a second trial did not show it again: {shown}"))
            }
            _ => CaseOutcome::Driven,
        }
    }

    /// The outcome of a trial by its calls: one that was refused for a reason that may be right is not judged.
    fn outcome(&self, calls: &[usize]) -> CaseOutcome {
        let is_open = |exchange: &&Exchange| {
            is_refused(exchange, self.trials.contract) && is_excused(exchange, self.trials.contract)
        };
        let open = calls.iter().map(|index| self.exchange(*index)).find(is_open);
        match open {
            Some(exchange) => CaseOutcome::PreconditionFailed(format!(
                "the reason for which `{}` refuses a call may be right: {}",
                exchange.tool().unwrap_or_default(),
                in_words(&exchange.outcome)
            )),
            None => CaseOutcome::Driven,
        }
    }

    /// The outcome of a trial without calls that succeed alone.
    fn unproven(&self) -> CaseOutcome {
        let why = match self.process.pool.running {
            Some(_) => "none of the calls that succeeded in this run succeeds again in another process",
            None => "the calls that succeeded in this run ended the process when they were sent again",
        };
        CaseOutcome::PreconditionFailed(why.to_owned())
    }
}

/// The calls, two of each tool beside each other: the same one twice if there is no other.
fn side_by_side<'p>(calls: &[Proven<'p>]) -> Vec<Proven<'p>> {
    let times = |call: &Proven<'_>| {
        let of_tool = calls.iter().filter(|other| other.call.tool == call.call.tool);
        if of_tool.count() == 1 { 2 } else { 1 }
    };
    calls.iter().flat_map(|call| std::iter::repeat_n(*call, times(call))).collect()
}
