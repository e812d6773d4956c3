//! What belongs to the command line and is not in this version: recognised, and refused, never ignored.

use std::ffi::OsString;

use clap::Args;

use super::fault::Failure;

/// The arguments of a subcommand that is not built: all of them.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Anything {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

/// The refusal of a subcommand.
pub(crate) fn subcommand(name: &str) -> Failure {
    Failure::Usage(message(&format!("the subcommand `{name}`")))
}

/// The words of every refusal.
pub(crate) fn message(what: &str) -> String {
    format!("{what} is not in this version ({}); `--help` lists what is", env!("CARGO_PKG_VERSION"))
}
