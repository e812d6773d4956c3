//! The JSON report: the whole [`Report`](crate::judge::Report) as one document.

use std::io::{self, Write};

use crate::event::{Event, Reporter};

use super::ReportFormat;
use crate::escape;

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "json",
    summary: "everything in one document",
    open: |out, _| Box::new(Json::new(out)),
};

/// Writes the document at the end of the run.
#[derive(Debug)]
pub struct Json<W> {
    out: W,
}

impl<W: Write> Json<W> {
    /// A reporter that writes to `out`.
    pub fn new(out: W) -> Self {
        Self { out }
    }
}

impl<W: Write> Reporter for Json<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let Event::Judged { report, .. } = event else { return Ok(()) };
        let document = serde_json::to_string_pretty(report)?;
        writeln!(self.out, "{}", escape::json(&document))?;
        self.out.flush()
    }
}
