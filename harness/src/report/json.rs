//! The JSON report: the whole [`Report`](crate::judge::Report) as one document.

use std::io::{self, Write};

use crate::event::{Event, Reporter};

use super::ReportFormat;
use crate::escape;

/// See the module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "json",
    summary: "everything in one document",
    open: |out, _| Box::new(Json::new(out)),
};

/// Writes the document once all is judged.
#[derive(Debug)]
pub struct Json<W> {
    out: W,
}

impl<W: Write> Json<W> {
    /// Writes to `out`.
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
