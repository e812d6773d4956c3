//! The first fault found in a run, reported at once because somebody may be waiting; the full verdict comes at
//! the end.
//!
//! The main type is [`FirstFinding`].

use std::cmp::Reverse;

use crate::condition::CaseId;
use crate::contract::Contract;
use crate::exchange::Step;
use crate::finding::Level;
use crate::placeholder::Collapser;
use crate::rules::{self, Group, Rule, RunRecord, Tier};
use crate::transcript::Chosen;

use super::urgency::at_level;
use super::{RecordedSoFar, context, errors, hits_of, silenced};

/// A fault seen in one reply. It may not be in the final report, because a twin may clear it or a baseline
/// accept it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstFinding {
    /// The id of the rule.
    pub rule: String,
    /// Its level.
    pub level: Level,
    /// The case.
    pub case: Option<CaseId>,
    /// The tool.
    pub tool: Option<String>,
    /// What is wrong.
    pub message: String,
    /// The text of the reply that shows it.
    pub text: Option<String>,
}

/// The most urgent fault in the replies to cases, from the exchange with this index on. Only rules that judge a
/// single reply without a control are applied; Notes are not worth an interruption.
pub fn first_finding(recorded: RecordedSoFar<'_>, contract: &Contract, since: usize) -> Option<FirstFinding> {
    let RecordedSoFar { head, run_record: &RunRecord { exchanges, .. }, .. } = recorded;
    let declared = head.chosen != Chosen::Default;
    // Which contract the server keeps is known only after many replies.
    let is_of_contract = |rule: &Rule| matches!(rule.group(), Group::Code | Group::Envelope);
    let is_on = |rule: &&&'static Rule| {
        let counts = rule.page().tier == Tier::Ungated && rule.page().level > Level::Note;
        counts && !head.levels.contains_key(rule.id) && (declared || !is_of_contract(rule))
    };
    let rules: Vec<&'static Rule> = rules::all().iter().filter(is_on).copied().collect();
    let errors = errors(exchanges, contract);
    let calls = exchanges.iter().skip(since).filter(|exchange| {
        exchange.place.step == Step::Call
            && exchange.tool().is_some()
            && exchange.environment.cause().is_none()
    });
    let hits = calls.flat_map(|exchange| {
        let context = context(recorded, contract, declared, exchange, &errors);
        let hits = silenced(hits_of(&context, &rules));
        hits.into_iter().map(move |hit| (exchange, hit))
    });
    // The first of equally urgent ones.
    let most_urgent = hits
        .filter(|(_, hit)| hit.level > Level::Note)
        .min_by_key(|(_, hit)| (at_level(hit.rule.page().handling.harm, hit.level), Reverse(hit.level)));
    let collapser = Collapser::new(&head.folders);
    most_urgent.map(|(exchange, hit)| FirstFinding {
        rule: hit.rule.id.to_owned(),
        level: hit.level,
        case: exchange.place.case.clone(),
        tool: exchange.tool().map(str::to_owned),
        message: collapser.text(&hit.diagnostic.message),
        text: hit.diagnostic.evidence.map(|evidence| collapser.text(&evidence.text)),
    })
}
