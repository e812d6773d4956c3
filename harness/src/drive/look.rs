//! A look at a server: how it begins a session and which tools it lists, for whoever drives it in another way.
//!
//! The main type is [`Looked`].

use tokio::sync::watch;

use crate::server::{Command, Deadlines, Sandbox};
use crate::transcript::Head;

use super::pool::{Opened, Pool, file_uri};
use super::{Assignment, DriveError, bindings, command, deadlines, head, until};

/// What a look at a server gave, and how to start it again.
pub(crate) struct Looked {
    /// What is known of it.
    pub(crate) head: Head,
    /// How it is started.
    pub(crate) command: Command,
    /// How long is waited.
    pub(crate) deadlines: Deadlines,
    /// What it is answered when it asks for the roots.
    pub(crate) roots: Vec<String>,
}

/// Starts the server, asks for its tools and ends it.
pub(crate) async fn look(
    assignment: &Assignment,
    sandbox: &Sandbox,
    interrupt: &mut watch::Receiver<bool>,
) -> Result<Looked, DriveError> {
    let folders = &sandbox.folders;
    let command = command(assignment, sandbox).map_err(|error| DriveError::Harness(error.to_string()))?;
    let deadlines = deadlines(assignment);
    let mut pool = Pool::new(command.clone(), folders, deadlines);
    let opened =
        until(interrupt, pool.first(assignment.manner.opening)).await.ok_or(DriveError::Interrupted)?;
    let Opened { welcome, lifecycle, catalog } = opened.map_err(DriveError::NotExercised)?;
    pool.finish().await;
    let bindings = bindings(assignment, &catalog)?;
    let head = head(assignment, folders, welcome, lifecycle, catalog, bindings);
    Ok(Looked { head, command, deadlines, roots: vec![file_uri(&folders.workspace)] })
}
