//! Failures of a command, and their exit codes.
//!
//! The main type is [`Failure`]. The result of a run is not a failure but a
//! [`Conclusion`](mcp_errconf::conclusion::Conclusion).

use std::io;
use std::path::Path;

use mcp_errconf::cause;
use mcp_errconf::document::{LoadError, nearest};

/// Why a command failed. The message names the place, the cause and the next step.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Wrong usage, configuration or case file.
    #[error("{0}")]
    Usage(String),
    /// A failure of the harness itself.
    #[error("mcp-errconf itself failed, not the server: {0}")]
    Fault(String),
    /// A second interruption: nothing more is written.
    #[error("stopped at once by a second interruption; anything not yet written is lost")]
    Abandoned,
}

impl Failure {
    /// Adds the configuration's file to the message, if the mistake is in the configuration.
    pub(super) fn in_file(self, file: Option<&Path>) -> Self {
        match (self, file) {
            (Self::Usage(cause), Some(file)) => Self::Usage(format!("{}: {cause}", file.display())),
            (failure, _) => failure,
        }
    }

    /// A file or folder with which something cannot be done, such as `write`; `next` is what to do about it, if there is
    /// anything to say.
    pub(super) fn of_file(what: &str, path: &Path, error: &io::Error, next: &str) -> Self {
        let next = if next.is_empty() { String::new() } else { format!("; {next}") };
        Self::Usage(format!("cannot {what} `{}`: {}{next}", path.display(), cause::describe(error)))
    }

    /// The exit code of this failure.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Fault(_) => FAULT,
            Self::Abandoned => 130,
        }
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        Self::Usage(error.to_string())
    }
}

/// The exit code for a failure of the harness itself.
pub(super) const FAULT: u8 = 70;

/// A suggestion for a mistyped name, at the end of a message's clause: ` (did you mean `NAME`?)`, or nothing if no name is
/// similar.
pub(super) fn suggestion<'n>(given: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    nearest(given, names).map_or(String::new(), |name| format!(" (did you mean `{name}`?)"))
}
