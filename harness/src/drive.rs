//! The live half: opens a session on a server, drives the plan and gives the transcript.
//!
//! The main function is [`drive`]. What it sends is decided by the plan and, for hints that are followed, by a pure
//! function of the judge; verdicts are not given here.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::catalog::Catalog;
use crate::contract::Contract;
use crate::event::Event;
use crate::plan::{PlannedCase, plan};
use crate::roles::{Binding, Role, bind};
use crate::secret;
use crate::server::{Command, Deadlines, Sandbox};
use crate::suite::Suite;
use crate::token::Tokens;
use crate::transcript::{CaseKind, Chosen, Course, DrivenCase, Folders, Head, Lifecycle, Limits, Transcript};
use crate::wire::Welcome;

mod case;
mod pool;

use pool::{Opened, Pool};

/// How many background tasks `bracket-code` allows.
const BRACKET_CODE_TASKS: u64 = 10;

/// What is run.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The server's command line; `{workspace}` and `{outside}` are replaced.
    pub command: Vec<String>,
    /// It is the bundled reference server.
    pub bundled: bool,
    /// The server's working folder; none: the caller's.
    pub cwd: Option<PathBuf>,
    /// The contract that is judged.
    pub contract: Contract,
    /// How it was chosen.
    pub chosen: Chosen,
    /// What is known of its limits beforehand.
    pub limits: Limits,
    /// The cases to drive.
    pub suite: Suite,
    /// The deadline of a call.
    pub timeout: Duration,
    /// The deadline of the start.
    pub start_timeout: Duration,
    /// The seed of everything that is drawn.
    pub seed: u64,
}

/// Why nothing could be judged.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The server did not start, listed no tool, or died at once.
    #[error("{0}")]
    NotExercised(String),
    /// The run was ended by the user before the server had started.
    #[error("interrupted before the server had started")]
    Interrupted,
    /// The harness's own trouble: a folder could not be made or deleted.
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
    mut interrupt: watch::Receiver<bool>,
    tell: &mut dyn FnMut(Event),
) -> Result<Transcript, DriveError> {
    let begun = Instant::now();
    let sandbox = Sandbox::create(assignment.seed)
        .map_err(|error| DriveError::Harness(format!("the workspace could not be made: {error}")))?;
    let driven = drive_in(assignment, &sandbox, &mut interrupt, tell).await;
    let removed = sandbox.remove().map_err(|error| DriveError::Harness(error.to_string()));
    let mut transcript = driven?;
    removed?;
    transcript.duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(transcript)
}

async fn drive_in(
    assignment: &Assignment,
    sandbox: &Sandbox,
    interrupt: &mut watch::Receiver<bool>,
    tell: &mut dyn FnMut(Event),
) -> Result<Transcript, DriveError> {
    let folders = &sandbox.folders;
    let mut pool = Pool::new(command(assignment, folders), folders, deadlines(assignment));
    let opened = until(interrupt, pool.first()).await.ok_or(DriveError::Interrupted)?;
    let Opened { welcome, catalog } = opened.map_err(DriveError::NotExercised)?;
    let bindings = bind(&catalog);
    let head = head(assignment, folders, welcome, catalog, bindings);
    let plan = plan(&assignment.suite, &head.catalog, &head.bindings, &head.limits, folders);
    tell(Event::Started { head: Box::new(head.clone()), planned: plan.cases.len() });

    let mut driver = case::Driver::new(pool, sandbox, &assignment.contract, &head);
    let mut cases = Vec::with_capacity(plan.cases.len());
    let mut interrupted = false;
    for planned in &plan.cases {
        let course = if interrupted {
            Course::Skipped("the run was interrupted before it".to_owned())
        } else {
            until(interrupt, driver.case(planned)).await.unwrap_or_else(|| {
                interrupted = true;
                Course::Errored("the run was interrupted during it".to_owned())
            })
        };
        tell(Event::Driven { case: planned.case.id.clone(), course: course.clone() });
        cases.push(driven_case(planned, course));
    }
    let exchanges = driver.finish(interrupted).await;
    Ok(Transcript { head, cases, exchanges, interrupted, duration_ms: 0 })
}

/// The result of the work, or none when the run is interrupted first; then the work is dropped where it stands.
async fn until<T>(interrupt: &mut watch::Receiver<bool>, work: impl Future<Output = T>) -> Option<T> {
    let interrupted = async {
        if interrupt.wait_for(|interrupted| *interrupted).await.is_err() {
            // Nobody can interrupt any more.
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        biased;
        () = interrupted => None,
        result = work => Some(result),
    }
}

fn command(assignment: &Assignment, folders: &Folders) -> Command {
    let tokens = Tokens { folders, case: None, denied: None };
    let words = assignment.command.iter().map(|word| tokens.replace(word)).collect();
    // Whoever prints its environment shows this one, and not the user's own secrets alone.
    let env = vec![(secret::VARIABLE.to_owned(), secret::drawn(assignment.seed))];
    Command { words, cwd: assignment.cwd.clone(), env }
}

fn deadlines(assignment: &Assignment) -> Deadlines {
    Deadlines { start: assignment.start_timeout, call: assignment.timeout }
}

fn head(
    assignment: &Assignment,
    folders: &Folders,
    welcome: Welcome,
    catalog: Catalog,
    bindings: Vec<Binding>,
) -> Head {
    let limits = limits(assignment, &bindings);
    Head {
        command: assignment.command.clone(),
        bundled: assignment.bundled,
        server_name: welcome.name,
        server_version: welcome.version,
        protocol_version: welcome.protocol_version,
        lifecycle: Lifecycle::Legacy,
        contract: assignment.contract.id.clone(),
        chosen: assignment.chosen,
        catalog,
        bindings,
        limits,
        seed: assignment.seed,
        folders: folders.clone(),
    }
}

/// What is known of the server's limits once its tools are known (A25).
fn limits(assignment: &Assignment, bindings: &[Binding]) -> Limits {
    let has_background = bindings
        .iter()
        .any(|binding| binding.role == Role::Shell && binding.parameters.contains_key("background"));
    let by_contract =
        (assignment.contract.id == "bracket-code" && has_background).then_some(BRACKET_CODE_TASKS);
    Limits {
        root: assignment.limits.root || assignment.command.iter().any(|word| word.contains("{workspace}")),
        max_file_size: assignment.limits.max_file_size,
        background_tasks: assignment.limits.background_tasks.or(by_contract),
        deny: assignment.limits.deny.clone(),
    }
}

fn driven_case(planned: &PlannedCase, course: Course) -> DrivenCase {
    let script = &planned.case.script;
    DrivenCase {
        id: planned.case.id.clone(),
        title: script.title.clone(),
        kind: CaseKind::Scenario,
        requirements: script.requirements.clone(),
        condition: script.condition.as_ref().map(ToString::to_string),
        tools: planned.tools.clone(),
        course,
    }
}
