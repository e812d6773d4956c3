//! Starting a server, and what is known of it before the first case: how its session begins, which tools it lists, and the
//! head of the transcript.
//!
//! The main functions are [`start`], with a second attempt for a server that cannot start in full confinement, and
//! [`inspect`]. If the lifecycle is not given, the legacy one is tried first: some servers exit at an unknown request. If
//! `initialize` is refused, `server/discover` is sent to a fresh process. If it is unanswered for half of the start's
//! deadline, both wait at once, so that a silent server costs one deadline and not two.
//!
//! Whether a server that begins a legacy session has the modern lifecycle too is deliberately not checked: within the session
//! the request makes some servers exit, and it would otherwise take one more process in every run. `--lifecycle modern`
//! answers it.

use std::path::Path;
use std::pin::pin;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::catalog::{Catalog, Tool};
use crate::class::is_skipped;
use crate::condition::CaseId;
use crate::confinement::Confinement;
use crate::document::nearest;
use crate::exchange::Outcome;
use crate::machine::MachineNames;
use crate::placeholder::Folders;
use crate::roles::{Binding, bind_by_hand};
use crate::server::{
    Answered, Command, Deadlines, OpenError, RunFolders, SERVES_HTTP, Session, System, Upstream,
};
use crate::stock::repository;
use crate::stock::tool_files::ToolFiles;
use crate::transcript::{Head, Lifecycle};
use crate::wire::ServerHello;

use super::pool::{OpenFailure, OpenedServer, ProcessPool, file_uri};
use super::session_part::SessionPart;
use super::{
    Assignment, DriveError, Safety, ServerEnvironment, behind, command, confined_session, deadlines, made_up,
    root, unmade, until,
};

/// A server that has started.
pub(super) struct Started {
    pub(super) pool: ProcessPool,
    pub(super) opened: OpenedServer,
    pub(super) command: Command,
    /// The confinement in which it started.
    pub(super) safety: Safety,
}

/// Starts the server. If it does not start in full confinement, it is started again with the user's home
/// readable.
///
/// # Errors
/// When it does not start, with the result of the first attempt; when the run is interrupted; when a folder
/// cannot be made.
pub(super) async fn start(
    assignment: &Assignment,
    run_folders: &RunFolders,
    behind: &ServerEnvironment,
    interrupt: &mut watch::Receiver<bool>,
) -> Result<Started, DriveError> {
    lay_out_repository(assignment, run_folders)
        .map_err(|error| DriveError::Harness(unmade(Path::new(&run_folders.folders.workspace), &error)))?;
    let mut attempt = async |safety: &Safety| {
        let command = command(assignment, run_folders, &behind.folders, safety)
            .map_err(|error| DriveError::Harness(unmade(Path::new(&behind.folders.temporary()), &error)))?;
        let mut pool = ProcessPool::new(command.clone(), &behind.folders, deadlines(assignment));
        let opened = until(interrupt, pool.first(assignment.options.opening)).await;
        match opened.ok_or(DriveError::Interrupted)? {
            Ok(opened) => Ok((Ok(opened), pool, command)),
            Err(OpenFailure::Server(why)) => Ok((Err(why), pool, command)),
            Err(OpenFailure::Machine(why)) => Err(DriveError::Harness(why)),
        }
    };
    let (mut opened, mut pool, mut command) = attempt(&behind.safety).await?;
    // Some servers ask for something before they begin a session, and end if the service does not have it.
    if let (Err(_), Some(upstream)) =
        (&opened, behind.upstream.as_ref().filter(|upstream| upstream.asked() > 0))
    {
        upstream.set_stand_in(made_up());
        (opened, pool, command) = attempt(&behind.safety).await?;
    }
    let why = match opened {
        Ok(opened) => return Ok(Started { pool, opened, command, safety: behind.safety.clone() }),
        Err(why) => why,
    };
    if let Some(safety) = behind.safety.with_home().filter(|_| !why.contains(SERVES_HTTP)) {
        let (opened, pool, command) = attempt(&safety).await?;
        if let Ok(opened) = opened {
            return Ok(Started { pool, opened, command, safety });
        }
    }
    Err(behind.unopened(why))
}

/// Makes the repository that the server's command line, environment or working folder names: some servers do not start without
/// one.
fn lay_out_repository(assignment: &Assignment, run_folders: &RunFolders) -> std::io::Result<()> {
    let server = &assignment.server;
    let named = format!("{{workspace}}/{}", ToolFiles::REPOSITORY);
    let mut words = server.command.iter().chain(server.env.values());
    let is_cwd = server.cwd.as_ref().is_some_and(|cwd| cwd.starts_with(&named));
    if is_cwd || words.any(|word| word.contains(&named)) {
        // The folder of no case is the workspace itself.
        run_folders.lay_out(&CaseId(String::new()), &repository(), 0, &str::to_owned)?;
    }
    Ok(())
}

/// The result of an inspection, and how to start the server again.
pub(crate) struct InspectedServer {
    /// What is known about the server.
    pub(crate) head: Head,
    /// The command that starts it.
    pub(crate) command: Command,
    /// How long to wait for it.
    pub(crate) deadlines: Deadlines,
    /// The answer to its request for roots.
    pub(crate) roots: Vec<String>,
    /// How long its start and the list of tools took.
    pub(crate) took: Duration,
    /// The HTTP service behind it, which runs as long as this value lives.
    pub(crate) upstream: Option<Upstream>,
    /// Its processes: the one that was inspected is still running.
    pub(super) pool: ProcessPool,
}

impl InspectedServer {
    /// Shuts the running process down properly.
    pub(crate) async fn finish(&mut self) {
        self.pool.renew().await;
    }
}

/// Starts the server, asks for its tools and ends it; returns what that showed.
///
/// # Errors
/// When it does not start or lists no tools; when `interrupt` ends it; when a folder cannot be made or deleted.
pub async fn inspect(
    assignment: &Assignment,
    mut interrupt: watch::Receiver<bool>,
) -> Result<Head, DriveError> {
    let parent = std::env::temp_dir();
    let run_folders = RunFolders::create_in(&parent, assignment.seed)
        .map_err(|error| DriveError::Harness(unmade(&parent, &error)))?;
    let mut looked = look(assignment, &run_folders, &mut interrupt).await;
    if let Ok(looked) = &mut looked {
        looked.finish().await;
    }
    let removed = run_folders.remove().map_err(|error| DriveError::Harness(error.to_string()));
    let head = looked?.head;
    removed.map(|()| head)
}

/// Starts the server and asks for its tools.
pub(crate) async fn look(
    assignment: &Assignment,
    run_folders: &RunFolders,
    interrupt: &mut watch::Receiver<bool>,
) -> Result<InspectedServer, DriveError> {
    let begun = Instant::now();
    let behind = behind(assignment, run_folders)?;
    let folders = &behind.folders;
    let Started { pool, opened, command, safety } =
        start(assignment, run_folders, &behind, interrupt).await?;
    let head = of_session(SessionPart::First, assignment, folders, safety.confinement(), opened)?;
    let roots = vec![file_uri(&folders.workspace)];
    Ok(InspectedServer {
        head,
        command,
        deadlines: deadlines(assignment),
        roots,
        took: begun.elapsed(),
        upstream: behind.upstream,
        pool,
    })
}

impl Assignment {
    /// The head of the transcript of a run that did not come about.
    pub fn empty_head(&self) -> Head {
        Head {
            command: self.shown_command(),
            bundled: self.server.bundled,
            chosen: self.chosen,
            limits: self.limits.clone(),
            levels: self.levels.clone(),
            seed: self.seed,
            confinement: self.safety.confinement(),
            ..Head::of(&self.contract.id)
        }
    }
}

/// The head of a session's transcript; a second session takes over that of the first.
pub(super) fn of_session(
    part: SessionPart<'_>,
    assignment: &Assignment,
    folders: &Folders,
    confinement: Confinement,
    opened: OpenedServer,
) -> Result<Head, DriveError> {
    let OpenedServer { welcome, lifecycle, catalog } = opened;
    match part {
        SessionPart::First => {
            let bindings = bindings(assignment, &catalog)?;
            Ok(Head {
                server_name: welcome.name,
                server_version: welcome.version,
                protocol_version: welcome.protocol_version,
                lifecycle,
                catalog,
                limits: root::limits(assignment, &bindings, folders),
                bindings,
                folders: folders.clone(),
                confinement,
                machine: names_here(),
                ..assignment.empty_head()
            })
        }
        SessionPart::Second { head, .. } => Ok(confined_session::narrowed(head, &catalog)),
    }
}

/// Which tool plays which role. A tool that must never be called plays none.
fn bindings(assignment: &Assignment, catalog: &Catalog) -> Result<Vec<Binding>, DriveError> {
    let tools = catalog.tools.iter().map(|tool| tool.name.as_str());
    if let Some(name) = assignment.tools.keys().find(|name| catalog.tool(name).is_none()) {
        let near = nearest(name, tools).map_or(String::new(), |near| format!(": did you mean `{near}`?"));
        return Err(DriveError::Configuration(format!(
            "`[tools.{name}]`: the server has no such tool{near}"
        )));
    }
    let is_called = |tool: &&Tool| !is_skipped(&tool.name, &assignment.tools);
    let called = catalog.tools.iter().filter(is_called).cloned().collect();
    bind_by_hand(&Catalog { tools: called }, &assignment.roles)
        .map_err(|error| DriveError::Configuration(error.to_string()))
}

/// The names of this machine and its user.
fn names_here() -> MachineNames {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let home = || variable("HOME").and_then(|home| home.rsplit('/').next().map(str::to_owned));
    let (first, second) = if cfg!(windows) { ("USERNAME", "USER") } else { ("USER", "LOGNAME") };
    let user = variable(first).or_else(|| variable(second)).or_else(home).unwrap_or_default();
    MachineNames::new(&user, &System::here().node)
}

/// The lifecycle that is requested from a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RequestedLifecycle {
    /// The legacy one, or else the modern one.
    #[default]
    Auto,
    /// Only this one.
    Only(Lifecycle),
}

/// A session, the server's description of itself, and the answer that contained it.
pub(super) type StartedSession = (Session, ServerHello, Answered);

/// Begins the first session of a run.
pub(super) async fn open_first(
    command: &Command,
    roots: &[String],
    deadlines: Deadlines,
    opening: RequestedLifecycle,
) -> Result<(Lifecycle, StartedSession), OpenError> {
    let open = |lifecycle, start: Duration| async move {
        let deadlines = Deadlines { start, ..deadlines };
        let begun = Session::open(command, lifecycle, roots.to_vec(), deadlines).await?;
        Ok((lifecycle, begun))
    };
    if let RequestedLifecycle::Only(lifecycle) = opening {
        return open(lifecycle, deadlines.start).await;
    }
    let half = deadlines.start / 2;
    let mut legacy = pin!(open(Lifecycle::Legacy, deadlines.start));
    let first = tokio::time::timeout(half, &mut legacy).await;
    match first {
        Ok(Ok(begun)) => Ok(begun),
        // A command that cannot be started fails in either lifecycle.
        Ok(Err(error @ OpenError::Spawn(_))) => Err(error),
        Ok(Err(error)) if error.to_string().contains(SERVES_HTTP) => Err(error),
        Ok(Err(legacy)) => open(Lifecycle::Modern, half).await.map_err(|modern| neither(legacy, &modern)),
        Err(_) => {
            let mut modern = pin!(open(Lifecycle::Modern, half));
            tokio::select! {
                begun = &mut legacy => match begun {
                    Ok(begun) => Ok(begun),
                    Err(legacy) => modern.await.map_err(|modern| neither(legacy, &modern)),
                },
                begun = &mut modern => match begun {
                    Ok(begun) => Ok(begun),
                    Err(modern) => legacy.await.map_err(|legacy| neither(legacy, &modern)),
                },
            }
        }
    }
}

/// Why neither lifecycle could be used. Most servers have the legacy one, so its cause comes first; that the other one met
/// the same end is not worth a line.
fn neither(legacy: OpenError, modern: &OpenError) -> OpenError {
    let OpenError::Refused { cause, answer } = legacy else { return legacy };
    let is_silence = |outcome: &Outcome| matches!(outcome, Outcome::NoReply { .. } | Outcome::Ended(_));
    let is_same = |modern: &Answered| is_silence(&modern.outcome) && is_silence(&answer.outcome);
    if matches!(modern, OpenError::Refused { answer: modern, .. } if is_same(modern)) {
        return OpenError::Refused { cause, answer };
    }
    let modern = modern.to_string();
    let modern = modern.lines().next().unwrap_or_default();
    OpenError::Refused {
        cause: format!("{cause}\nTried again without a handshake, in a fresh process: {modern}"),
        answer,
    }
}
