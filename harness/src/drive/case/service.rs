//! Tools that use the HTTP service behind the server: their successful call, sent again while the service
//! fails.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::exchange::{EnvironmentEffect, Exchange, Outcome, Step};
use crate::expectation::Expected;
use crate::plan::{PlannedCall, PlannedProbe, ProbedTool};
use crate::server::{StandIn, Upstream};
use crate::suite::{Page, RetryAfter, StubResponse};
use crate::transcript::CaseOutcome;

use super::super::pool::in_words;
use super::probe_control::{Found, ProbeControl};
use super::{Abort, Driver, Position};

/// In milliseconds: a longer call while the service fails shows that the server waits and retries. Each further
/// call would take as long.
const LONG: u64 = 4_000;

/// What is known about the use that tools make of the service.
#[derive(Default)]
pub(super) struct Service {
    /// The tools whose calls sent a request, with the last arguments that did.
    asking: HashMap<String, Value>,
    /// The answer for addresses without a route, for the tools that need one.
    invented: HashMap<String, StubResponse>,
    /// The tools that are too slow while the service fails, for which nothing more is tried.
    slow: HashSet<String>,
    /// The failing answer to the next call, whatever it requests.
    failing: Option<StubResponse>,
    /// What the service answers at present for addresses without a route.
    stand_in: StandIn,
}

impl Service {
    /// Whether the service is made to fail at present.
    pub(super) fn is_failing(&self) -> bool {
        self.failing.is_some()
    }

    /// Whether the service's answers to this tool are made up.
    pub(super) fn is_invented_for(&self, tool: &str) -> bool {
        self.invented.contains_key(tool)
    }

    /// Whether this tool needs other answers than a campaign's.
    pub(super) fn needs_another_answer(&self, tool: &str) -> bool {
        self.invented.get(tool).is_some_and(|answer| *answer != INVENTED[0])
    }
}

/// Made-up data: an object with names that many services use, and a list of such objects.
static INVENTED: LazyLock<[StubResponse; 2]> = LazyLock::new(|| {
    let item = json!({
        "id": 1, "key": "alpha", "name": "alpha", "title": "alpha", "description": "alpha beta", "status": "ok",
        "type": "alpha", "value": 1, "text": "alpha beta", "url": "http://127.0.0.1/alpha", "date": "2024-01-02"
    });
    let mut object = item.clone();
    for name in ["items", "results", "data", "entries", "hits", "records", "list"] {
        object[name] = json!([item]);
    }
    for name in ["total", "count", "page"] {
        object[name] = json!(1);
    }
    [object, json!([item])].map(|body| page(&body))
});

/// What the service answers in a campaign for addresses without a route.
pub(crate) fn made_up() -> StandIn {
    StandIn::Unrouted(INVENTED[0].clone())
}

fn page(body: &Value) -> StubResponse {
    StubResponse::Page(Page {
        status: 200,
        retry_after: None,
        headers: [("Content-Type".to_owned(), "application/json".to_owned())].into(),
        body: body.to_string(),
    })
}

impl Driver<'_> {
    /// How many requests the service has received.
    pub(super) fn asked(&self) -> u64 {
        self.resources.upstream.map_or(0, Upstream::asked)
    }

    /// Records that a call of the tool sent a request to the service, if it did since `asked_before`.
    pub(super) fn note_asking(&mut self, tool: &ProbedTool, arguments: &Value, asked_before: u64) {
        if self.asked() > asked_before {
            self.service.asking.insert(tool.name.clone(), arguments.clone());
        }
    }

    /// Makes the service answer as this call needs it to.
    pub(super) fn set_service(&mut self, call: &PlannedCall) {
        self.set_stand_in(match (&self.service.failing, self.service.invented.get(&call.tool)) {
            (Some(answer), _) => StandIn::Everywhere(answer.clone()),
            (None, Some(answer)) => StandIn::Unrouted(answer.clone()),
            (None, None) => StandIn::Nothing,
        });
    }

    fn set_stand_in(&mut self, wanted: StandIn) {
        let Some(upstream) = self.resources.upstream else { return };
        if wanted != self.service.stand_in {
            upstream.stand_in(wanted.clone());
            self.service.stand_in = wanted;
        }
    }

    /// A call that succeeds once the service answers with made-up data, if it asks for something that the
    /// service does not have.
    pub(super) async fn invented(&mut self, tool: &ProbedTool, tries: &[Value]) -> Found {
        if !self.asks(tool) {
            return Ok(None);
        }
        // What a refusal asked for is in the call that the server took to the service.
        let asked = self.service.asking.get(&tool.name).filter(|asked| !tries.contains(asked));
        let tries: Vec<Value> = asked.into_iter().chain(tries).cloned().collect();
        for answer in INVENTED.iter() {
            self.service.invented.insert(tool.name.clone(), answer.clone());
            let attempts = self.attempt(tool, tries.clone()).await?;
            for index in attempts.refused.into_iter().chain(attempts.lost) {
                // If the tool cannot use made-up data, that says nothing against it.
                if !matches!(self.pool.exchanges[index].outcome, Outcome::Ended(_)) {
                    let why = "it called the upstream service, which is simulated";
                    self.pool.exchanges[index].environment = EnvironmentEffect::Service(why.to_owned());
                }
            }
            if attempts.found.is_some() {
                return Ok(attempts.found);
            }
            if attempts.lost.is_some() {
                // Each further attempt would cost a deadline.
                break;
            }
        }
        self.service.invented.remove(&tool.name);
        Ok(None)
    }

    /// Whether a call of the tool sent a request to the service.
    pub(in crate::drive) fn asks(&self, tool: &ProbedTool) -> bool {
        self.service.asking.contains_key(&tool.name)
    }

    /// Sends a successful call while the service fails; `None` if the tool sends no request to it.
    pub(in crate::drive) async fn fault(
        &mut self,
        tool: &ProbedTool,
        fault: &PlannedProbe<StubResponse>,
    ) -> Option<CaseOutcome> {
        if self.service.slow.contains(&tool.name) {
            let why = format!(
                "`{}` waits a long time, or retries, when the service behind it \
                fails",
                tool.name
            );
            return Some(CaseOutcome::PreconditionFailed(why));
        }
        self.case.clone_from(&fault.id);
        let probe_control = match self.probe_control(tool).await {
            Ok(probe_control) => probe_control,
            Err(abort) => return Some(self.outcome(Err(abort))),
        };
        if !self.asks(tool) {
            return None;
        }
        let driven = self.failing_call(tool, fault, &probe_control).await;
        self.service.failing = None;
        // Requests outside the plan may follow.
        self.set_stand_in(StandIn::Nothing);
        Some(self.outcome(driven))
    }

    async fn failing_call(
        &mut self,
        tool: &ProbedTool,
        fault: &PlannedProbe<StubResponse>,
        probe_control: &ProbeControl,
    ) -> Result<CaseOutcome, Abort> {
        let mut stand = self.stand(tool, probe_control).await?;
        // If no successful call is known, one that reached the service shows more than any other.
        if let (true, Some(asked)) = (stand.is_open(), self.service.asking.get(&tool.name)) {
            stand.base = asked.clone();
        }
        let listed = self.listed_before(tool, &fault.expected).await?;
        let folder = self.resources.run_folders.case_folder(&tool.folder);
        self.untouched_files(tool, &folder)?;
        self.call_firsts(tool).await?;
        let call = self.addressed(&tool.call(stand.base.clone(), fault.expected.clone()));
        let at = Position { control: stand.control, ..Step::Call.into() };
        self.service.failing = Some(fault.change.clone());
        let asked_before = self.asked();
        let index = match self.send(&call, at).await {
            Err(Abort::Lost(index))
                if matches!(self.pool.exchanges[index].outcome, Outcome::NoReply { .. }) =>
            {
                self.service.slow.insert(tool.name.clone());
                self.note_date_of(index, &fault.change);
                if asks_to_wait(&fault.expected) && self.asked() > asked_before {
                    return Ok(self.grounded(tool, &stand, index));
                }
                let why = format!(
                    "`{}` did not answer in time while the service behind it failed: it may be waiting or \
                     retrying",
                    tool.name
                );
                self.pool.exchanges[index].environment = EnvironmentEffect::Service(why.clone());
                return Ok(CaseOutcome::PreconditionFailed(why));
            }
            sent => sent?,
        };
        if self.pool.exchanges[index].elapsed_ms > LONG {
            self.service.slow.insert(tool.name.clone());
        }
        self.note_date_of(index, &fault.change);
        if self.asked() == asked_before {
            let why = format!("`{}` did not call the service behind it this time", tool.name);
            return Ok(CaseOutcome::PreconditionFailed(why));
        }
        self.service.failing = None;
        if stand.is_repeatable() {
            // What goes wrong on the way shows in the exchanges.
            let _ = self.listed_after(tool, index, listed).await;
        }
        if listed.is_none() && !stand.is_open() {
            let _ = self.sent_again(tool, index).await;
        }
        Ok(self.grounded(tool, &stand, index))
    }

    /// Notes the date that the service gave, whenever it was asked.
    fn note_date_of(&mut self, index: usize, answer: &StubResponse) {
        let (StubResponse::Page(page) | StubResponse::HalfAPage(page)) = answer else { return };
        let Some(RetryAfter::DateIn(_)) = page.retry_after else { return };
        let date = self.resources.upstream.and_then(|upstream| upstream.date(""));
        let Expected::Failure(failure) = &mut self.pool.exchanges[index].place.expected else { return };
        if let Some(wait) = failure.recovery.as_mut().and_then(|recovery| recovery.wait.as_mut()) {
            wait.until = date;
        }
    }

    /// The outcome of a probe.
    pub(super) fn outcome(&self, driven: Result<CaseOutcome, Abort>) -> CaseOutcome {
        match driven {
            Ok(outcome) => outcome,
            Err(Abort::PreconditionFailed(reason)) => CaseOutcome::PreconditionFailed(reason),
            Err(Abort::Lost(index)) => lost(&self.pool.exchanges[index]),
            Err(Abort::Harness(cause)) => CaseOutcome::Errored(cause),
        }
    }
}

/// Whether the service says how long to wait, so that the tool need not wait for it to recover.
fn asks_to_wait(expected: &Expected) -> bool {
    let Expected::Failure(failure) = expected else { return false };
    failure.recovery.as_ref().is_some_and(|recovery| recovery.wait.is_some())
}

/// The outcome of a case that lost its process. The finding says more; a single unanswered call is judged.
fn lost(exchange: &Exchange) -> CaseOutcome {
    let words = in_words(&exchange.outcome);
    match (&exchange.outcome, exchange.place.step) {
        (_, Step::Mend) | (Outcome::NoReply { .. }, Step::Call | Step::Follow | Step::Again) => {
            CaseOutcome::Driven
        }
        (Outcome::NoReply { .. }, _) => CaseOutcome::PreconditionFailed(words),
        _ => CaseOutcome::Errored(words),
    }
}
