//! `selftest`: checks the rules on the reference server and its defects.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::Terminal;
use super::failure::Failure;

#[cfg(feature = "reference-server")]
mod report;

#[derive(Debug, Args)]
pub(crate) struct SelftestArguments {
    /// Keep the recording of each subject that fails in this folder, for `mcp-errconf judge`
    #[arg(long, value_name = "DIR")]
    recordings: Option<PathBuf>,
}

/// Runs the selftest; each defect is reported on a line.
#[cfg(not(feature = "reference-server"))]
pub(crate) fn selftest(_: &SelftestArguments, _: &Terminal) -> Result<ExitCode, Failure> {
    Err(Failure::Usage(format!("this build has no reference server: {}", super::server::LEAN)))
}

/// Runs the selftest; each subject is reported on a line, followed by the reasons if it failed.
#[cfg(feature = "reference-server")]
pub(crate) fn selftest(arguments: &SelftestArguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    use mcp_errconf::drive::DriveError;
    use mcp_errconf::selftest::{Breadth, compare, record};
    use mcp_errconf::{cause, rules};

    let suite = super::case_source::suite(None)?;
    let program = super::server::this_program()?;
    let recorded = super::interrupt::run(async |interrupted| {
        let mut tell = |recorded: &_| report::progress(recorded, terminal);
        record(&program, &suite, Breadth::EveryContract, interrupted, &mut tell).await
    })?;
    let recorded = match recorded {
        Ok(recorded) => recorded,
        Err((_, DriveError::Interrupted)) => return Ok(ExitCode::from(130)),
        Err((defect, error)) => {
            return Err(Failure::Fault(format!("{}: {error}", report::name(defect))));
        }
    };
    let compared: Vec<_> =
        recorded.iter().map(|recorded| (recorded, compare(recorded, rules::all()))).collect();
    super::console::print(&report::outcome(&compared))?;
    let proven = compared.iter().all(|(_, difference)| difference.is_none());
    let failed = compared.iter().filter(|(_, difference)| !difference.is_none());
    match &arguments.recordings {
        Some(folder) => {
            for (recorded, _) in failed {
                let kept = recorded.keep_in(folder).map_err(|error| {
                    Failure::Fault(format!(
                        "the recording could not be written in {}: {}",
                        folder.display(),
                        cause::describe(&error)
                    ))
                })?;
                super::console::remark(&format!("recorded in {}", kept.display()));
            }
        }
        None if !proven => {
            super::console::remark("`--recordings DIR` keeps the recording of each that fails");
        }
        None => {}
    }
    Ok(ExitCode::from(u8::from(!proven)))
}
