//! The JSON report: the whole [`Report`](crate::judge::Report) as one document.

use std::io::{self, BufWriter, Write};

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
        // Written piece by piece: as one text, the document of a long run would take more memory than the run.
        let mut out = escape::JsonWriter(BufWriter::new(&mut self.out));
        serde_json::to_writer_pretty(&mut out, report)?;
        writeln!(out)?;
        out.flush()
    }
}
