//! A look at a server: how it begins a session and which tools it lists, for whoever drives it in another way.
//!
//! The main type is [`Looked`].

use tokio::sync::watch;

use crate::server::{Command, Deadlines, Sandbox, Upstream};
use crate::transcript::Head;

use super::pool::{Opened, Pool, file_uri};
use super::{Assignment, DriveError, behind, bindings, command, deadlines, head, until};

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
    /// The HTTP service behind it, which answers for as long as this lives.
    pub(crate) upstream: Option<Upstream>,
}

/// Starts the server, asks for its tools and ends it.
pub(crate) async fn look(
    assignment: &Assignment,
    sandbox: &Sandbox,
    interrupt: &mut watch::Receiver<bool>,
) -> Result<Looked, DriveError> {
    let behind = behind(assignment, sandbox)?;
    let folders = &behind.folders;
    let command =
        command(assignment, sandbox, &behind).map_err(|error| DriveError::Harness(error.to_string()))?;
    let deadlines = deadlines(assignment);
    let mut pool = Pool::new(command.clone(), folders, deadlines);
    let opened =
        until(interrupt, pool.first(assignment.manner.opening)).await.ok_or(DriveError::Interrupted)?;
    let Opened { welcome, lifecycle, catalog } = opened.map_err(|why| behind.unopened(why))?;
    pool.finish().await;
    let bindings = bindings(assignment, &catalog)?;
    let head = head(assignment, &behind, welcome, lifecycle, catalog, bindings);
    let roots = vec![file_uri(&folders.workspace)];
    Ok(Looked { head, command, deadlines, roots, upstream: behind.upstream })
}
