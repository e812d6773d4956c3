//! Measures the memory of the reference server while it answers, as a campaign does.

use std::time::Duration;

use serde_json::json;

use crate::drive::{Assignment, DriveError, behind, command};
use crate::memory::Curve;
use crate::server::{Deadlines, RunFolders, ServerProcesses, Session};
use crate::transcript::Lifecycle;

/// More calls than a server needs to warm up.
const CALLS: u64 = 2_400;
/// The number of calls between two measurements.
const BETWEEN: u64 = 50;
const DEADLINE: Duration = Duration::from_secs(30);

/// The memory of a server process over many calls; `None` if the system does not tell.
///
/// # Errors
/// When the server could not be started, or folders could not be made.
pub(super) async fn measured(assignment: &Assignment, process: usize) -> Result<Option<Curve>, DriveError> {
    let harness = |error: &dyn std::fmt::Display| DriveError::Harness(error.to_string());
    let run_folders = RunFolders::create(assignment.seed).map_err(|error| harness(&error))?;
    let behind = behind(assignment, &run_folders)?;
    let command = command(assignment, &run_folders, &behind.folders, &behind.safety)
        .map_err(|error| harness(&error))?;
    let deadlines = Deadlines { start: DEADLINE, call: DEADLINE };
    let opened = Session::open(&command, Lifecycle::Legacy, Vec::new(), deadlines).await;
    let (mut session, ..) = opened.map_err(|error| DriveError::NotExercised(error.to_string()))?;
    let mut curve = Curve::new(process);
    let call = json!({"name": "view", "arguments": {"path": run_folders.folders.workspace}}).to_string();
    for calls in 1..=CALLS {
        session.call("tools/call", &call).await;
        if calls % BETWEEN == 0
            && let Some(bytes) = session.processes().and_then(ServerProcesses::memory)
        {
            curve.add(calls, bytes);
        }
    }
    session.close().await;
    run_folders.remove().map_err(|error| harness(&error))?;
    Ok((!curve.samples.is_empty()).then_some(curve))
}
