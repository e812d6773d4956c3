//! Messages on the terminal besides the report. A closed pipe is not an error.

use std::io::{self, ErrorKind, IsTerminal, Write};
#[cfg(unix)]
use std::os::fd::AsFd as Stream;
#[cfg(windows)]
use std::os::windows::io::AsHandle as Stream;

use mcp_errconf::report::pieces;
use mcp_errconf::{cause, escape};
use unicode_width::UnicodeWidthStr as _;

use super::failure::Failure;

/// Prints an error on standard error.
pub(crate) fn error(message: &str) {
    tell(&lines(&format!("error: {message}")));
}

/// Prints a note on standard error.
pub(crate) fn remark(message: &str) {
    tell(&lines(&format!("note: {message}")));
}

/// Prints a text on standard error, wrapped if that is a terminal which is narrower.
fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{}", wrapped(text, error_columns()));
}

/// How many columns a table may have: those of the terminal, if it is printed there.
pub(crate) fn columns(on_standard_output: bool) -> usize {
    const USUAL: usize = 110;
    on_standard_output.then(terminal_columns).flatten().unwrap_or(USUAL)
}

/// The terminal's columns, within sensible limits; `None` if standard output is not a terminal. `COLUMNS` takes
/// precedence.
pub(crate) fn terminal_columns() -> Option<usize> {
    columns_of(io::stdout())
}

/// The same for standard error.
pub(crate) fn error_columns() -> Option<usize> {
    columns_of(io::stderr())
}

fn columns_of(stream: impl IsTerminal + Stream) -> Option<usize> {
    if !stream.is_terminal() {
        return None;
    }
    let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse::<usize>().ok());
    let columns = named.or_else(|| seen_columns(stream)).filter(|columns| *columns > 0)?;
    Some(columns.clamp(60, 200))
}

#[cfg(unix)]
fn seen_columns(stream: impl Stream) -> Option<usize> {
    rustix::termios::tcgetwinsize(stream).ok().map(|size| usize::from(size.ws_col))
}

#[cfg(windows)]
fn seen_columns(stream: impl Stream) -> Option<usize> {
    terminal_size::terminal_size_of(stream).map(|(columns, _)| usize::from(columns.0))
}

/// Whether the terminal on standard output shows links (OSC 8), judged by its environment. `FORCE_HYPERLINK`
/// takes precedence.
pub(crate) fn knows_links() -> bool {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    match variable("FORCE_HYPERLINK").as_str() {
        "" => {}
        forced => return forced != "0",
    }
    let (term, program) = (variable("TERM"), variable("TERM_PROGRAM"));
    let is_within_another = ["screen", "tmux", "dumb"].iter().any(|name| term.starts_with(name));
    let knows = ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby"].contains(&program.as_str())
        || ["xterm-kitty", "alacritty", "foot"].iter().any(|name| term.starts_with(name))
        || variable("VTE_VERSION").parse::<u32>().is_ok_and(|version| version >= 5_000)
        || ["KONSOLE_VERSION", "WT_SESSION", "DOMTERM"].iter().any(|name| !variable(name).is_empty());
    io::stdout().is_terminal() && !is_within_another && knows
}

/// Prints a text on standard output, with each line escaped, and wrapped if the terminal is narrower.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let text = wrapped(&lines(text.trim_end()), terminal_columns());
    let written = writeln!(out, "{text}").and_then(|()| out.flush());
    written.or_else(|error| unless_closed(&error))
}

/// Prints a text on standard output that needs no escaping.
pub(crate) fn print_exactly(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).or_else(|error| unless_closed(&error))
}

/// A text wrapped to this many columns; as it is if there is no terminal.
fn wrapped(text: &str, columns: Option<usize>) -> String {
    match columns {
        Some(columns) => text.split('\n').map(|line| fitted(line, columns)).collect::<Vec<_>>().join("\n"),
        None => text.to_owned(),
    }
}

/// A line wrapped between words; continuation lines are indented to the last column that begins in the first
/// half of the line. JSON, which has no spaces, is broken anywhere; a path or an address is kept whole.
fn fitted(line: &str, columns: usize) -> String {
    if line.width() <= columns {
        return line.to_owned();
    }
    let gaps = line.match_indices("  ").map(|(at, _)| {
        let after = &line[at..];
        at + after.len() - after.trim_start().len()
    });
    let margin = line.len() - line.trim_start().len();
    let hang = gaps.filter(|at| line[..*at].width() <= columns / 2).last().unwrap_or(margin);
    let (before, text) = line.split_at(hang);
    let (under, room) = (" ".repeat(before.width()), columns.saturating_sub(before.width()));
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ if word.contains('"') => lines.extend(pieces(word, room)),
            _ => lines.push(word.to_owned()),
        }
    }
    format!("{before}{}", lines.join(&format!("\n{under}")))
}

fn unless_closed(error: &io::Error) -> Result<(), Failure> {
    match error.kind() {
        ErrorKind::BrokenPipe => Ok(()),
        _ => Err(Failure::Fault(format!("cannot write to standard output: {}", cause::describe(error)))),
    }
}

fn lines(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(escape::line).collect();
    escape::no_workflow_command(&lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_broken_off_stands_under_its_column() {
        let line = "leak/panic      must   the error reply shows a panic of the server";
        let under = " ".repeat(23);
        let expected = format!("leak/panic      must   the error reply shows a\n{under}panic of the server");
        assert_eq!(fitted(line, 48), expected);
        assert_eq!(fitted("  one two three", 9), "  one two\n  three");
        assert_eq!(fitted("short", 60), "short");
        assert_eq!(fitted("  a  {\"b\":\"c\"} d", 10), "  a  {\"b\":\n     \"c\"}\n     d");
    }
}
