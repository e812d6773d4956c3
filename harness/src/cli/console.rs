//! Words on the terminal beside the report. A closed pipe is nobody's fault: who listens no more is not told.

use std::io::{self, ErrorKind, Write};

use mcp_errconf::{cause, escape};

use super::fault::Failure;

/// Why nothing was done, on standard error.
pub(crate) fn error(message: &str) {
    let _ = writeln!(io::stderr(), "error: {}", lines(message));
}

/// A remark, on standard error.
pub(crate) fn remark(message: &str) {
    let _ = writeln!(io::stderr(), "note: {}", lines(message));
}

/// A text for standard output, each line made harmless.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = writeln!(out, "{}", lines(text.trim_end())).and_then(|()| out.flush());
    written.or_else(|error| unless_closed(&error))
}

/// A text for standard output that is harmless already.
pub(crate) fn print_exactly(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).or_else(|error| unless_closed(&error))
}

fn unless_closed(error: &io::Error) -> Result<(), Failure> {
    match error.kind() {
        ErrorKind::BrokenPipe => Ok(()),
        _ => Err(Failure::Fault(format!("cannot write to standard output: {}", cause::of(error)))),
    }
}

fn lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(escape::line).collect();
    escape::no_workflow_command(&lines.join("\n"))
}
