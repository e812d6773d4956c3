//! Inspecting a server: how it begins a session and which tools it lists.
//!
//! The main type is [`InspectedServer`].

use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::server::{Command, Deadlines, RunFolders, Upstream};
use crate::transcript::Head;

use super::pool::{ProcessPool, file_uri};
use super::session_part::SessionPart;
use super::startup::{self, Started};
use super::{Assignment, DriveError, behind, deadlines, head, unmade};

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
        self.pool.finish().await;
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
        startup::start(assignment, run_folders, &behind, interrupt).await?;
    let head = head::of_session(SessionPart::First, assignment, folders, safety.confinement(), opened)?;
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
