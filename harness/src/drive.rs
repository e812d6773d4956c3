//! The live half: opens a session on a server, drives the plan and gives the transcript.
//!
//! The main function is [`drive`].

use std::path::PathBuf;
use std::time::Duration;

use crate::contract::Contract;
use crate::event::Event;
use crate::suite::Suite;
use crate::transcript::{Chosen, Transcript};

/// What is run.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The server's command line; `{workspace}` and `{outside}` are replaced.
    pub command: Vec<String>,
    /// It is the bundled reference server, whose limits are known.
    pub bundled: bool,
    /// The server's working folder; none: the caller's.
    pub cwd: Option<PathBuf>,
    /// The contract that is judged.
    pub contract: Contract,
    /// How it was chosen.
    pub chosen: Chosen,
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
    /// The harness's own trouble: a folder could not be made.
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
    _assignment: &Assignment,
    _interrupt: tokio::sync::watch::Receiver<bool>,
    _tell: &mut dyn FnMut(Event),
) -> Result<Transcript, DriveError> {
    Err(DriveError::Harness("not built yet".into()))
}
