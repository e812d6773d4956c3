//! What belongs to the command line and is not in this version: recognised, and refused, never ignored.

use clap::Args;

use super::fault::Failure;

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

/// The words of every refusal.
pub(crate) fn message(what: &str) -> String {
    format!("{what} is not in this version ({}); `--help` lists what is", env!("CARGO_PKG_VERSION"))
}
