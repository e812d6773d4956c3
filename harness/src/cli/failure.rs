//! What keeps a command from being done, and the exit code of it.
//!
//! The main type is [`Failure`]. What a run comes to is no failure: that is a
//! [`Conclusion`](mcp_errconf::conclusion::Conclusion).

use std::path::Path;

/// Why a command was not done. The message names the place, the cause and the next step.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Wrong usage, configuration or case file.
    #[error("{0}")]
    Usage(String),
    /// A fault of the harness itself.
    #[error("mcp-errconf itself failed, not the server: {0}")]
    Fault(String),
    /// A second interruption: nothing more is written.
    #[error("stopped at once by a second interruption; anything not yet written is lost")]
    Abandoned,
}

impl Failure {
    /// Wrong usage that stands in the configuration, with its file.
    pub(super) fn in_file(self, file: Option<&Path>) -> Self {
        match (self, file) {
            (Self::Usage(cause), Some(file)) => Self::Usage(format!("{}: {cause}", file.display())),
            (failure, _) => failure,
        }
    }

    /// The exit code that says so.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Fault(_) => FAULT,
            Self::Abandoned => 130,
        }
    }
}

/// The exit code of a fault of the harness itself.
pub(super) const FAULT: u8 = 70;
