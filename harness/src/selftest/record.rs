//! Drives the reference server with each of its defects, several at once on a few threads.
//!
//! The main function is [`record`]. A subject mostly waits for its server, and sometimes for a deadline, so
//! each thread drives several. It knows nothing of how they are judged.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use globset::Glob;
use mcp_errconf_reference::{Contract as Voice, Defect};
use tokio::runtime::Builder;
use tokio::sync::{mpsc, watch};

use crate::bundled;
use crate::condition::CaseId;
use crate::contract::Contract;
use crate::drive::{
    Assignment, DriveError, DriveOptions, RequestedLifecycle, Robustness, Safety, ServerSpec, drive_below,
};
use crate::plan::ProbeChoice;
use crate::rules::{self, CREDENTIAL_UNEXPLAINED, MEMORY_GROWTH, SNAPSHOT_PENDING, Tier};
use crate::secret;
use crate::snapshot;
use crate::suite::Suite;
use crate::transcript::{Chosen, DrivenCase, Lifecycle, Transcript};

use super::memory::measured;
use super::selector::Selector;
use super::{Pair, Recorded, contracts};

/// The deadline of a call, which only one defect reaches: the one that never answers.
const CALL: Duration = Duration::from_secs(15);
const START: Duration = Duration::from_secs(30);
/// At most this many threads drive.
const THREADS: usize = 8;

/// A subject that could not be exercised, and why.
type Failure = (Option<&'static str>, DriveError);

/// The server in one state: its contract, and its defect if any.
#[derive(Clone, Copy)]
struct Subject {
    contract: &'static Contract,
    defect: Option<&'static Defect>,
}

/// How much each defect is driven; the clean server is always driven whole, in all contracts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breadth {
    /// All cases, in every contract that it breaks.
    EveryContract,
    /// In its first contract, the cases in which it shows, and a sample of the others. This takes a twentieth of the time.
    DeclaredCases,
}

/// Of the cases in which a defect must not show, one in this many is driven for [`Breadth::DeclaredCases`].
const SAMPLE: u8 = 24;

/// What all threads share.
struct Work {
    program: PathBuf,
    suite: Suite,
    /// The cases of the clean server by contract, where a defect is driven in a part of them.
    clean_cases: BTreeMap<String, Vec<DrivenCase>>,
    /// The folder that contains those of every subject.
    folder: PathBuf,
    interrupt: watch::Receiver<bool>,
    subjects: Vec<Subject>,
    /// The index of the next subject to drive.
    next: AtomicUsize,
    /// Receives each finished subject with its index.
    through: mpsc::UnboundedSender<Result<(usize, Recorded), Failure>>,
}

/// The threads. Dropping this ends the servers that they drive, and waits for that.
struct RunnerPool {
    stop: watch::Sender<bool>,
    threads: Vec<JoinHandle<()>>,
}

impl Drop for RunnerPool {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        for thread in self.threads.drain(..) {
            // A panic was reported on standard error, and is passed on at the end of the work.
            let _ = thread.join();
        }
    }
}

/// Drives the clean reference server and all its defects, several at a time, in the contracts chosen by
/// `breadth`, and reports each when it is finished. `program` is this program's own executable. The result is
/// in the order of the contracts and the defects.
///
/// # Errors
/// When one of them could not be exercised: a fault of this program.
pub async fn record(
    program: &Path,
    suite: &Suite,
    breadth: Breadth,
    interrupt: watch::Receiver<bool>,
    tell: &mut dyn FnMut(&Recorded),
) -> Result<Vec<Recorded>, Failure> {
    let drive = Drive { program, suite, interrupt };
    let clean: Vec<Subject> = contracts().map(|contract| Subject { contract, defect: None }).collect();
    let mut recorded = drive.each(clean, BTreeMap::new(), tell).await?;
    let clean_cases = match breadth {
        Breadth::EveryContract => BTreeMap::new(),
        Breadth::DeclaredCases => {
            let cases =
                |recorded: &Recorded| (recorded.contract.id.clone(), recorded.transcript.cases.clone());
            recorded.iter().map(cases).collect()
        }
    };
    let defects = contracts().flat_map(|contract| defects_of(contract, breadth)).collect();
    recorded.extend(drive.each(defects, clean_cases, tell).await?);
    with_snapshots(&mut recorded);
    Ok(recorded)
}

/// What it takes to drive subjects.
struct Drive<'a> {
    program: &'a Path,
    suite: &'a Suite,
    interrupt: watch::Receiver<bool>,
}

impl Drive<'_> {
    /// Drives these subjects on a few threads; the result is in their order.
    async fn each(
        &self,
        subjects: Vec<Subject>,
        clean_cases: BTreeMap<String, Vec<DrivenCase>>,
        tell: &mut dyn FnMut(&Recorded),
    ) -> Result<Vec<Recorded>, Failure> {
        let (through, mut came) = mpsc::unbounded_channel();
        let work = Arc::new(Work {
            program: self.program.to_owned(),
            suite: self.suite.clone(),
            clean_cases,
            folder: folder(),
            interrupt: self.interrupt.clone(),
            subjects,
            next: AtomicUsize::new(0),
            through,
        });
        let (stop, stopped) = watch::channel(false);
        let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS);
        let threads = (0..threads).map(|_| {
            let (work, stopped) = (Arc::clone(&work), stopped.clone());
            thread::spawn(move || drive_some(&work, stopped))
        });
        let mut runners = RunnerPool { stop, threads: threads.collect() };
        // Only the threads hold it now, so the channel ends with the last of them.
        drop(work);
        let mut done = Vec::new();
        while let Some(recorded) = came.recv().await {
            let (order, recorded) = recorded?;
            tell(&recorded);
            done.push((order, recorded));
        }
        for thread in runners.threads.drain(..) {
            if let Err(panic) = thread.join() {
                resume_unwind(panic);
            }
        }
        done.sort_by_key(|(order, _)| *order);
        Ok(done.into_iter().map(|(_, recorded)| recorded).collect())
    }
}

/// The server with each defect that is driven in this contract.
fn defects_of(contract: &'static Contract, breadth: Breadth) -> impl Iterator<Item = Subject> {
    let is_driven = move |defect: &&Defect| match breadth {
        Breadth::EveryContract => true,
        Breadth::DeclaredCases => contracts().find(|first| is_meant(defect, first)) == Some(contract),
    };
    let defects = mcp_errconf_reference::defects().iter();
    let meant = defects.filter(|defect| is_meant(defect, contract)).filter(is_driven);
    meant.map(move |defect| Subject { contract, defect: Some(defect) })
}

/// Whether a defect breaks anything in this contract.
fn is_meant(defect: &Defect, contract: &Contract) -> bool {
    Voice::find(&contract.id).is_some_and(|voice| defect.breaks_in(voice).next().is_some())
}

/// A defect's declaration: the pairs of rule and case that it breaks, and its selectors that select no case.
type Declared = (BTreeSet<Pair>, Vec<&'static str>);

/// For each defect for a contract, the rules that it declares to break.
pub fn declared_rules(contract: &Contract) -> Vec<BTreeSet<&'static str>> {
    let voice = Voice::find(&contract.id);
    let rules = |defect: &'static Defect| {
        let breaks = voice.into_iter().flat_map(|voice| defect.breaks_in(voice));
        breaks.map(|breaks| breaks.rule.as_str()).collect::<BTreeSet<_>>()
    };
    mcp_errconf_reference::defects().iter().map(rules).filter(|rules| !rules.is_empty()).collect()
}

/// Judges the clean server, and the defects that declare the rule on snapshots, against the texts of the clean
/// server, as a run with `--snapshots` does. For the other defects a changed wording is a means, not the fault.
fn with_snapshots(recorded: &mut [Recorded]) {
    let clean = recorded.iter().filter(|recorded| recorded.defect.is_none());
    let accepted: BTreeMap<&str, _> = clean
        .map(|clean| (clean.contract.id.as_str(), snapshot::accepted(&clean.transcript, clean.contract)))
        .collect();
    for recorded in recorded {
        let Some(accepted) = accepted.get(recorded.contract.id.as_str()) else { continue };
        if recorded.defect.is_none() || recorded.declared.iter().any(|(rule, _)| rule == SNAPSHOT_PENDING.id)
        {
            recorded.transcript.head.snapshots = Some(accepted.clone());
        }
    }
}

/// Drives subjects until none is left, or until this is stopped.
fn drive_some(work: &Work, mut stopped: watch::Receiver<bool>) {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("the runtime of the caller could be made, and this one is like it");
    runtime.block_on(async {
        tokio::select! {
            biased;
            _ = stopped.wait_for(|stopped| *stopped) => {}
            _ = async { tokio::join!(one_by_one(work), one_by_one(work), one_by_one(work)) } => {}
        }
    });
}

async fn one_by_one(work: &Work) {
    loop {
        let order = work.next.fetch_add(1, Ordering::Relaxed);
        let Some(subject) = work.subjects.get(order).copied() else { return };
        let recorded = recorded(work, subject).await.map(|recorded| (order, recorded));
        // Nobody listens any more after one of them failed.
        if work.through.send(recorded).is_err() {
            return;
        }
    }
}

async fn recorded(work: &Work, subject: Subject) -> Result<Recorded, Failure> {
    let Subject { contract, defect } = subject;
    let name = defect.map(|defect| defect.name.as_str());
    let mut assignment = assignment(&work.program, contract, &work.suite, name);
    if defect.is_some_and(Defect::is_stateless) {
        assignment.options.opening = RequestedLifecycle::Only(Lifecycle::Modern);
    }
    if defect.is_none_or(|defect| defect.breaks.iter().any(|breaks| breaks.rule == CREDENTIAL_UNEXPLAINED.id))
    {
        assignment.unset.push(secret::VARIABLE.to_owned());
    }
    // Without its variable a server gets calls that succeeded in other cases.
    if assignment.unset.is_empty()
        && let Some(cases) = work.clean_cases.get(&contract.id)
        && let Some(chosen) = chosen_cases(subject, cases, &work.suite)
    {
        narrow(&mut assignment, &chosen);
    }
    let driven = drive_below(&work.folder, &assignment, work.interrupt.clone(), &mut |_| {}).await;
    let mut transcript = driven.map_err(|error| (name, error))?;
    if transcript.interrupted {
        return Err((name, DriveError::Interrupted));
    }
    // Memory use does not depend on the contract.
    let is_measured = match defect {
        Some(defect) => defect.name == MEMORY_GROWTH.id,
        None => contracts().next() == Some(contract),
    };
    if is_measured {
        let processes =
            transcript.exchanges.iter().map(|exchange| exchange.process + 1).max().unwrap_or_default();
        let curve = measured(&assignment, processes).await.map_err(|error| (name, error))?;
        transcript.memory.extend(curve);
    }
    let declared = declared(subject, &transcript, &work.suite);
    let (declared, idle) = declared.map_err(|cause| (name, DriveError::Harness(cause)))?;
    Ok(Recorded { contract, defect: name, declared, idle, transcript })
}

/// The cases in which a defect shows, with a sample of the others; `None` if all are needed to see it: it shows outside
/// cases or over many of them, or in one that the clean server does not have.
fn chosen_cases(subject: Subject, cases: &[DrivenCase], suite: &Suite) -> Option<BTreeSet<CaseId>> {
    let (defect, voice) = (subject.defect?, Voice::find(&subject.contract.id)?);
    let is_of_run = |id: &str| rules::all().iter().any(|rule| rule.id == id && rule.page().tier == Tier::Run);
    let is_sampled = |case: &&DrivenCase| {
        let mut hasher = DefaultHasher::new();
        (&defect.name, &case.id.0).hash(&mut hasher);
        hasher.finish().is_multiple_of(u64::from(SAMPLE))
    };
    let mut chosen: BTreeSet<CaseId> = cases.iter().filter(is_sampled).map(|case| case.id.clone()).collect();
    for breaks in defect.breaks_in(voice) {
        if breaks.cases.is_empty() || is_of_run(&breaks.rule) {
            return None;
        }
        for text in &breaks.cases {
            let selector = Selector::read(text).ok()?;
            let selected: Vec<CaseId> = selector.select(cases, suite).map(|case| case.id.clone()).collect();
            if selected.is_empty() {
                return None;
            }
            chosen.extend(selected);
        }
    }
    Some(chosen)
}

/// Leaves only these cases in an assignment.
fn narrow(assignment: &mut Assignment, chosen: &BTreeSet<CaseId>) {
    assignment.suite.cases.retain(|case| chosen.contains(&case.id));
    let ids: Vec<String> = chosen.iter().map(|id| globset::escape(&id.0)).collect();
    let glob = Glob::new(&format!("{{{}}}", ids.join(",")));
    assignment.probes.filter = Some(glob.expect("escaped ids are a glob").compile_matcher());
}

/// Where the folders of the subjects are made: in memory, if the system has a place for that. There are tens of
/// thousands of small files, and a file system on disk frees the entries of deleted ones only after minutes,
/// which slows down creating files.
fn folder() -> PathBuf {
    let in_memory = Path::new("/dev/shm");
    let is_usable = tempfile::tempdir_in(in_memory).is_ok();
    if is_usable { in_memory.to_owned() } else { std::env::temp_dir() }
}

/// The assignment for a run of the reference server with this defect.
fn assignment(program: &Path, contract: &Contract, suite: &Suite, defect: Option<&str>) -> Assignment {
    Assignment {
        server: ServerSpec {
            command: bundled::command(program, &contract.id, defect),
            bundled: true,
            ..ServerSpec::default()
        },
        unset: Vec::new(),
        roles: BTreeMap::new(),
        tools: BTreeMap::new(),
        levels: BTreeMap::new(),
        contract: contract.clone(),
        chosen: Chosen::Flag,
        limits: bundled::limits(),
        suite: suite.clone(),
        probes: ProbeChoice { most: usize::MAX, ..ProbeChoice::default() },
        timeout: CALL,
        start_timeout: START,
        seed: 0,
        options: DriveOptions { robustness: Robustness::Tried, ..DriveOptions::default() },
        safety: Safety::default(),
    }
}

/// The pairs of rule and case that a defect declares, and its selectors that select no case.
fn declared(subject: Subject, transcript: &Transcript, suite: &Suite) -> Result<Declared, String> {
    let voice = Voice::find(&subject.contract.id);
    let breaks = subject.defect.zip(voice).into_iter().flat_map(|(defect, voice)| defect.breaks_in(voice));
    let (mut pairs, mut idle) = (BTreeSet::new(), Vec::new());
    for breaks in breaks {
        let pair = |case| (breaks.rule.clone(), case);
        if breaks.cases.is_empty() {
            pairs.insert(pair(None));
        }
        for text in &breaks.cases {
            let selector = Selector::read(text)?;
            let selected = selector.select(&transcript.cases, suite);
            let selected: Vec<Pair> = selected.map(|driven| pair(Some(driven.id.clone()))).collect();
            if selected.is_empty() {
                idle.push(text.as_str());
            }
            pairs.extend(selected);
        }
    }
    Ok((pairs, idle))
}
