//! Tests the harness itself: the clean reference server triggers no rule, and each of its defects exactly the
//! rules that it declares, in exactly the declared cases, in each contract that it can keep.
//!
//! The main functions are [`record()`], which drives every subject, and [`compare`], which is pure: recordings
//! can be judged again by other rules.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::condition::CaseId;
use crate::contract::{Contract, builtin};
use crate::exchange::Exchange;
use crate::judge::{Report, Status, Strictness, judge};
use crate::recording::{JudgingPolicy, Recording};
use crate::rules::{Group, Rule};
use crate::transcript::Transcript;

mod memory;
mod record;
mod selector;

pub use record::{Breadth, declared_rules, record};

/// A rule that fires in a case; `None` outside cases.
pub type Pair = (String, Option<CaseId>);

/// The reference server in one state, and what was recorded of it.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The contract that it kept, and by which it is judged.
    pub contract: &'static Contract,
    /// The defect's name; `None` for the clean server.
    pub defect: Option<&'static str>,
    /// The pairs of rule and case that the defect declares in this contract.
    pub declared: BTreeSet<Pair>,
    /// The selectors of the defect that select no existing case.
    pub idle: Vec<&'static str>,
    /// The transcript of the run.
    pub transcript: Transcript,
}

impl Recorded {
    /// The report on it by these rules.
    pub fn judged(&self, rules: &[&'static Rule]) -> Report {
        judge(&self.transcript, self.contract, rules, Strictness::Must)
    }

    /// The recording, which `mcp-errconf judge` can read.
    pub fn recording(&self) -> Recording {
        Recording {
            transcript: self.transcript.clone(),
            contract: self.contract.clone(),
            policy: JudgingPolicy::default(),
            not_run: None,
        }
    }

    /// The recording of some of its cases alone, with the calls that these depend on and what belongs to no case.
    pub fn narrowed(&self, cases: &BTreeSet<CaseId>) -> Self {
        let transcript = &self.transcript;
        let is_own =
            |exchange: &Exchange| exchange.place.case.as_ref().is_none_or(|case| cases.contains(case));
        let mut is_kept: Vec<bool> = transcript.exchanges.iter().map(is_own).collect();
        // An exchange refers only to earlier ones.
        for exchange in transcript.exchanges.iter().rev() {
            if is_kept[exchange.index] {
                let place = &exchange.place;
                for earlier in [place.control, place.follows, place.twin].into_iter().flatten() {
                    is_kept[earlier] = true;
                }
            }
        }
        let kept = transcript.exchanges.iter().filter(|exchange| is_kept[exchange.index]);
        let mut exchanges: Vec<Exchange> = kept.cloned().collect();
        let old: Vec<usize> = exchanges.iter().map(|exchange| exchange.index).collect();
        let new = |place: Option<usize>| place.and_then(|place| old.binary_search(&place).ok());
        for (index, exchange) in exchanges.iter_mut().enumerate() {
            exchange.index = index;
            let place = &mut exchange.place;
            (place.control, place.follows, place.twin) =
                (new(place.control), new(place.follows), new(place.twin));
        }
        let is_selected = |case: &Option<CaseId>| case.as_ref().is_some_and(|case| cases.contains(case));
        Self {
            contract: self.contract,
            defect: self.defect,
            declared: self.declared.iter().filter(|(_, case)| is_selected(case)).cloned().collect(),
            idle: Vec::new(),
            transcript: Transcript {
                withheld: transcript.withheld.clone(),
                memory: transcript.memory.clone(),
                ..Transcript::of(
                    transcript.head.clone(),
                    transcript.cases.iter().filter(|driven| cases.contains(&driven.id)).cloned().collect(),
                    exchanges,
                )
            },
        }
    }

    /// Writes the recording into a folder, which is created if missing; returns the path.
    ///
    /// # Errors
    /// When the folder or the file cannot be written.
    pub fn keep_in(&self, folder: &Path) -> io::Result<PathBuf> {
        std::fs::create_dir_all(folder)?;
        let name = self.defect.unwrap_or("clean").replace('/', "-");
        let file = folder.join(format!("{}-{name}.jsonl", self.contract.id));
        let mut out = io::BufWriter::new(File::create(&file)?);
        self.recording().write(&mut out)?;
        out.flush()?;
        Ok(file)
    }
}

/// The differences between what was found and what was declared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// Declared but not found.
    pub missed: Vec<Pair>,
    /// Found but not declared.
    pub unexpected: Vec<Pair>,
    /// Selectors of the defect that select no case.
    pub idle: Vec<&'static str>,
    /// Cases that were not driven to their end, with the reason; only for the clean server.
    pub not_driven: Vec<(CaseId, String)>,
}

impl Difference {
    /// Whether there is no difference.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// The built-in contracts that the reference server can keep, its default one first.
pub fn contracts() -> impl Iterator<Item = &'static Contract> {
    let kept = mcp_errconf_reference::Contract::ALL.iter();
    kept.filter_map(|kept| builtin().iter().find(|contract| contract.id == kept.id()))
}

/// Whether a rule can fire in a contract: a rule on a form of errors can if one of its requirements is in the
/// contract, or if it is based only on decisions, which apply to all contracts.
pub fn applies(rule: &Rule, contract: &Contract) -> bool {
    let requirements = &rule.page().requirements;
    rule.group() != Group::Envelope
        || requirements.iter().any(|id| contract.requirements.contains_key(id))
        || requirements.iter().all(|id| is_decision(id))
}

/// Whether this is the id of a decision, such as `A18`.
fn is_decision(id: &str) -> bool {
    id.strip_prefix('A').is_some_and(|number| number.parse::<u32>().is_ok())
}

/// Judges a recording by these rules and compares the findings with what was declared.
pub fn compare(recorded: &Recorded, rules: &[&'static Rule]) -> Difference {
    compare_judged(recorded, &recorded.judged(rules))
}

/// Compares the findings of the report on a recording with what was declared.
pub fn compare_judged(recorded: &Recorded, report: &Report) -> Difference {
    let found: BTreeSet<Pair> = report
        .findings
        .iter()
        .flat_map(|finding| finding.places.iter().map(|place| (finding.rule.clone(), place.case.clone())))
        .collect();
    let not_driven = |case: &&crate::judge::CaseVerdict| {
        matches!(case.status, Status::Skipped | Status::NotJudged | Status::Errored)
    };
    let not_driven = report.cases.iter().filter(not_driven).filter(|_| recorded.defect.is_none());
    Difference {
        missed: recorded.declared.difference(&found).cloned().collect(),
        unexpected: found.difference(&recorded.declared).cloned().collect(),
        idle: recorded.idle.clone(),
        not_driven: not_driven
            .map(|case| (case.id.clone(), case.reason.clone().unwrap_or_default()))
            .collect(),
    }
}
