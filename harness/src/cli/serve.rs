//! `serve`: the reference server on standard input and output.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// The contract that its error replies follow
    #[arg(long, value_name = "ID")]
    contract: Option<String>,
    /// The folder in which commands run and from which relative paths are resolved
    #[arg(long, value_name = "DIR")]
    workdir: Option<PathBuf>,
    /// A folder that may be read and written, in addition to the working folder; may be repeated
    #[arg(long, value_name = "DIR")]
    allow_dir: Vec<PathBuf>,
    /// Paths to refuse, such as `*.key`; may be repeated
    #[arg(long, value_name = "GLOB")]
    deny: Vec<String>,
    /// The largest file that it reads or writes
    #[arg(long, value_name = "BYTES")]
    max_file_size: Option<u64>,
    /// How many background tasks may run at once
    #[arg(long, value_name = "N")]
    task_limit: Option<usize>,
    /// The address of an HTTP service that the tool `http_get` may call; may be repeated
    #[arg(long, value_name = "URL")]
    upstream: Vec<String>,
    /// The bearer token to send to that service
    #[arg(long, value_name = "TOKEN")]
    upstream_token: Option<String>,
    /// The environment variable that holds that token; without it `http_get` refuses every call
    #[arg(long, value_name = "NAME", conflicts_with = "upstream_token")]
    upstream_token_variable: Option<String>,
    /// Misbehave in one way that the rules detect: the id of a rule, for some rules followed by `/VARIANT`
    #[arg(long, value_name = "NAME")]
    defect: Option<String>,
    /// Format of the log on standard error: one line for each error, with its cause
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = LogForm::Text)]
    log: LogForm,
}

/// The value of `--log`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum LogForm {
    Text,
    Json,
}

/// Serves until standard input is closed.
pub(crate) fn serve(arguments: &ServeArguments) -> Result<(), Failure> {
    reference::serve(arguments)
}

#[cfg(not(feature = "reference-server"))]
mod reference {
    use super::ServeArguments;
    use crate::cli::failure::Failure;
    use crate::cli::server::LEAN;

    pub(super) fn serve(_: &ServeArguments) -> Result<(), Failure> {
        Err(Failure::Usage(format!("this build has no reference server: {LEAN}")))
    }
}

#[cfg(feature = "reference-server")]
mod reference;
