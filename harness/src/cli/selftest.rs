//! `selftest`: the rules proven on the reference server and its defects.

use std::process::ExitCode;

use super::Terminal;
use super::fault::Failure;

#[cfg(feature = "reference-server")]
mod told;

/// Runs the proof; each defect is told on its line.
#[cfg(not(feature = "reference-server"))]
pub(crate) fn selftest(_: &Terminal) -> Result<ExitCode, Failure> {
    Err(Failure::Usage(format!("this build has no reference server: {}", super::server::LEAN)))
}

/// Runs the proof; each subject is told on its line, and why it failed below it.
#[cfg(feature = "reference-server")]
pub(crate) fn selftest(terminal: &Terminal) -> Result<ExitCode, Failure> {
    use mcp_errconf::drive::DriveError;
    use mcp_errconf::rules;
    use mcp_errconf::selftest::{compare, record};

    let suite = super::case_source::suite(None)?;
    let program = super::server::this_program()?;
    let recorded = super::interrupt::run(async |interrupted| {
        record(&program, &suite, interrupted, &mut |recorded| told::progress(recorded, terminal)).await
    })?;
    let recorded = match recorded {
        Ok(recorded) => recorded,
        Err((_, DriveError::Interrupted)) => return Ok(ExitCode::from(130)),
        Err((defect, error)) => {
            return Err(Failure::Fault(format!("{}: {error}", told::name(defect))));
        }
    };
    let compared: Vec<_> =
        recorded.iter().map(|recorded| (recorded, compare(recorded, rules::all()))).collect();
    super::console::print(&told::outcome(&compared))?;
    let proven = compared.iter().all(|(_, difference)| difference.is_none());
    Ok(ExitCode::from(u8::from(!proven)))
}
