//! `serve`: the reference server on standard input and output.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::fault::Failure;

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
    /// The address of an HTTP service that the tool `http_get` asks; may be given several times
    #[arg(long, value_name = "URL")]
    upstream: Vec<String>,
    /// What is sent to that service as a bearer token
    #[arg(long, value_name = "TOKEN")]
    upstream_token: Option<String>,
    /// Be wrong in one way that the rules know: the id of a rule, some with `/VARIANT`
    #[arg(long, value_name = "NAME")]
    defect: Option<String>,
    /// The form of the log on standard error: a line for each error, with its cause
    #[arg(long, value_enum, value_name = "FORM", default_value_t = LogForm::Text)]
    log: LogForm,
}

/// See `--log`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum LogForm {
    Text,
    Json,
}

/// Serves until standard input is closed.
pub(crate) fn serve(arguments: &Arguments) -> Result<ExitCode, Failure> {
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
mod reference;
