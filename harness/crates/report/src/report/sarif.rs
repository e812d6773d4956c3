//! The sarif report: SARIF 2.1.0, which code scanning takes.
//!
//! The main type is [`Sarif`]. A fault in a server's replies has no line in its sources, so the logical
//! location is the case and the tool, and the physical one is the anchor file.

use std::io::{self, Write};

use crate::event::{Event, Reporter};

use super::human::Promises;
use super::{ReportFormat, ReportSettings};
use crate::escape;

mod log;

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "sarif",
    summary: "SARIF 2.1.0, for code scanning",
    open: |out, settings| Box::new(Sarif::new(out, settings)),
};

/// Writes the log at the end of the run.
#[derive(Debug)]
pub struct Sarif<W> {
    out: W,
    promises: Promises,
    anchor: Option<String>,
}

impl<W: Write> Sarif<W> {
    /// A reporter that writes to `out`; results are attached to the settings' anchor.
    pub fn new(out: W, settings: &ReportSettings) -> Self {
        Self { out, promises: settings.promises.clone(), anchor: settings.anchor.clone() }
    }
}

impl<W: Write> Reporter for Sarif<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let Event::Judged { report, conclusion } = event else { return Ok(()) };
        let log = log::log(report, conclusion, &self.promises, self.anchor.as_deref());
        let document = serde_json::to_string_pretty(&log)?;
        writeln!(self.out, "{}", escape::json(&document))?;
        self.out.flush()
    }
}
