//! Starting the first process of a session, with a second attempt for a server that cannot start in full
//! confinement.
//!
//! The main function is [`start`].

use std::path::Path;

use tokio::sync::watch;

use crate::server::{Command, RunFolders, SERVES_HTTP};

use super::pool::{OpenFailure, OpenedServer, ProcessPool};
use super::{Assignment, DriveError, Safety, ServerEnvironment, command, deadlines, unmade, until};

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
    let (opened, pool, command) = attempt(&behind.safety).await?;
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
