//! Which refused calls a reader who has only the reply can mend, from the exchanges of one who tried: pure.
//!
//! The main type is [`Mended`]; how it is measured stands in `ARCHITECTURE.md`.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::contract::{Contract, ErrorReply, Recourse, read};
use crate::condition::{self, Trait};
use crate::exchange::{Exchange, Outcome, Step};
use crate::expectation::Expected;
use crate::placeholder::Collapser;
use crate::signature::signature;
use crate::transcript::{Head, Transcript};
use crate::wording::{excerpt, layer};

use super::follow::has_succeeded;

/// Of the wrong calls whose reply was judged, those that a reader mends from the message alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Mended {
    /// So many were measured.
    pub of: usize,
    /// Mended in one call.
    pub one: usize,
    /// In two.
    pub two: usize,
    /// Not at all: the message tells nothing, or what it told did not help.
    pub not: usize,
}

/// In how many calls a wrong call is mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MendedIn {
    /// In one.
    One,
    /// In two.
    Two,
    /// Not in two.
    Not,
}

/// What became of the wrong calls of a tool that were refused for one reason in the same words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MendedReply {
    /// Why the calls had to fail, or what was changed in them.
    pub condition: String,
    /// In how many calls they are mended.
    pub calls: MendedIn,
    /// How many calls.
    pub count: usize,
    /// The message of the first of them.
    pub message: String,
    /// The words that were followed, call by call.
    pub words: Vec<String>,
}

/// Wrong calls that are taken for one: their tool, condition and the signature of the reply.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MendKey {
    tool: String,
    condition: String,
    signature: String,
}

/// What an exchange is measured as.
pub(crate) fn mend_key(exchange: &Exchange, condition: &str, contract: &Contract, head: &Head) -> MendKey {
    let text = read(contract, exchange).map(|error| error.text).unwrap_or_default();
    MendKey {
        tool: exchange.tool().unwrap_or_default().to_owned(),
        condition: condition.to_owned(),
        signature: signature(&text, exchange, &head.folders),
    }
}

/// Whether an error reply is one to a wrong call that its caller can mend, in the tool's own words. Whether the control
/// succeeded is asked besides.
pub(crate) fn wrong_call(exchange: &Exchange, error: &ErrorReply, contract: &Contract) -> bool {
    if exchange.place.step != Step::Call || exchange.wall.refused().is_some() || layer::is_sdk(&error.text) {
        return false;
    }
    match &exchange.place.expected {
        Expected::Failure(failure) => {
            let is_circumstance = condition::has(&failure.condition.0, Trait::Circumstance);
            failure.is_of_call() && contract.is_mendable(&failure.condition) && !is_circumstance
        }
        // One change was made to a call that succeeds; a code may say that it is not this which fails.
        Expected::Anything => error.recourse.is_none_or(|recourse| recourse == Recourse::Mend),
        Expected::Telling(_) | Expected::Changing | Expected::Success { .. } => false,
    }
}

/// What was measured, by tool, each tool's replies in the order of the run.
pub(super) struct Measured(BTreeMap<String, Vec<MendedReply>>);

impl Measured {
    /// Of a run. `errors` and `succeeded` are those of its exchanges.
    pub(super) fn of(
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
        let mut known: HashMap<MendKey, (MendedIn, Vec<String>)> = HashMap::new();
        let mut counted: Vec<(MendKey, String)> = Vec::new();
        for exchange in &transcript.exchanges {
            let Some(error) = errors[exchange.index].as_ref() else { continue };
            let is_fair = exchange.place.control.is_some_and(|index| succeeded[index]);
            let condition = exchange.place.case.as_ref().and_then(|case| conditions.get(case));
            let Some(condition) = condition.filter(|_| is_fair && wrong_call(exchange, error, contract)) else {
                continue;
            };
            let key = mend_key(exchange, condition, contract, &transcript.head);
            let trace = Trace { exchanges: &transcript.exchanges, followers: &followers, contract };
            if !known.contains_key(&key)
                && let Some(found) = trace.from(exchange)
            {
                known.insert(key.clone(), found);
            }
            counted.push((key, collapser.text(&excerpt(error.message()))));
        }
        let mut places: HashMap<MendKey, usize> = HashMap::new();
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

    /// What was measured of a tool.
    pub(super) fn of_tool(&self, tool: &str) -> &[MendedReply] {
        self.0.get(tool).map_or(&[], Vec::as_slice)
    }

    /// The figures of all tools.
    pub(super) fn total(&self) -> Mended {
        figures(self.0.values().flatten())
    }
}

/// The figures of some replies.
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

/// The call that each reply led to, by the index of its exchange.
fn followers(exchanges: &[Exchange]) -> HashMap<usize, usize> {
    let next = exchanges.iter().filter(|exchange| exchange.place.step == Step::Mend);
    next.filter_map(|exchange| Some((exchange.place.follows?, exchange.index))).collect()
}

/// The calls to which replies led.
struct Trace<'a> {
    exchanges: &'a [Exchange],
    followers: &'a HashMap<usize, usize>,
    contract: &'a Contract,
}

impl Trace<'_> {
    /// In how many calls a refused one was mended, and by which words; none where that was not tried to the end.
    fn from(&self, wrong: &Exchange) -> Option<(MendedIn, Vec<String>)> {
        let mut words: Vec<String> = Vec::new();
        let mut newest = wrong;
        let mut calls = [MendedIn::One, MendedIn::Two].into_iter();
        // A call of a tool that comes first is none of the tool itself.
        while let Some(next) = self.followers.get(&newest.index).map(|index| &self.exchanges[*index]) {
            let is_lost = matches!(next.outcome, Outcome::NoReply { .. } | Outcome::Ended(_));
            if is_lost || next.wall.refused().is_some() {
                return None;
            }
            words.extend(next.place.words.clone());
            words.dedup();
            let has_succeeded = has_succeeded(next, self.contract);
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
