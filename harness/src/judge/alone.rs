//! One exchange by itself, as a campaign judges it: by the same rules as in a run.
//!
//! The main function is [`alone`].

use crate::contract::{Contract, ErrorReply};
use crate::exchange::{Expected, Step};
use crate::finding::{Finding, LevelSetting};
use crate::rules::{Rule, Tier};
use crate::transcript::Transcript;

use super::{Ground, charge, errors, fold, scene, silenced};

/// What the rules say of an exchange.
pub(crate) struct Alone {
    /// The error in the reply, if it is one.
    pub(crate) error: Option<ErrorReply>,
    /// What is wrong with it.
    pub(crate) findings: Vec<Finding>,
}

/// Whether the server promises the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Promise {
    /// By flag or configuration, or because its codes are used.
    Declared,
    /// Nobody says so.
    Undeclared,
}

/// Judges the last exchange of a transcript; the ones before it are what it refers to.
///
/// Of the rules that need a control those alone speak that hold for any fault: which words and which code a fault
/// deserves is not known of a call that was drawn.
pub(crate) fn alone(
    transcript: &Transcript,
    contract: &Contract,
    rules: &[&'static Rule],
    promise: Promise,
) -> Alone {
    let Some(exchange) = transcript.exchanges.last() else {
        return Alone { error: None, findings: Vec::new() };
    };
    let levels = &transcript.head.levels;
    let must_fail = matches!(exchange.place.expected, Expected::Failure(_));
    let applies = |rule: &&&'static Rule| {
        let holds_for_any = ["channel/accepted-bad-input", "channel/disguised-error"].contains(&rule.id);
        levels.get(rule.id) != Some(&LevelSetting::Off)
            && (rule.tier == Tier::Ungated || must_fail && holds_for_any)
    };
    let rules: Vec<&'static Rule> = rules.iter().filter(applies).copied().collect();
    let errors = errors(&transcript.exchanges, contract);
    let ground =
        Ground { head: &transcript.head, cases: &transcript.cases, exchanges: &transcript.exchanges };
    let scene = scene(ground, contract, promise == Promise::Declared, exchange, &errors);
    debug_assert!(exchange.place.step != Step::Twin, "a twin is judged beside another exchange");
    let mut charges = silenced(charge(&scene, &rules));
    for charge in &mut charges {
        if let Some(level) = levels.get(charge.rule.id).and_then(|setting| setting.level()) {
            charge.level = level;
        }
    }
    let findings = fold::findings(transcript, &rules, &charges);
    Alone { error: errors.last().cloned().flatten(), findings }
}
