//! What was recorded of a run so far, with answers to what rules ask about other exchanges.
//!
//! The main type is [`RunRecord`]. Each index is made on first use, once for all exchanges: a rule that scanned every other
//! exchange itself would make the judge's time grow with the square of the run's length.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::condition::CaseId;
use crate::exchange::{Exchange, LivenessCheck, Outcome};
use crate::expectation::{Expected, ExpectedValue};
use crate::transcript::DrivenCase;

/// The cases and exchanges of a run so far.
pub struct RunRecord<'a> {
    /// Every case of the run.
    pub cases: &'a [DrivenCase],
    /// Every exchange of the run so far, by index.
    pub exchanges: &'a [Exchange],
    cases_by_id: OnceLock<Positions>,
    refusals: OnceLock<Positions>,
    late_tools: OnceLock<HashSet<String>>,
    shown: Mutex<BTreeMap<String, bool>>,
}

/// Positions in a list by the hash of a key. Whoever looks one up compares the keys.
type Positions = HashMap<u64, Vec<usize>>;

/// A run of which nothing is recorded.
pub static NOTHING: RunRecord<'static> = RunRecord::new(&[], &[]);

impl<'a> RunRecord<'a> {
    /// A run with these cases and exchanges.
    pub const fn new(cases: &'a [DrivenCase], exchanges: &'a [Exchange]) -> Self {
        Self {
            cases,
            exchanges,
            cases_by_id: OnceLock::new(),
            refusals: OnceLock::new(),
            late_tools: OnceLock::new(),
            shown: Mutex::new(BTreeMap::new()),
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

    /// Whether the tool gave an error of this text to a call in which other parameters than this one are wrong.
    pub(crate) fn is_refusal_of_others(&self, tool: Option<&str>, text: &str, parameter: &str) -> bool {
        let refusals = self.refusals.get_or_init(|| {
            let mut refusals = Positions::new();
            for (position, exchange) in self.exchanges.iter().enumerate() {
                let Some(text) = refusal(exchange) else { continue };
                let wrong = wrong_parameters(exchange);
                let known = refusals.entry(hash_of(&(exchange.tool(), text))).or_default();
                // One of each kind is enough, however often a server repeats itself.
                let is_known = |known: &usize| wrong_parameters(&self.exchanges[*known]) == wrong;
                if !wrong.is_empty() && !known.iter().any(is_known) {
                    known.push(position);
                }
            }
            refusals
        });
        let positions = refusals.get(&hash_of(&(tool, text))).into_iter().flatten();
        positions.map(|position| &self.exchanges[*position]).any(|exchange| {
            exchange.tool() == tool
                && refusal(exchange) == Some(text)
                && !wrong_parameters(exchange).contains(&parameter)
        })
    }

    /// Whether a reply of the tool came late.
    pub fn is_late(&self, tool: &str) -> bool {
        let late_tools = self.late_tools.get_or_init(|| {
            let is_late = |exchange: &&Exchange| {
                matches!(exchange.outcome, Outcome::NoReply { liveness: LivenessCheck::Late { .. }, .. })
            };
            let late = self.exchanges.iter().filter(is_late);
            late.filter_map(|exchange| exchange.tool().map(str::to_owned)).collect()
        });
        late_tools.contains(tool)
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

/// The text of an error reply.
fn refusal(exchange: &Exchange) -> Option<&str> {
    match &exchange.outcome {
        Outcome::Error(error) => Some(&error.message),
        outcome if outcome.is_tool_error() => outcome.texts().first().copied(),
        _ => None,
    }
}

/// The parameters that are wrong in a call that must fail.
fn wrong_parameters(exchange: &Exchange) -> Vec<&str> {
    match &exchange.place.expected {
        Expected::Failure(failure) => {
            failure.value.as_ref().map(ExpectedValue::parameters).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

fn hash_of<T: Hash + ?Sized>(key: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}
