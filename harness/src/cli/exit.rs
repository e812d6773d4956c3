//! How the program ends after a failure.

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use super::console;
use super::failure::{FAULT, Failure};

/// Tells a failure on standard error.
pub(crate) fn report(failure: &Failure) -> ExitCode {
    console::error(&failure.to_string());
    ExitCode::from(failure.exit_code())
}

/// Runs `work`; a panic in it becomes an exit code of its own. The stack is unwound, so that open sessions end
/// their servers.
pub(crate) fn contained(work: impl FnOnce() -> ExitCode) -> ExitCode {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        console::error(
            "mcp-errconf itself failed, not the server: the message above says where; please report it \
             together with the command line",
        );
        ExitCode::from(FAULT)
    })
}
