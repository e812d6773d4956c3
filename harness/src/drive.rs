//! The live half: opens a session on a server, drives the plan and gives the transcript.
//!
//! The main function is [`drive`]. What it sends is decided by the plan and, for hints that are followed, by a pure
//! function of the judge; verdicts are not given here.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::sync::{RwLock, watch};

use crate::cause;
use crate::class::ToolSetting;
use crate::confinement::Confinement;
use crate::contract::Contract;
use crate::event::Event;
use crate::finding::LevelSetting;
use crate::placeholder::{Folders, Tokens};
use crate::plan::{ProbeChoice, ProbeScope, SettledCases};
use crate::roles::{ByHand, Role};
use crate::secret::{self, Concealed};
use crate::server::{Command, Deadlines, RunFolders, Streams};
use crate::suite::Suite;
use crate::transcript::{Chosen, Head, Limits, Transcript};

mod after_cases;
mod apart;
mod case;
mod confined_session;
mod driven;
mod features;
mod malformed;
mod moved;
mod options;
mod patience;
mod pool;
mod restarted_process;
mod root;
mod safety;
mod scheduler;
mod service;
mod session_part;
mod session_trials;
mod startup;
mod time_limit;
mod twins;
mod unset;
mod valid_calls;

pub use options::{DriveOptions, Isolation, RequestedLifecycle, Robustness};
pub use safety::{Confine, Destructive, Safety, SecondSession};
pub(crate) use service::{ServerEnvironment, behind};
pub use time_limit::drive_within;

pub(crate) use case::{FirstCall, NewThing, made_up};
pub(crate) use features::{CampaignFeatures, request_features};
pub use startup::inspect;
pub(crate) use startup::{InspectedServer, look};
pub(crate) use valid_calls::{OnceRecord, ValidCall, ValidCalls, Wanted, empty, learn};

use after_cases::{AfterCases, SessionRecord};
use confined_session::ConfinedSession;
use driven::driven_cases;
use pool::ProcessPool;
use session_part::{SessionPart, known, planned, scope, tell_planned};
use startup::Started;

/// How every reason begins that says that a case was not driven because the run was interrupted.
const INTERRUPTED: &str = "the run was interrupted";

/// How a server is started, or reached.
#[derive(Debug, Clone, Default)]
pub struct ServerSpec {
    /// The command line; `{workspace}` and `{outside}` are replaced.
    pub command: Vec<String>,
    /// Whether this is the bundled reference server.
    pub bundled: bool,
    /// The working folder; `None` for that of this process.
    pub cwd: Option<PathBuf>,
    /// Variables added to the environment; tokens in the values are replaced.
    pub env: BTreeMap<String, String>,
    /// The user's secrets, which are taken out of everything that is shown.
    pub concealed: Concealed,
    /// The streams to talk to the server on, if it is not a process of its own.
    pub streams: Option<Streams>,
}

/// All that describes a run: the server, the contract, the cases and the options.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// How to start or reach the server.
    pub server: ServerSpec,
    /// Variables of the server's environment, each of which is left out of one extra start: `--unset`.
    pub unset: Vec<String>,
    /// The contract by which replies are judged.
    pub contract: Contract,
    /// How the contract was chosen.
    pub chosen: Chosen,
    /// The server's limits, as far as the configuration gives them.
    pub limits: Limits,
    /// Roles that the user has assigned to tools.
    pub roles: BTreeMap<Role, ByHand>,
    /// What the user says about single tools.
    pub tools: BTreeMap<String, ToolSetting>,
    /// Rules whose level the user has set, by rule id.
    pub levels: BTreeMap<String, LevelSetting>,
    /// The cases to drive.
    pub suite: Suite,
    /// Which probes are sent.
    pub probes: ProbeChoice,
    /// The deadline of a call.
    pub timeout: Duration,
    /// The deadline of the server's start.
    pub start_timeout: Duration,
    /// The seed of everything that is random.
    pub seed: u64,
    /// How the run is driven: lifecycle, processes, isolation.
    pub options: DriveOptions,
    /// How the server is kept from doing harm.
    pub safety: Safety,
}

impl ServerSpec {
    /// The same with what the server inherits from this process. Variables with `{workspace}` or `{upstream}` become given ones,
    /// so that these are replaced. Secrets are concealed, wherever they come in.
    #[must_use]
    pub fn with_inherited(mut self) -> Self {
        let variables = std::env::vars_os();
        let inherited: BTreeMap<String, String> = variables
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        for (name, value) in &inherited {
            if ["{workspace}", "{upstream}"].iter().any(|token| value.contains(token)) {
                self.env.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        secret::conceal_environment(&self.env, &mut self.concealed);
        secret::conceal_words(&self.command, &mut self.concealed);
        secret::conceal_environment(&inherited, &mut self.concealed);
        self
    }
}

impl Assignment {
    /// The server's command line as it is shown in reports.
    pub fn shown_command(&self) -> Vec<String> {
        secret::shown_words(&self.server.command, &self.server.concealed)
    }
}

/// Why a run could not be judged at all.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The server did not start, listed no tool, or died at once.
    #[error("{0}")]
    NotExercised(String),
    /// The user ended the run before the server had started.
    #[error("interrupted before the server had started")]
    Interrupted,
    /// The configuration names a tool that the server does not have.
    #[error("{0}")]
    Configuration(String),
    /// A failure of the harness itself: a folder could not be made or deleted.
    #[error("{0}")]
    Harness(String),
}

/// Starts the server, drives every case, and ends the server.
///
/// `interrupt` ends the run early: what was driven so far is returned with `interrupted` set.
///
/// # Errors
/// When the server could not be exercised at all, or the harness itself is in trouble.
pub async fn drive(
    assignment: &Assignment,
    interrupt: watch::Receiver<bool>,
    tell: &mut dyn FnMut(Event),
) -> Result<Transcript, DriveError> {
    drive_below(&std::env::temp_dir(), assignment, interrupt, tell).await
}

/// Drives a run like [`drive`], but makes its folders below a given folder instead of the temporary one.
///
/// # Errors
/// The same as for [`drive`].
pub(crate) async fn drive_below(
    parent: &Path,
    assignment: &Assignment,
    mut interrupt: watch::Receiver<bool>,
    tell: &mut dyn FnMut(Event),
) -> Result<Transcript, DriveError> {
    let begun = Instant::now();
    let run_folders = RunFolders::create_in(parent, assignment.seed)
        .map_err(|error| DriveError::Harness(unmade(parent, &error)))?;
    let behind = behind(assignment, &run_folders)?;
    let driven =
        Box::pin(drive_in(assignment, &run_folders, &behind, SessionPart::First, &mut interrupt, tell)).await;
    let removed = run_folders.remove().map_err(|error| DriveError::Harness(error.to_string()));
    let DrivenSession { mut transcript, planned_withheld, .. } = driven?;
    removed?;
    if let Some(sequel) = ConfinedSession::after(assignment, &transcript) {
        let second = sequel.drive(parent, &mut transcript, planned_withheld, behind, &mut interrupt, tell);
        Box::pin(second).await?;
    }
    transcript.duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(transcript)
}

/// The result of a session.
struct DrivenSession {
    transcript: Transcript,
    /// How many of the withheld entries come from the plan; they stand at the front.
    planned_withheld: usize,
    /// The tools that are probed.
    tools: HashSet<String>,
    /// What the confinement kept from the server.
    confinement: Confinement,
}

async fn drive_in(
    assignment: &Assignment,
    run_folders: &RunFolders,
    behind: &ServerEnvironment,
    part: SessionPart<'_>,
    interrupt: &mut watch::Receiver<bool>,
    tell: &mut dyn FnMut(Event),
) -> Result<DrivenSession, DriveError> {
    let Started { pool, opened, safety, .. } =
        startup::start(assignment, run_folders, behind, interrupt).await?;
    let confinement = safety.confinement();
    let head = startup::of_session(part, assignment, &behind.folders, confinement.clone(), opened)?;
    let nothing = SettledCases::default();
    let scope = scope(assignment, behind, part, &nothing);
    let (plan, mut probed) = planned(assignment, &head, part, scope);
    let robustness = match part {
        SessionPart::First => assignment.options.robustness,
        SessionPart::Second { .. } => Robustness::Untried,
    };
    tell_planned(part, &head, &plan, &probed, robustness, tell);

    let outside = RwLock::new(());
    let resources = case::RunResources {
        run_folders,
        upstream: behind.upstream.as_ref(),
        outside: &outside,
        confinement: &confinement,
        tools: &assignment.tools,
    };
    let (first, spare) = first_driver(assignment, pool, resources, &head, part, scope);
    let mut drivers = first.with_siblings(assignment.options.jobs.clamp(1, plan.cases.len().max(1)));
    let driven = Box::pin(scheduler::drive_all(&mut drivers, &plan.cases, &probed, interrupt, tell)).await;
    // An interrupted session is not closed properly: dropping it ends its server.
    drop(drivers);
    let mut withheld = std::mem::take(&mut probed.withheld);
    let planned_withheld = withheld.len();
    let cases = driven_cases(&plan, &probed, driven.outcomes, driven.probes, &mut withheld);
    let pool = spare.after(driven.exchanges);
    let interrupted = driven.interrupted;
    let mut record = SessionRecord { cases, pool, interrupted, interrupt, tell };
    let after = AfterCases { assignment, run_folders, behind, part, scope, robustness, head: &head };
    after.drive_twins(&plan.cases, driven.apart, &driven.invented, &mut record).await;
    Box::pin(after.drive(&mut record)).await;
    let SessionRecord { cases, pool, interrupted, .. } = record;
    let transcript = Transcript { withheld, interrupted, ..Transcript::of(head, cases, pool.exchanges) };
    let tools = probed.tools.into_iter().map(|tool| tool.name).collect();
    Ok(DrivenSession { transcript, planned_withheld, tools, confinement })
}

/// The driver of a session's first process, which draws calls if the server is confined; and a pool for the
/// same server that has no process yet.
fn first_driver<'a>(
    assignment: &'a Assignment,
    pool: ProcessPool,
    resources: case::RunResources<'a>,
    head: &'a Head,
    part: SessionPart<'_>,
    scope: ProbeScope<'_>,
) -> (case::Driver<'a>, ProcessPool) {
    let mut first =
        case::Driver::new(pool, resources, &assignment.contract, head, assignment.options.isolation);
    if matches!(scope, ProbeScope::Complete(_)) {
        first = first.drawing(case::Draws::new(&head.catalog, &head.folders.upstream, assignment.seed));
    }
    if let SessionPart::Second { earlier, .. } = part {
        first = first.taught(earlier);
    }
    let spare = first.sibling_pool();
    (first, spare)
}

/// The result of the work, or `None` if the run is interrupted first; the work is then dropped unfinished.
pub(crate) async fn until<T>(
    interrupt: &mut watch::Receiver<bool>,
    work: impl Future<Output = T>,
) -> Option<T> {
    let interrupted = async {
        if interrupt.wait_for(|interrupted| *interrupted).await.is_err() {
            // The sender was dropped, so no interrupt can come.
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        biased;
        () = interrupted => None,
        result = work => Some(result),
    }
}

/// Completes when all of the given futures have completed.
pub(crate) async fn all(mut work: Vec<Pin<Box<dyn Future<Output = ()> + '_>>>) {
    std::future::poll_fn(|context| {
        work.retain_mut(|one| one.as_mut().poll(context).is_pending());
        if work.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// The command that starts the server of a run.
///
/// # Errors
/// When the server's own temporary folder cannot be made.
pub(crate) fn command(
    assignment: &Assignment,
    run_folders: &RunFolders,
    folders: &Folders,
    safety: &Safety,
) -> std::io::Result<Command> {
    let tokens = Tokens { folders, case: None, denied: None };
    let drawn = secret::drawn(assignment.seed);
    let replaced = |word: &String| tokens.replace(word).replace("{secret}", &drawn);
    let words = assignment.server.command.iter().map(replaced).collect();
    // A server that prints its environment shows this value too, besides the user's own secrets.
    let secret = (secret::VARIABLE.to_owned(), drawn.clone());
    let given = assignment.server.env.iter().map(|(name, value)| (name.clone(), replaced(value)));
    // A folder of its own: what the server keeps there, or makes readable for everyone, does not mix with this
    // run's other files.
    let temporary = run_folders.make_temporary()?;
    let own = ("TMPDIR".to_owned(), temporary.to_string_lossy().into_owned());
    let env = [secret, own].into_iter().chain(given).collect();
    let streams = assignment.server.streams.as_ref().map(|streams| streams.within(&folders.workspace));
    let writable = [Path::new(&folders.workspace), Path::new(&folders.outside)];
    let run_confinement = safety.run_confinement(&writable, &temporary);
    Ok(Command {
        words,
        cwd: assignment.server.cwd.as_ref().map(|cwd| PathBuf::from(tokens.replace(&cwd.to_string_lossy()))),
        env,
        streams,
        run_confinement,
        bounds: safety.bounds,
        unset: None,
        concealed: assignment.server.concealed.clone(),
    })
}

fn deadlines(assignment: &Assignment) -> Deadlines {
    Deadlines { start: assignment.start_timeout, call: assignment.timeout }
}

/// The message for folders of a run that could not be made: the cause, and what to do.
pub(crate) fn unmade(folder: &Path, error: &std::io::Error) -> String {
    let cause = match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such folder".to_owned(),
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            "it is not writable".to_owned()
        }
        std::io::ErrorKind::StorageFull => "its disk is full".to_owned(),
        _ if cause::is_want_of_room(error) => {
            let (folder, cause) = (folder.display(), cause::describe(error));
            return format!("cannot create the workspace in the temporary folder {folder}: {cause}");
        }
        _ => cause::describe(error),
    };
    format!(
        "cannot create the workspace in the temporary folder {}: {cause}; set TMPDIR to a folder that you \
         can write to",
        folder.display()
    )
}
