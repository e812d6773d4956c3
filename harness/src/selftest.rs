//! The harness proves itself: the clean reference server triggers nothing, and each of its defects exactly the rules
//! that it declares, in exactly the cases that it declares.
//!
//! The main functions are [`record`], which drives every subject, and [`compare`], which is pure: what was recorded can
//! be judged again by other rules.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::time::Duration;

use mcp_errconf_reference::Defect;
use tokio::sync::watch;

use crate::bundled;
use crate::contract::Contract;
use crate::drive::{Assignment, DriveError, Manner, Robustness, drive};
use crate::judge::{Status, Strictness, judge};
use crate::plan::ProbeChoice;
use crate::rules::Rule;
use crate::snapshot;
use crate::suite::{CaseId, Suite};
use crate::transcript::{Chosen, Transcript};

/// One defect alone waits for this: the call that is never answered.
const CALL: Duration = Duration::from_secs(5);
const START: Duration = Duration::from_secs(30);

/// The rule that needs something to compare with.
const PENDING: &str = "snapshot/pending";

/// A rule that fires in a case; `None` outside cases.
pub type Pair = (String, Option<CaseId>);

/// The reference server in one state, and what the harness saw of it.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The defect's name, or none for the clean server.
    pub defect: Option<&'static str>,
    /// The pairs of rule and case that the defect declares.
    pub declared: BTreeSet<Pair>,
    /// What was driven.
    pub transcript: Transcript,
}

/// How what was found differs from what was declared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// Declared and not found.
    pub missed: Vec<Pair>,
    /// Found and not declared.
    pub unexpected: Vec<Pair>,
    /// Cases that were not driven to their end, with the reason; for the clean server alone.
    pub undriven: Vec<(CaseId, String)>,
}

impl Difference {
    /// There is none.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Drives the clean reference server and every defect of it, two at a time, and tells each as it is through.
/// `program` is this program's own executable.
///
/// # Errors
/// When one of them could not be exercised: a fault of this program.
pub async fn record(
    program: &Path,
    contract: &Contract,
    suite: &Suite,
    interrupt: watch::Receiver<bool>,
    tell: &mut dyn FnMut(&Recorded),
) -> Result<Vec<Recorded>, (Option<&'static str>, DriveError)> {
    let subjects = [None].into_iter().chain(mcp_errconf_reference::defects().iter().map(Some));
    let queue: RefCell<VecDeque<(usize, Option<&'static Defect>)>> =
        RefCell::new(subjects.enumerate().collect());
    let done: RefCell<Vec<(usize, Recorded)>> = RefCell::default();
    let tell = RefCell::new(tell);
    let worker = || async {
        loop {
            let Some((order, defect)) = queue.borrow_mut().pop_front() else { return Ok(()) };
            let name = defect.map(|defect| defect.name);
            let assignment = assignment(program, contract, suite, name);
            let driven = drive(&assignment, interrupt.clone(), &mut |_| {}).await;
            let transcript = driven.map_err(|error| (name, error))?;
            if transcript.interrupted {
                return Err((name, DriveError::Interrupted));
            }
            let recorded = Recorded { defect: name, declared: declared(defect, &transcript), transcript };
            tell.borrow_mut()(&recorded);
            done.borrow_mut().push((order, recorded));
        }
    };
    tokio::try_join!(worker(), worker())?;
    let mut done = done.into_inner();
    done.sort_by_key(|(order, _)| *order);
    let mut recorded: Vec<Recorded> = done.into_iter().map(|(_, recorded)| recorded).collect();
    with_snapshots(&mut recorded, contract);
    Ok(recorded)
}

/// Judges the clean server, and whoever is said to break the rule on them, against the texts of the clean server, as a
/// run with `--snapshots` does. To the other defects another wording is the means, not the fault.
fn with_snapshots(recorded: &mut [Recorded], contract: &Contract) {
    let clean = recorded.iter().find(|recorded| recorded.defect.is_none());
    let Some(accepted) = clean.map(|clean| snapshot::accepted(&clean.transcript, contract)) else { return };
    for recorded in recorded {
        if recorded.defect.is_none() || recorded.declared.iter().any(|(rule, _)| rule == PENDING) {
            recorded.transcript.head.snapshots = Some(accepted.clone());
        }
    }
}

/// What a run of the reference server with this defect is.
fn assignment(program: &Path, contract: &Contract, suite: &Suite, defect: Option<&str>) -> Assignment {
    Assignment {
        command: bundled::command(program, &contract.id, defect),
        bundled: true,
        cwd: None,
        env: BTreeMap::new(),
        streams: None,
        roles: BTreeMap::new(),
        tools: BTreeMap::new(),
        levels: BTreeMap::new(),
        contract: contract.clone(),
        chosen: Chosen::Flag,
        limits: bundled::limits(),
        suite: suite.clone(),
        probes: ProbeChoice { most: usize::MAX, filter: None },
        timeout: CALL,
        start_timeout: START,
        seed: 0,
        manner: Manner { robustness: Robustness::Tried, ..Manner::default() },
    }
}

/// The pairs that a defect declares: its case ids, and its patterns over probes as the cases that they match. A pattern
/// that matches nothing stays as it is, and so is missed.
fn declared(defect: Option<&Defect>, transcript: &Transcript) -> BTreeSet<Pair> {
    let breaks = defect.into_iter().flat_map(|defect| defect.breaks);
    let written = breaks.flat_map(|breaks| breaks.cases.iter().map(move |case| (breaks.rule, *case)));
    let mut pairs = BTreeSet::new();
    for (rule, case) in written {
        let before = pairs.len();
        if let Some(matcher) = pattern(case) {
            let matched = transcript.cases.iter().filter(|driven| matcher.is_match(&driven.id.0));
            pairs.extend(matched.map(|driven| (rule.to_owned(), Some(driven.id.clone()))));
        }
        if pairs.len() == before {
            pairs.insert((rule.to_owned(), Some(CaseId(case.to_owned()))));
        }
    }
    pairs
}

/// The pattern that an id with `*` or alternatives in braces is; `*` stands for one part of an id.
fn pattern(case: &str) -> Option<globset::GlobMatcher> {
    let is_pattern = case.contains(['*', '{']);
    let built = is_pattern.then(|| globset::GlobBuilder::new(case).literal_separator(true).build());
    built?.ok().map(|glob| glob.compile_matcher())
}

/// Judges what was recorded by these rules and compares with what was declared.
pub fn compare(recorded: &Recorded, contract: &Contract, rules: &[&'static Rule]) -> Difference {
    let report = judge(&recorded.transcript, contract, rules, Strictness::Must);
    let found: BTreeSet<Pair> = report
        .findings
        .iter()
        .flat_map(|finding| finding.places.iter().map(|place| (finding.rule.clone(), place.case.clone())))
        .collect();
    let undriven = |case: &&crate::judge::CaseVerdict| {
        matches!(case.status, Status::Skipped | Status::NotJudged | Status::Errored)
    };
    let undriven = report.cases.iter().filter(undriven).filter(|_| recorded.defect.is_none());
    Difference {
        missed: recorded.declared.difference(&found).cloned().collect(),
        unexpected: found.difference(&recorded.declared).cloned().collect(),
        undriven: undriven.map(|case| (case.id.clone(), case.reason.clone().unwrap_or_default())).collect(),
    }
}
