//! Which refused calls can be repaired from the reply alone, judged by the recorded attempts of a reader. Pure.
//!
//! The main type is [`Mended`]; the measure is described in `ARCHITECTURE.md`.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::condition::{self, ConditionTrait};
use crate::contract::{Contract, ErrorReply, Recourse, read};
use crate::exchange::{Exchange, Outcome, Step};
use crate::expectation::Expected;
use crate::placeholder::Collapser;
use crate::signature::signature;
use crate::transcript::{Head, Transcript};
use crate::wording::{excerpt, layer};

use super::follow::has_succeeded;
use crate::pattern;

/// Of the wrong calls whose reply was judged, those that a reader corrects from the message alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Mended {
    /// How many were measured.
    pub of: usize,
    /// How many were corrected in one call.
    pub one: usize,
    /// How many were corrected in two calls.
    pub two: usize,
    /// How many were not corrected: the message says nothing useful, or what it says did not help.
    pub not: usize,
}

/// In how many calls a wrong call is corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MendedIn {
    /// In one call.
    One,
    /// In two calls.
    Two,
    /// Not within two calls.
    Not,
}

/// The results for the wrong calls of a tool that were refused for one reason in the same words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct MendedReply {
    /// Why the calls had to fail, or what was changed in them.
    pub condition: String,
    /// In how many calls they are corrected.
    pub calls: MendedIn,
    /// How many calls.
    pub count: usize,
    /// The message of the first of them.
    pub message: String,
    /// The words that were followed, call by call.
    pub words: Vec<String>,
}

/// Identifies wrong calls that count as one: their tool, condition and the signature of the reply.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepairKey {
    tool: String,
    condition: String,
    signature: String,
}

/// The key under which an exchange is measured.
pub fn repair_key(exchange: &Exchange, condition: &str, contract: &Contract, head: &Head) -> RepairKey {
    let text = read(contract, exchange).map(|error| error.text).unwrap_or_default();
    RepairKey {
        tool: exchange.tool().unwrap_or_default().to_owned(),
        condition: condition.to_owned(),
        signature: signature(&text, exchange, &head.folders),
    }
}

/// Whether an error reply answers a wrong call that its caller can repair, in the tool's own words. Whether a
/// control of the same tool succeeded is checked separately.
pub fn wrong_call(exchange: &Exchange, error: &ErrorReply, contract: &Contract) -> bool {
    let is_call = exchange.place.step == Step::Call && exchange.tool().is_some();
    if !is_call || exchange.environment.cause().is_some() || layer::is_sdk(&error.text) {
        return false;
    }
    match &exchange.place.expected {
        Expected::Failure(failure) => {
            let is_circumstance = condition::has(&failure.condition.0, ConditionTrait::Circumstance);
            failure.is_of_call() && contract.is_repairable(&failure.condition) && !is_circumstance
        }
        // A single change was made to a successful call, but the error's code may say that something else
        // failed.
        Expected::Anything => error.recourse.is_none_or(|recourse| recourse == Recourse::Mend),
        Expected::Telling(_)
        | Expected::Changing
        | Expected::Without(_)
        | Expected::Success { .. }
        | Expected::Undone => false,
    }
}

/// The measured replies by tool, in the order of the run.
pub(super) struct Measured(BTreeMap<String, Vec<MendedReply>>);

impl Measured {
    /// The measurements of a run. `errors` and `succeeded` are those of its exchanges.
    pub(super) fn new(
        transcript: &Transcript,
        contract: &Contract,
        errors: &[Option<ErrorReply>],
        succeeded: &[bool],
    ) -> Self {
        let mut measured = Self(BTreeMap::new());
        let followers = followers(&transcript.exchanges);
        if followers.is_empty() && transcript.exchanges.iter().all(|exchange| exchange.guidance.is_none()) {
            return measured;
        }
        let conditions: HashMap<_, _> =
            transcript.cases.iter().filter_map(|case| Some((&case.id, case.condition.as_deref()?))).collect();
        let collapser = Collapser::new(&transcript.head.folders);
        let mut known: HashMap<RepairKey, (MendedIn, Vec<String>)> = HashMap::new();
        let mut counted: Vec<(RepairKey, String)> = Vec::new();
        for exchange in &transcript.exchanges {
            let Some(error) = errors[exchange.index].as_ref() else { continue };
            let control = exchange.place.control.filter(|index| succeeded[*index]);
            let is_fair = control.is_some_and(|index| transcript.exchanges[index].tool() == exchange.tool());
            let condition = exchange.place.case.as_ref().and_then(|case| conditions.get(case));
            let Some(condition) = condition.filter(|_| is_fair && wrong_call(exchange, error, contract))
            else {
                continue;
            };
            let key = repair_key(exchange, condition, contract, &transcript.head);
            let trace = Trace { exchanges: &transcript.exchanges, followers: &followers, contract };
            if !known.contains_key(&key)
                && let Some(found) = trace.from(exchange)
            {
                known.insert(key.clone(), found);
            }
            counted.push((key, collapser.text(&excerpt(error.message()))));
        }
        let mut places: HashMap<RepairKey, usize> = HashMap::new();
        for (key, message) in counted {
            let Some((calls, words)) = known.get(&key) else { continue };
            let replies = measured.0.entry(key.tool.clone()).or_default();
            let at = *places.entry(key.clone()).or_insert(replies.len());
            if at == replies.len() {
                let words = words.iter().map(|words| collapser.text(words)).collect();
                replies.push(MendedReply {
                    condition: key.condition,
                    calls: *calls,
                    count: 0,
                    message,
                    words,
                });
            }
            replies[at].count += 1;
        }
        measured
    }

    /// The measured replies of a tool.
    pub(super) fn of_tool(&self, tool: &str) -> &[MendedReply] {
        self.0.get(tool).map_or(&[], Vec::as_slice)
    }

    /// The figures of all tools.
    pub(super) fn total(&self) -> Mended {
        figures(self.0.values().flatten())
    }
}

/// The figures of these replies.
pub(super) fn figures<'r>(replies: impl IntoIterator<Item = &'r MendedReply>) -> Mended {
    let mut mended = Mended::default();
    for reply in replies {
        mended.of += reply.count;
        *match reply.calls {
            MendedIn::One => &mut mended.one,
            MendedIn::Two => &mut mended.two,
            MendedIn::Not => &mut mended.not,
        } += reply.count;
    }
    mended
}

/// For each exchange, the index of the call that its reply led to.
fn followers(exchanges: &[Exchange]) -> HashMap<usize, usize> {
    let next = exchanges.iter().filter(|exchange| exchange.place.step == Step::Mend);
    next.filter_map(|exchange| Some((exchange.place.follows?, exchange.index))).collect()
}

/// The calls that replies led to.
struct Trace<'a> {
    exchanges: &'a [Exchange],
    followers: &'a HashMap<usize, usize>,
    contract: &'a Contract,
}

impl Trace<'_> {
    /// In how many calls a refused one was repaired, and by which words; `None` if the attempt was not
    /// finished.
    fn from(&self, wrong: &Exchange) -> Option<(MendedIn, Vec<String>)> {
        let mut words: Vec<String> = Vec::new();
        let mut newest = wrong;
        let mut calls = [MendedIn::One, MendedIn::Two].into_iter();
        // A call of a tool that must come first does not count as one of the tool itself.
        while let Some(next) = self.followers.get(&newest.index).map(|index| &self.exchanges[*index]) {
            let is_lost = matches!(next.outcome, Outcome::NoReply { .. } | Outcome::Ended(_));
            if is_lost || next.environment.cause().is_some() {
                return None;
            }
            words.extend(next.place.words.clone());
            words.dedup();
            let has_value = |text: &str| !pattern!("state/no-value").is_match(text);
            let has_succeeded =
                has_succeeded(next, self.contract) && next.outcome.words().into_iter().all(has_value);
            match (next.tool() == wrong.tool(), has_succeeded) {
                (true, true) => return Some((calls.next()?, words)),
                (true, false) => {
                    calls.next()?;
                }
                (false, true) => {}
                (false, false) => return Some((MendedIn::Not, words)),
            }
            newest = next;
        }
        let is_read = newest.guidance.is_some() || calls.next().is_none();
        is_read.then_some((MendedIn::Not, words))
    }
}
