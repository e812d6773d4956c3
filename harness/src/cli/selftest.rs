//! `selftest`: the rules proven on the reference server and its defects.

use std::process::ExitCode;

use super::Terminal;
use super::fault::Failure;

/// Runs the proof; each defect is told on its line.
#[cfg(not(feature = "reference-server"))]
pub(crate) fn selftest(_: &Terminal) -> Result<ExitCode, Failure> {
    Err(Failure::Usage(format!("this lean build has no reference server: {}", super::server::LEAN)))
}

/// Runs the proof; each defect is told on its line.
#[cfg(feature = "reference-server")]
pub(crate) fn selftest(_: &Terminal) -> Result<ExitCode, Failure> {
    Err(Failure::Fault("the selftest is not wired up yet".to_owned()))
}
