//! Drives the reference server with each of its defects, several at once on a few threads.
//!
//! The main function is [`record`]. A subject mostly waits for its server, and sometimes for a deadline, so
//! each thread drives several. It knows nothing of how they are judged.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mcp_errconf_reference::{Contract as Voice, Defect};
use tokio::runtime::Builder;
use tokio::sync::{mpsc, watch};

use crate::bundled;
use crate::contract::Contract;
use crate::drive::{Assignment, DriveError, DriveOptions, Robustness, Safety, ServerSpec, drive_below};
use crate::plan::ProbeChoice;
use crate::rules::{CREDENTIAL_UNEXPLAINED, MEMORY_GROWTH, SNAPSHOT_PENDING};
use crate::secret;
use crate::snapshot;
use crate::suite::Suite;
use crate::transcript::{Chosen, Transcript};

use super::memory::measured;
use super::selector::Selector;
use super::{Pair, Recorded, contracts};

/// The deadline of a call, which only one defect reaches: the one that never answers.
const CALL: Duration = Duration::from_secs(5);
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

/// In which of its contracts each defect is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breadth {
    /// In all of them.
    EveryContract,
    /// Only in the first one, which takes half the time; the clean server is driven in all.
    FirstContract,
}

/// What all threads share.
struct Work {
    program: PathBuf,
    suite: Suite,
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
    let (through, mut came) = mpsc::unbounded_channel();
    let work = Arc::new(Work {
        program: program.to_owned(),
        suite: suite.clone(),
        folder: folder(),
        interrupt,
        subjects: contracts().flat_map(|contract| subjects(contract, breadth)).collect(),
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
    let mut recorded: Vec<Recorded> = done.into_iter().map(|(_, recorded)| recorded).collect();
    with_snapshots(&mut recorded);
    Ok(recorded)
}

/// The clean server, and the server with each defect for this contract.
fn subjects(contract: &'static Contract, breadth: Breadth) -> impl Iterator<Item = Subject> {
    let is_driven = move |defect: &&Defect| match breadth {
        Breadth::EveryContract => true,
        Breadth::FirstContract => contracts().find(|first| is_meant(defect, first)) == Some(contract),
    };
    let defects = mcp_errconf_reference::defects().iter();
    let meant = defects.filter(|defect| is_meant(defect, contract)).filter(is_driven);
    [None].into_iter().chain(meant.map(Some)).map(move |defect| Subject { contract, defect })
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
        breaks.map(|breaks| breaks.rule).collect::<BTreeSet<_>>()
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
    let name = defect.map(|defect| defect.name);
    let mut assignment = assignment(&work.program, contract, &work.suite, name);
    if defect.is_none_or(|defect| defect.breaks.iter().any(|breaks| breaks.rule == CREDENTIAL_UNEXPLAINED.id))
    {
        assignment.unset.push(secret::VARIABLE.to_owned());
    }
    let driven = drive_below(&work.folder, &assignment, work.interrupt.clone(), &mut |_| {}).await;
    let mut transcript = driven.map_err(|error| (name, error))?;
    if transcript.interrupted {
        return Err((name, DriveError::Interrupted));
    }
    if defect.is_none_or(|defect| defect.name == MEMORY_GROWTH.id) {
        let processes =
            transcript.exchanges.iter().map(|exchange| exchange.process + 1).max().unwrap_or_default();
        let curve = measured(&assignment, processes).await.map_err(|error| (name, error))?;
        transcript.memory.extend(curve);
    }
    let declared = declared(subject, &transcript, &work.suite);
    let (declared, idle) = declared.map_err(|cause| (name, DriveError::Harness(cause)))?;
    Ok(Recorded { contract, defect: name, declared, idle, transcript })
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
        let pair = |case| (breaks.rule.to_owned(), case);
        if breaks.cases.is_empty() {
            pairs.insert(pair(None));
        }
        for text in breaks.cases {
            let selector = Selector::read(text)?;
            let selected = selector.select(&transcript.cases, suite);
            let selected: Vec<Pair> = selected.map(|driven| pair(Some(driven.id.clone()))).collect();
            if selected.is_empty() {
                idle.push(*text);
            }
            pairs.extend(selected);
        }
    }
    Ok((pairs, idle))
}
