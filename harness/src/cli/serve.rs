//! `serve`: the reference server on standard input and output.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::fault::Failure;
use super::unbuilt;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The contract that its error replies keep
    #[arg(long, value_name = "ID")]
    contract: Option<String>,
    /// The folder in which commands run and relative paths begin
    #[arg(long, value_name = "DIR")]
    workdir: Option<PathBuf>,
    /// A folder that may be read and written, beside the working folder; may be given several times
    #[arg(long, value_name = "DIR")]
    allow_dir: Vec<PathBuf>,
    /// Paths that are refused, such as `*.key`; may be given several times
    #[arg(long, value_name = "GLOB")]
    deny: Vec<String>,
    /// The largest file that is read or written
    #[arg(long, value_name = "BYTES")]
    max_file_size: Option<u64>,
    /// How many background tasks may run at once
    #[arg(long, value_name = "N")]
    task_limit: Option<usize>,
    /// Be wrong in one way that the rules know: the id of a rule, some with `/VARIANT`
    #[arg(long, value_name = "NAME")]
    defect: Option<String>,
    /// A log on standard error
    #[arg(long, hide = true, value_name = "FORM")]
    log: Option<String>,
}

/// Serves until standard input is closed.
pub(crate) fn serve(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if arguments.log.is_some() {
        return Err(Failure::Usage(unbuilt::message("the option `--log`")));
    }
    reference::serve(arguments)
}

#[cfg(not(feature = "reference-server"))]
mod reference {
    use std::process::ExitCode;

    use super::Arguments;
    use crate::cli::fault::Failure;
    use crate::cli::server::LEAN;

    pub(super) fn serve(_: &Arguments) -> Result<ExitCode, Failure> {
        Err(Failure::Usage(format!("this lean build has no reference server: {LEAN}")))
    }
}

#[cfg(feature = "reference-server")]
mod reference {
    use std::path::PathBuf;
    use std::process::ExitCode;

    use mcp_errconf_reference::{Contract, Defect, Options, defects, find_defect, serve_stdio};
    use tokio::runtime::Builder;

    use super::Arguments;
    use crate::cli::fault::Failure;
    use crate::cli::nearest::nearest;

    pub(super) fn serve(arguments: &Arguments) -> Result<ExitCode, Failure> {
        let options = options(arguments)?;
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(|error| Failure::Fault(format!("no runtime could be made: {error}")))?;
        let served = runtime.block_on(serve_stdio(options));
        // Standard input may still be waited for by a thread.
        runtime.shutdown_background();
        served.map(|()| ExitCode::SUCCESS).map_err(|error| Failure::Usage(error.to_string()))
    }

    fn options(arguments: &Arguments) -> Result<Options, Failure> {
        let default = Options::default();
        Ok(Options {
            contract: contract(arguments.contract.as_deref())?,
            workdir: arguments.workdir.clone().unwrap_or_else(|| PathBuf::from(".")),
            allow_dirs: arguments.allow_dir.clone(),
            deny: arguments.deny.clone(),
            max_file_size: arguments.max_file_size.unwrap_or(default.max_file_size),
            task_limit: arguments.task_limit.unwrap_or(default.task_limit),
            defect: arguments.defect.as_deref().map(defect).transpose()?,
            log: default.log,
        })
    }

    fn contract(id: Option<&str>) -> Result<Contract, Failure> {
        let Some(id) = id else { return Ok(Contract::default()) };
        Contract::find(id).ok_or_else(|| {
            let known: Vec<_> = Contract::ALL.iter().map(|contract| contract.id()).collect();
            Failure::Usage(format!("the reference server does not speak `{id}`; it speaks {}", known.join(", ")))
        })
    }

    fn defect(name: &str) -> Result<&'static Defect, Failure> {
        find_defect(name).ok_or_else(|| {
            let near = nearest(name, defects().iter().map(|defect| defect.name));
            let next = near.map_or_else(String::new, |near| format!("; the nearest is `{near}`"));
            Failure::Usage(format!("there is no defect `{name}`{next}; `mcp-errconf selftest` names them all"))
        })
    }
}
