//! Words on the terminal beside the report. A closed pipe is nobody's fault: who listens no more is not told.

use std::io::{self, ErrorKind, IsTerminal as _, Write};

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

/// So many columns a table may take: those of the terminal if it goes there.
pub(crate) fn columns(on_standard_output: bool) -> usize {
    const USUAL: usize = 110;
    on_standard_output.then(terminal_columns).flatten().unwrap_or(USUAL)
}

/// How many columns the terminal has that standard output is, within what texts are made for; none where it is no terminal.
/// `COLUMNS` wins.
pub(crate) fn terminal_columns() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse::<usize>().ok());
    let seen = || rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| usize::from(size.ws_col));
    let columns = named.or_else(seen).filter(|columns| *columns > 0)?;
    Some(columns.clamp(60, 200))
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
