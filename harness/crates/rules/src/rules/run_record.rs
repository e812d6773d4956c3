//! What was recorded of a run so far, with answers to what rules ask about other exchanges.
//!
//! The main type is [`RunRecord`]. Each index is made on first use, once for all exchanges: a rule that scanned every other
//! exchange itself would make the judge's time grow with the square of the run's length.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::condition::CaseId;
use crate::exchange::{Exchange, LivenessCheck, Outcome, Step};
use crate::expectation::{Expected, ExpectedValue};
use crate::json::texts;
use crate::transcript::DrivenCase;

use super::context::Change;

/// The cases and exchanges of a run so far.
pub struct RunRecord<'a> {
    /// Every case of the run.
    pub cases: &'a [DrivenCase],
    /// Every exchange of the run so far, by index.
    pub exchanges: &'a [Exchange],
    cases_by_id: OnceLock<Positions>,
    refusals: OnceLock<Positions>,
    late_tools: OnceLock<HashSet<String>>,
    unanswered_tools: OnceLock<HashSet<String>>,
    shown: Mutex<BTreeMap<String, bool>>,
    service_refusals: OnceLock<BTreeMap<(String, String), BTreeSet<String>>>,
    effects: OnceLock<BTreeMap<String, BTreeMap<String, Effect>>>,
}

/// What calls show that differ from their control in one parameter alone, whatever the schema says of the value.
#[derive(Default)]
pub(crate) struct Effect {
    /// The calls with the very result of the control.
    pub(crate) none: Vec<usize>,
    /// Whether some call had another result, or was refused.
    pub(crate) is_some: bool,
}

/// Positions in a list by the hash of a key. Whoever looks one up compares the keys.
type Positions = HashMap<u64, Vec<usize>>;

/// A run of which nothing is recorded.
pub(crate) static NOTHING: RunRecord<'static> = RunRecord::new(&[], &[]);

impl<'a> RunRecord<'a> {
    /// A run with these cases and exchanges.
    pub const fn new(cases: &'a [DrivenCase], exchanges: &'a [Exchange]) -> Self {
        Self {
            cases,
            exchanges,
            cases_by_id: OnceLock::new(),
            refusals: OnceLock::new(),
            late_tools: OnceLock::new(),
            unanswered_tools: OnceLock::new(),
            shown: Mutex::new(BTreeMap::new()),
            service_refusals: OnceLock::new(),
            effects: OnceLock::new(),
        }
    }

    /// The case that an exchange belongs to.
    pub(crate) fn case_of(&self, exchange: &Exchange) -> Option<&'a DrivenCase> {
        let case = exchange.place.case.as_ref()?;
        let by_id = self.cases_by_id.get_or_init(|| {
            let mut by_id = Positions::new();
            for (position, driven) in self.cases.iter().enumerate() {
                by_id.entry(hash_of(&driven.id)).or_default().push(position);
            }
            by_id
        });
        let positions = by_id.get::<u64>(&hash_of::<CaseId>(case)).into_iter().flatten();
        positions.map(|position| &self.cases[*position]).find(|driven| driven.id == *case)
    }

    /// A call of the same tool with a reply of this text, in which other arguments than these are wrong.
    pub(crate) fn refused_alike(
        &self,
        exchange: &Exchange,
        text: &str,
        wrong: &[&str],
    ) -> Option<&'a Exchange> {
        let refusals = self.refusals.get_or_init(|| {
            let mut refusals = Positions::new();
            for (position, exchange) in self.exchanges.iter().enumerate() {
                let Some(text) = told(exchange) else { continue };
                let wrong = self.wrong_in(exchange);
                let known = refusals.entry(hash_of(&(exchange.tool(), text))).or_default();
                // One of each kind is enough, however often a server repeats itself.
                let is_known = |known: &usize| self.wrong_in(&self.exchanges[*known]) == wrong;
                if !wrong.is_empty() && !known.iter().any(is_known) {
                    known.push(position);
                }
            }
            refusals
        });
        let positions = refusals.get(&hash_of(&(exchange.tool(), text))).into_iter().flatten();
        positions.map(|position| &self.exchanges[*position]).find(|other| {
            other.tool() == exchange.tool()
                && told(other) == Some(text)
                && self.wrong_in(other).iter().all(|name| !wrong.contains(name))
        })
    }

    /// The arguments that are wrong in a call: those for which it must fail, or the one in which it differs from a call that
    /// was not refused.
    fn wrong_in(&self, exchange: &'a Exchange) -> Vec<&'a str> {
        match &exchange.place.expected {
            Expected::Failure(failure) => {
                failure.value.as_ref().map(ExpectedValue::parameters).unwrap_or_default()
            }
            Expected::Anything if exchange.place.step == Step::Call => {
                let control = exchange.place.control.and_then(|index| self.exchanges.get(index));
                let control = control.filter(|control| {
                    control.tool() == exchange.tool()
                        && control.outcome.result().is_some()
                        && !control.outcome.is_tool_error()
                });
                let change = control
                    .and_then(|control| Change::between(&control.call.arguments, &exchange.call.arguments));
                change.map(|change| change.names).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// What each parameter of a tool does, as far as calls show.
    pub(crate) fn effects_of(&self, tool: &str) -> Option<&BTreeMap<String, Effect>> {
        let effects = self.effects.get_or_init(|| {
            let mut effects = BTreeMap::<String, BTreeMap<String, Effect>>::new();
            let is_open = |exchange: &&Exchange| matches!(exchange.place.expected, Expected::Anything);
            for exchange in self.exchanges.iter().filter(is_open) {
                let control = exchange.place.control.and_then(|index| self.exchanges.get(index));
                let (Some(tool), Some(control)) = (exchange.tool(), control) else { continue };
                let [name] = self.wrong_in(exchange)[..] else { continue };
                let effect = effects.entry(tool.to_owned()).or_default().entry(name.to_owned()).or_default();
                match exchange.outcome.result() == control.outcome.result() {
                    true => effect.none.push(exchange.index),
                    false => effect.is_some = true,
                }
            }
            effects
        });
        effects.get(tool)
    }

    /// On which answers of the service the tool gave this very reply, apart from what the calls sent.
    pub(crate) fn service_conditions_of(&self, exchange: &Exchange) -> Option<&BTreeSet<String>> {
        let replies = self.service_refusals.get_or_init(|| {
            let mut replies = BTreeMap::<_, BTreeSet<_>>::new();
            for exchange in self.exchanges.iter().filter(|exchange| exchange.place.step == Step::Call) {
                let Expected::Failure(failure) = &exchange.place.expected else { continue };
                if let (Some(tool), true) = (exchange.tool(), is_of_service(&failure.condition.0)) {
                    let key = (tool.to_owned(), without_sent(exchange));
                    replies.entry(key).or_default().insert(failure.condition.0.clone());
                }
            }
            replies
        });
        replies.get(&(exchange.tool()?.to_owned(), without_sent(exchange)))
    }

    /// Whether a reply of the tool came late.
    pub fn is_late(&self, tool: &str) -> bool {
        let is_late = |exchange: &Exchange| {
            matches!(exchange.outcome, Outcome::NoReply { liveness: LivenessCheck::Late { .. }, .. })
        };
        self.late_tools.get_or_init(|| self.tools_with(is_late)).contains(tool)
    }

    /// Whether a control of the tool was not answered either, while the server was alive.
    pub fn is_control_unanswered(&self, tool: &str) -> bool {
        let is_unanswered = |exchange: &Exchange| {
            exchange.place.step == Step::Control
                && matches!(
                    exchange.outcome,
                    Outcome::NoReply { liveness: LivenessCheck::Answers | LivenessCheck::Unasked, .. }
                )
        };
        self.unanswered_tools.get_or_init(|| self.tools_with(is_unanswered)).contains(tool)
    }

    /// The tools with such an exchange.
    fn tools_with(&self, is_one: impl Fn(&Exchange) -> bool) -> HashSet<String> {
        let exchanges = self.exchanges.iter().filter(|exchange| is_one(exchange));
        exchanges.filter_map(|exchange| exchange.tool().map(str::to_owned)).collect()
    }

    /// The same call, sent to a new process after it had ended the server.
    pub fn sent_alone(&self, exchange: &Exchange) -> Option<&'a Exchange> {
        self.exchanges.iter().find(|again| {
            again.place.follows == Some(exchange.index)
                && again.process != exchange.process
                && again.tool() == exchange.tool()
                && again.call.arguments == exchange.call.arguments
        })
    }

    /// Whether a later process answered calls of tools.
    pub fn is_answered_anew(&self, exchange: &Exchange) -> bool {
        let is_answer = |other: &Exchange| {
            other.process > exchange.process && other.tool().is_some() && other.outcome.result().is_some()
        };
        self.exchanges.iter().any(is_answer)
    }

    /// The exchange before this one in the same process.
    pub fn before(&self, exchange: &Exchange) -> Option<&'a Exchange> {
        let end = self.exchanges.partition_point(|other| other.index < exchange.index);
        self.exchanges[..end].iter().rev().find(|other| other.process == exchange.process)
    }

    /// Whether a reply contains these words and is one of those that count; asked of each words once.
    pub fn is_shown(&self, words: &str, counts: impl Fn(&Exchange) -> bool) -> bool {
        let known = || self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(is_shown) = known().get(words) {
            return *is_shown;
        }
        let shows = |exchange: &&Exchange| exchange.outcome.texts().iter().any(|text| text.contains(words));
        let is_shown = self.exchanges.iter().filter(shows).any(counts);
        known().insert(words.to_owned(), is_shown);
        is_shown
    }
}

/// The text of a reply that may be a refusal: of an error, or of a result that is short enough to be one without the flag.
fn told(exchange: &Exchange) -> Option<&str> {
    /// A longer result is none.
    const LONGEST: usize = 1_000;
    let outcome = &exchange.outcome;
    let short = || outcome.texts().first().copied().filter(|text| text.len() <= LONGEST);
    outcome.error_text().or_else(short)
}

/// Whether the condition is an answer of the service behind the server.
pub(crate) fn is_of_service(condition: &str) -> bool {
    condition.starts_with("upstream-") || condition == "rate-limited"
}

/// A reply without the texts that the call sent.
fn without_sent(exchange: &Exchange) -> String {
    /// A shorter text could stand anywhere.
    const TELLING: usize = 4;
    let reply = match &exchange.outcome {
        Outcome::Result(result) => result.to_string(),
        Outcome::Error(error) => format!("{} {}", error.message, error.data.as_ref().unwrap_or_default()),
        _ => String::new(),
    };
    let sent = texts(&exchange.call.arguments).filter(|text| text.len() >= TELLING);
    sent.fold(reply, |reply, text| reply.replace(text, ""))
}

fn hash_of<T: Hash + ?Sized>(key: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}
