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
use crate::exchange::{Call, Exchange, Place, Step};
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trial {
    WithToken,
    InFlight,
    Cancelled,
    AfterRefusal,
}

/// A call that has succeeded alone in the open process, with its exchange there.
#[derive(Clone, Copy)]
struct Proven<'p> {
    call: &'p RepeatedCall,
    control: usize,
}

/// The calls that have succeeded alone in a process.
#[derive(Default)]
struct ProvenCalls<'p> {
    process: Option<usize>,
    calls: Vec<Proven<'p>>,
}

impl Trial {
    const ALL: [Self; 4] = [Self::WithToken, Self::InFlight, Self::Cancelled, Self::AfterRefusal];

    fn id(self) -> CaseId {
        let id = match self {
            Self::WithToken => "session/progress",
            Self::InFlight => "session/in-flight",
            Self::Cancelled => "session/cancelled",
            Self::AfterRefusal => "session/after-refusal",
        };
        CaseId(id.to_owned())
    }

    fn title(self) -> &'static str {
        match self {
            Self::WithToken => "valid calls with a progress token",
            Self::InFlight => "several valid calls in flight at once",
            Self::Cancelled => "valid calls after one that was cancelled while it ran",
            Self::AfterRefusal => "valid calls after calls that were refused",
        }
    }
}

impl SessionTrials<'_> {
    /// Whether there is anything to try.
    pub(super) fn are_wanted(&self) -> bool {
        Trial::ALL.into_iter().any(|trial| self.wants(trial))
    }

    fn wants(&self, trial: Trial) -> bool {
        let id = trial.id();
        let has_calls = match trial {
            Trial::WithToken => !self.plan.with_token.is_empty(),
            Trial::InFlight | Trial::Cancelled => !self.plan.calls.is_empty(),
            Trial::AfterRefusal => !self.plan.refused.is_empty(),
        };
        has_calls && self.choice.selects(&id) && !self.settled.probes.contains(&id)
    }

    /// Tries everything; returns a case for each trial.
    pub(super) async fn drive(&self, process: &mut RestartedProcess<'_>) -> Vec<DrivenCase> {
        let mut cases = Vec::new();
        if !self.are_wanted() {
            return cases;
        }
        process.forget_losses();
        let mut proven = ProvenCalls::default();
        for trial in Trial::ALL.into_iter().filter(|trial| self.wants(*trial)) {
            let outcome = match trial {
                Trial::WithToken => self.with_token(process).await,
                Trial::InFlight => self.in_flight(process, &mut proven).await,
                Trial::Cancelled => self.cancelled(process, &mut proven).await,
                Trial::AfterRefusal => self.after_refusal(process, &mut proven).await,
            };
            cases.push(self.case(trial, outcome));
        }
        cases
    }

    /// Calls of the tools with a progress token, each with one of its own. A call that does not succeed again here says
    /// nothing.
    async fn with_token(&self, process: &mut RestartedProcess<'_>) -> CaseOutcome {
        let case = Trial::WithToken.id();
        let mut is_driven = false;
        for (number, call) in self.plan.with_token.iter().enumerate() {
            let mut meta = match self.lifecycle {
                Lifecycle::Legacy => json!({}),
                Lifecycle::Modern => meta(),
            };
            meta[PROGRESS_TOKEN] = format!("progress-{number}").into();
            // The modern lifecycle's own `_meta` is left out if the params begin with one.
            let params = json!({"_meta": meta, "name": call.tool, "arguments": call.arguments});
            let request = FeatureRequest { params, ..request(call) };
            let place = Place::at(Some(&case), Step::Call, Expected::Anything, None);
            let Some(index) = process.send(&request, place).await else { break };
            let exchange = &mut process.pool.exchanges[index];
            match has_succeeded(exchange, self.contract) {
                true => is_driven = true,
                false => exchange.place.step = Step::Disturb,
            }
        }
        if is_driven { CaseOutcome::Driven } else { unproven(process) }
    }

    /// Several calls at once, and in another process once more if anything is wrong.
    async fn in_flight<'p>(
        &'p self,
        process: &mut RestartedProcess<'_>,
        proven: &mut ProvenCalls<'p>,
    ) -> CaseOutcome {
        let Some(first) = self.at_once(process, proven).await else { return unproven(process) };
        if !self.any_disturbed(process, &first) {
            return self.outcome(process, &first);
        }
        process.pool.renew().await;
        let second = self.at_once(process, proven).await.unwrap_or_default();
        self.settle(process, &first, &second)
    }

    /// Sends all calls in one write; returns the exchanges, or nothing if no call succeeds alone.
    async fn at_once<'p>(
        &'p self,
        process: &mut RestartedProcess<'_>,
        proven: &mut ProvenCalls<'p>,
    ) -> Option<Vec<usize>> {
        let trial = Trial::InFlight;
        self.prove(process, proven, trial).await;
        let calls = side_by_side(&proven.calls);
        if calls.is_empty() {
            return None;
        }
        let numbered = process.pool.running.take()?;
        let NumberedSession { session, process: number } = numbered;
        let params: Vec<String> = calls.iter().map(|proven| params(proven.call)).collect();
        let (session, answers) = session.call_at_once(&params).await;
        let others = match calls.len() - 1 {
            1 => "another call was".to_owned(),
            others => format!("{others} other calls were"),
        };
        let why = format!("alone it succeeded just before, and now {others} in flight");
        let mut recorded = Vec::new();
        for (position, answer) in answers {
            let Proven { call, control } = calls[position];
            let place = Place::at(
                Some(&trial.id()),
                Step::Call,
                Expected::success(&why, Authority::Alone),
                Some(control),
            );
            recorded.push(process.pool.record(number, place, call_of(call), answer));
        }
        let is_lost = recorded.iter().any(|index| process.pool.exchanges[*index].outcome.is_lost());
        process.keep(NumberedSession { session, process: number }, is_lost).await;
        Some(recorded)
    }

    /// A call that is taken back while it runs, at once, early and half-way, and then `ping` and the same call.
    async fn cancelled<'p>(
        &'p self,
        process: &mut RestartedProcess<'_>,
        proven: &mut ProvenCalls<'p>,
    ) -> CaseOutcome {
        let trial = Trial::Cancelled;
        self.prove(process, proven, trial).await;
        // The longer a call runs, the surer it is that it is still running. Small differences are chance.
        let elapsed = |control: usize| process.pool.exchanges[control].elapsed_ms;
        let by_length = |proven: &&Proven<'_>| Reverse(elapsed(proven.control) / LONGER);
        let Some(slowest) = proven.calls.iter().min_by_key(by_length).copied() else {
            return unproven(process);
        };
        let shortest = process.shortest(&slowest.call.tool, &slowest.call.arguments).max(MOMENT);
        let why = format!(
            "it succeeded before, and then a call of `{}` was cancelled while it ran",
            slowest.call.tool
        );
        let mut after = Vec::new();
        for delay in [Duration::ZERO, shortest / 4, shortest / 2] {
            let Some(numbered) = &mut process.pool.running else { break };
            let (answer, number) =
                (numbered.session.withdraw(&params(slowest.call), delay).await, numbered.process);
            let disturb = Place::at(Some(&trial.id()), Step::Disturb, Expected::Anything, None);
            process.pool.record(number, disturb, call_of(slowest.call), answer);
            let expected = Expected::success(&why, Authority::Alone);
            if self.lifecycle == Lifecycle::Legacy {
                let ping = FeatureRequest { method: "ping", params: json!({}), tool: None };
                process
                    .send(&ping, Place::at(Some(&trial.id()), Step::Prepare, expected.clone(), None))
                    .await;
            }
            if process.pool.running.is_some() {
                let at = Place::at(Some(&trial.id()), Step::Call, expected, Some(slowest.control));
                after.extend(process.send(&request(slowest.call), at).await);
            }
        }
        let (refused, others): (Vec<usize>, Vec<usize>) =
            after.iter().partition(|index| is_refused(&process.pool.exchanges[**index], self.contract));
        match refused.len() {
            // Nothing shows that the cancelled call was the cause.
            1 if !others.is_empty() && self.any_disturbed(process, &refused) => {
                self.settle(process, &refused, &[])
            }
            _ => self.outcome(process, &after),
        }
    }

    /// Calls that were refused before, and then those that succeed. If these are refused, each again in another process, to
    /// find the refused call that is the cause.
    async fn after_refusal<'p>(
        &'p self,
        process: &mut RestartedProcess<'_>,
        proven: &mut ProvenCalls<'p>,
    ) -> CaseOutcome {
        let trial = Trial::AfterRefusal;
        self.prove(process, proven, trial).await;
        if proven.calls.is_empty() {
            return unproven(process);
        }
        for refused in &self.plan.refused {
            self.disturb(process, refused).await;
        }
        let mut first = Vec::new();
        for call in &proven.calls {
            if process.pool.running.is_some() {
                first.extend(self.after(process, *call, self.plan.refused.last()).await);
            }
        }
        let Some(cause) = first.iter().position(|index| self.is_disturbed(process, *index)) else {
            return match first.is_empty() {
                true => {
                    CaseOutcome::PreconditionFailed("the calls that are refused ended the process".to_owned())
                }
                false => self.outcome(process, &first),
            };
        };
        let disturbed = process.pool.exchanges[first[cause]].call.clone();
        process.pool.renew().await;
        self.prove(process, proven, trial).await;
        let is_same = |proven: &&Proven<'_>| {
            Some(&proven.call.tool) == disturbed.tool.as_ref() && proven.call.arguments == disturbed.arguments
        };
        let Some(call) = proven.calls.iter().find(is_same).copied() else {
            return self.settle(process, &first, &[]);
        };
        let mut second = Vec::new();
        for refused in &self.plan.refused {
            self.disturb(process, refused).await;
            if process.pool.running.is_none() {
                break;
            }
            second.extend(self.after(process, call, Some(refused)).await);
            if self.any_disturbed(process, &second) {
                break;
            }
        }
        self.settle(process, &first, &second)
    }

    /// Sends a call that is refused; whether it still is does not matter.
    async fn disturb(&self, process: &mut RestartedProcess<'_>, refused: &RepeatedCall) {
        if process.pool.running.is_some() {
            let place = Place {
                case: refused.case.clone(),
                ..Place::at(Some(&Trial::AfterRefusal.id()), Step::Disturb, Expected::Anything, None)
            };
            process.send(&request(refused), place).await;
        }
    }

    /// Sends a call that succeeded before this one was refused.
    async fn after(
        &self,
        process: &mut RestartedProcess<'_>,
        proven: Proven<'_>,
        refused: Option<&RepeatedCall>,
    ) -> Option<usize> {
        let of = refused.map_or_else(String::new, |refused| format!(", the last one of `{}`", refused.tool));
        let why = format!("it succeeded before in the same process, and then calls were refused{of}");
        let expected = Expected::success(&why, Authority::Before);
        let place = Place::at(Some(&Trial::AfterRefusal.id()), Step::Call, expected, Some(proven.control));
        process.send(&request(proven.call), place).await
    }

    /// Sends each call alone, unless that was done in the open process; keeps those that succeed.
    async fn prove<'p>(
        &'p self,
        process: &mut RestartedProcess<'_>,
        proven: &mut ProvenCalls<'p>,
        trial: Trial,
    ) {
        let open = process.pool.number();
        if open.is_some() && open == proven.process {
            return;
        }
        let was_running = open.is_some();
        let mut calls: Vec<Proven<'p>> = Vec::new();
        for call in &self.plan.calls {
            let place = Place::at(Some(&trial.id()), Step::Control, Expected::Anything, None);
            let Some(control) = process.send(&request(call), place).await else { break };
            let exchange = &mut process.pool.exchanges[control];
            if has_succeeded(exchange, self.contract) {
                calls.push(Proven { call, control });
            } else if !exchange.outcome.is_lost() {
                // It was made up, or what it needs is gone.
                exchange.place.step = Step::Disturb;
            }
        }
        // If a process was lost meanwhile, what was proven in it says nothing about the next one.
        let open = process.pool.number();
        calls.retain(|call| Some(process.pool.exchanges[call.control].process) == open);
        *proven = ProvenCalls { process: open, calls };
        if proven.calls.is_empty() && was_running {
            // What was sent to the process before may be the cause.
            process.pool.renew().await;
            Box::pin(self.prove(process, proven, trial)).await;
        }
    }

    fn is_disturbed(&self, process: &RestartedProcess<'_>, index: usize) -> bool {
        let exchanges = &process.pool.exchanges;
        is_disturbed(&exchanges[index], exchanges, self.contract)
    }

    fn any_disturbed(&self, process: &RestartedProcess<'_>, indices: &[usize]) -> bool {
        indices.iter().any(|index| self.is_disturbed(process, *index))
    }

    /// The outcome of a trial that shows something: what the second one shows again is judged there.
    fn settle(&self, process: &mut RestartedProcess<'_>, first: &[usize], second: &[usize]) -> CaseOutcome {
        let is_shown_again = self.any_disturbed(process, second);
        let shown = first.iter().find(|index| self.is_disturbed(process, **index)).or(first.first());
        let shown = shown.map(|index| in_words(&process.pool.exchanges[*index].outcome));
        for index in first {
            process.pool.exchanges[*index].place.step = Step::Prepare;
        }
        match (is_shown_again, shown) {
            (false, Some(shown)) => {
                CaseOutcome::PreconditionFailed(format!("a second trial did not show it again: {shown}"))
            }
            _ => CaseOutcome::Driven,
        }
    }

    /// The outcome of a trial by its calls: one that was refused for a reason that may be right is not judged.
    fn outcome(&self, process: &RestartedProcess<'_>, calls: &[usize]) -> CaseOutcome {
        let is_open =
            |exchange: &&Exchange| is_refused(exchange, self.contract) && is_excused(exchange, self.contract);
        let open = calls.iter().map(|index| &process.pool.exchanges[*index]).find(is_open);
        match open {
            Some(exchange) => CaseOutcome::PreconditionFailed(format!(
                "the reason for which `{}` refuses a call may be right: {}",
                exchange.tool().unwrap_or_default(),
                in_words(&exchange.outcome)
            )),
            None => CaseOutcome::Driven,
        }
    }

    fn case(&self, trial: Trial, outcome: CaseOutcome) -> DrivenCase {
        let calls = if trial == Trial::WithToken { &self.plan.with_token } else { &self.plan.calls };
        let mut tools: Vec<String> = calls.iter().map(|call| call.tool.clone()).collect();
        tools.dedup();
        DrivenCase { tools, ..DrivenCase::probe(trial.id(), trial.title(), outcome) }
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

/// The outcome of a trial without calls that succeed alone.
fn unproven(process: &RestartedProcess<'_>) -> CaseOutcome {
    let why = match process.pool.running {
        Some(_) => "none of the calls that succeeded in this run succeeds again in another process",
        None => "the calls that succeeded in this run ended the process when they were sent again",
    };
    CaseOutcome::PreconditionFailed(why.to_owned())
}

fn request(call: &RepeatedCall) -> FeatureRequest {
    FeatureRequest::of_tool(&call.tool, Some(call.arguments.clone()))
}

fn params(call: &RepeatedCall) -> String {
    request(call).params.to_string()
}

fn call_of(call: &RepeatedCall) -> Call {
    Call::of("tools/call", Some(&call.tool), call.arguments.clone())
}
