//! How far a run is: one line on a terminal that is written over and, at the end, wiped.

use std::io::{self, Write};

use crate::event::{Event, Reporter};

use super::escape;

/// The columns that the line may take: it must not wrap, or it could not be wiped.
const COLUMNS: usize = 72;

/// Return to the line's beginning and clear it.
const WIPE: &str = "\r\u{1b}[2K";

/// Shows how many cases are through. Only for a terminal.
#[derive(Debug)]
pub struct Progress<W: Write> {
    out: W,
    planned: usize,
    driven: usize,
}

impl<W: Write> Progress<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Self {
        Self { out, planned: 0, driven: 0 }
    }

    fn show(&mut self, what: &str) -> io::Result<()> {
        let line = format!("{}/{} {what}", self.driven, self.planned);
        write!(self.out, "{WIPE}{}", escape::line_within(&line, COLUMNS))?;
        self.out.flush()
    }
}

impl<W: Write> Reporter for Progress<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Started { planned, head } => {
                self.planned = *planned;
                self.show(&format!("{} has started", head.server_name))
            }
            Event::Driven { case, .. } => {
                self.driven += 1;
                self.show(&case.0)
            }
            Event::Judged { .. } => {
                write!(self.out, "{WIPE}")?;
                self.out.flush()
            }
        }
    }
}

impl<W: Write> Drop for Progress<W> {
    /// Leaves a clean line behind, also when the run failed half-way.
    fn drop(&mut self) {
        if self.planned > 0 {
            let _ = write!(self.out, "{WIPE}").and_then(|()| self.out.flush());
        }
    }
}
