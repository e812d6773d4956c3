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

/// Common options that are not built.
#[derive(Debug, Args)]
pub(crate) struct LaterOptions {
    #[arg(long, hide = true, value_name = "WHEN")]
    confine: Option<String>,
    #[arg(long, hide = true, value_name = "DIR")]
    allow_write: Vec<String>,
    #[arg(long, hide = true)]
    allow_destructive: bool,
    #[arg(long, hide = true, value_name = "NAME")]
    env: Vec<String>,
}

impl LaterOptions {
    /// Refuses the first of them that was given.
    pub(crate) fn refuse(&self) -> Result<(), Failure> {
        let given = [
            ("--confine", self.confine.is_some()),
            ("--allow-write", !self.allow_write.is_empty()),
            ("--allow-destructive", self.allow_destructive),
            ("--env", !self.env.is_empty()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(Failure::Usage(message(&format!("the option `{option}`")))),
            None => Ok(()),
        }
    }
}

/// The refusal of a subcommand.
pub(crate) fn subcommand(name: &str) -> Failure {
    Failure::Usage(message(&format!("the subcommand `{name}`")))
}

/// The words of every refusal.
pub(crate) fn message(what: &str) -> String {
    format!("{what} is not in this version ({}); `--help` lists what is", env!("CARGO_PKG_VERSION"))
}
