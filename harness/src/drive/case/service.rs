//! Tools that use the HTTP service behind the server: their successful call, sent again while the service
//! fails.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::exchange::{EnvironmentEffect, Exchange, Outcome, Step};
use crate::expectation::Expected;
use crate::json::texts;
use crate::pattern;
use crate::pattern::Pattern;
use crate::plan::{PlannedCall, PlannedProbe, ProbedTool};
use crate::server::{MadeUp, MemberKind, StandIn, Upstream};
use crate::suite::{RetryAfter, StubResponse};
use crate::transcript::CaseOutcome;
use crate::wording::mention::stands_in;

use super::super::pool::in_words;
use super::probe_control::{Found, ProbeControl};
use super::{Abort, Driver, Position};

/// In milliseconds: a longer call while the service fails shows that the server waits and retries. Each further
/// call would take as long.
const LONG: u64 = 4_000;
/// At most this many made-up answers are tried for a tool, each changed by what the tool said of the one before.
const ANSWERS: usize = 12;

/// What is known about the use that tools make of the service.
#[derive(Default)]
pub(super) struct Service {
    /// The tools whose calls sent a request, with the last arguments that did.
    asking: HashMap<String, Value>,
    /// The answers for addresses without a route, for the tools that need them.
    invented: HashMap<String, MadeUp>,
    /// The tools that are too slow while the service fails, for which nothing more is tried.
    slow: HashSet<String>,
    /// The failing answer to the next call, whatever it requests.
    failing: Option<StubResponse>,
    /// What the service answers at present for addresses without a route.
    stand_in: StandIn,
    /// What it answers where nothing else is wanted: made-up data if the server does not start without.
    usual: StandIn,
}

impl Service {
    /// For a server that has started.
    pub(super) fn behind(upstream: Option<&Upstream>) -> Self {
        let usual = upstream.map_or(StandIn::Nothing, Upstream::stand_in);
        Self { stand_in: usual.clone(), usual, ..Self::default() }
    }

    /// Whether the service is made to fail at present.
    pub(super) fn is_failing(&self) -> bool {
        self.failing.is_some()
    }

    /// Whether this tool succeeds only with made-up answers of the service.
    fn invents_for(&self, tool: &str) -> bool {
        self.invented.contains_key(tool) || self.usual != StandIn::Nothing && self.asking.contains_key(tool)
    }

    /// Why a refusal is about a made-up answer, and not about the call: nothing in the call is known to be wrong, and the tool
    /// says that it could not use what it got, without a name or a value of the caller's.
    pub(super) fn unusable(&self, exchange: &Exchange) -> Option<&'static str> {
        /// A shorter name or value may stand in any text.
        const TELLING: usize = 3;
        let is_invented = exchange.tool().is_some_and(|tool| self.invents_for(tool));
        if !is_invented || exchange.place.expected.condition().is_some() {
            return None;
        }
        let arguments = &exchange.call.arguments;
        let names = arguments.as_object().into_iter().flat_map(|own| own.keys().map(String::as_str));
        let callers: Vec<&str> = texts(arguments).chain(names).filter(|text| text.len() >= TELLING).collect();
        let is_of_caller = |text: &str| callers.iter().any(|own| stands_in(text, own));
        // A text in quotation marks may as well be the caller's.
        let is_clear = |(_, kind): &(_, Option<MemberKind>)| kind.is_some();
        let mut clear: Vec<&Pattern> =
            complaints().into_iter().filter(is_clear).map(|(pattern, _)| pattern).collect();
        clear.push(pattern!("answer/undefined"));
        let complains =
            |text: &str| clear.iter().any(|pattern| pattern.is_match(text)) && !is_of_caller(text);
        exchange.outcome.words().into_iter().any(complains).then_some(SIMULATED)
    }
}

/// What the service answers in a campaign for addresses without a route.
pub(crate) fn made_up() -> StandIn {
    StandIn::MadeUp(MadeUp::default())
}

/// Why a reply says nothing of the tool that could not use a made-up answer.
const SIMULATED: &str = "it called the upstream service, which is simulated";

/// What a refusal says of an answer that the tool could not use: the patterns, each with the kind that a part of it must have.
fn complaints() -> [(&'static Pattern, Option<MemberKind>); 6] {
    [
        (pattern!("answer/wants-list"), Some(MemberKind::List)),
        (pattern!("answer/wants-object"), Some(MemberKind::Object)),
        (pattern!("answer/wants-text"), Some(MemberKind::Text)),
        (pattern!("answer/wants-number"), Some(MemberKind::Number)),
        (pattern!("answer/wants-date"), Some(MemberKind::Date)),
        (pattern!("answer/lacks"), None),
    ]
}

/// Notes what a refusal says of a made-up answer that the tool could not use; returns whether that is new.
fn learn(made_up: &mut MadeUp, refusal: &str) -> bool {
    if let Some(found) = pattern!("answer/undefined").captures(refusal) {
        return made_up.guess(&found[1]);
    }
    complaints().into_iter().any(|(pattern, kind)| {
        let Some(found) = pattern.captures(refusal) else { return false };
        match (found.iter().skip(1).flatten().next(), kind) {
            // A variable of the program may have the name, and hold the whole answer.
            (Some(name), Some(MemberKind::List)) => {
                made_up.learn(name.as_str(), kind) || made_up.become_list()
            }
            (Some(name), kind) => made_up.learn(name.as_str(), kind),
            (None, Some(kind)) => made_up.correct(kind),
            (None, None) => false,
        }
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
            (None, Some(answer)) => StandIn::MadeUp(answer.clone()),
            (None, None) => self.service.usual.clone(),
        });
    }

    fn set_stand_in(&mut self, wanted: StandIn) {
        let Some(upstream) = self.resources.upstream else { return };
        if wanted != self.service.stand_in {
            upstream.set_stand_in(wanted.clone());
            self.service.stand_in = wanted;
        }
    }

    /// Makes the service answer as usual, for what no tool has an answer of its own for.
    pub(super) fn calm_service(&mut self) {
        if !self.service.is_failing() {
            self.set_stand_in(self.service.usual.clone());
        }
    }

    /// A call that succeeds once the service answers with made-up data, if it asks for something that the
    /// service does not have. What a refusal says of the data changes the next answer.
    pub(super) async fn invented(&mut self, tool: &ProbedTool, tries: &[Value]) -> Found {
        if !self.asks(tool) {
            return Ok(None);
        }
        // What a refusal asked for is in the call that the server took to the service.
        let asked = self.service.asking.get(&tool.name).filter(|asked| !tries.contains(asked));
        let mut tries: Vec<Value> = asked.into_iter().chain(tries).cloned().collect();
        let mut made_up = MadeUp::default();
        let mut tried: Vec<MadeUp> = Vec::new();
        while tried.len() < ANSWERS && !tried.contains(&made_up) {
            tried.push(made_up.clone());
            self.service.invented.insert(tool.name.clone(), made_up.clone());
            let attempts = match self.attempt(tool, tries.clone()).await {
                Ok(attempts) => attempts,
                Err(abort) => {
                    self.service.invented.remove(&tool.name);
                    return Err(abort);
                }
            };
            for index in attempts.refused.iter().chain(&attempts.lost) {
                let exchange = &mut self.pool.exchanges[*index];
                // If the tool cannot use made-up data, that says nothing against it.
                if !matches!(exchange.outcome, Outcome::Ended(_)) {
                    exchange.environment = EnvironmentEffect::Service(SIMULATED.to_owned());
                }
            }
            if attempts.found.is_some() {
                return Ok(attempts.found);
            }
            if attempts.lost.is_some() {
                // Each further attempt would cost a deadline.
                break;
            }
            let mut teaches = |index: &usize| {
                let texts = self.pool.exchanges[*index].outcome.words();
                texts.into_iter().any(|text| learn(&mut made_up, text))
            };
            if let Some(position) = attempts.refused.iter().position(&mut teaches) {
                tries = vec![tries.swap_remove(position)];
            } else if made_up != MadeUp::default() || !made_up.become_list() {
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

    /// Whether this tool succeeds only with made-up answers of the service.
    pub(in crate::drive) fn invents_for(&self, tool: &str) -> bool {
        self.service.invents_for(tool)
    }

    /// Whether this tool succeeds only with answers of the service that it does not give in a campaign.
    pub(in crate::drive) fn needs_another_answer(&self, tool: &str) -> bool {
        self.service.invented.get(tool).is_some_and(|answer| *answer != MadeUp::default())
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
        self.calm_service();
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
            self.pool.exchanges[index].environment = EnvironmentEffect::Service(why.clone());
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
        if let StubResponse::Page(page) | StubResponse::HalfAPage(page) = answer
            && let Some(RetryAfter::DateIn(_)) = page.retry_after
        {
            self.note_date(index, "");
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
