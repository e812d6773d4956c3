//! The sarif report: SARIF 2.1.0, which code scanning takes.
//!
//! The main type is [`Sarif`]. A fault of a server's replies has no line in its sources: the logical location is the
//! case and the tool, and the physical one the file that the findings are gathered at.

use std::io::{self, Write};

use crate::event::{Event, Reporter};

use super::human::Promises;
use super::{ReportFormat, ReportSettings};
use crate::escape;

mod log;

/// See the module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "sarif",
    summary: "SARIF 2.1.0, for code scanning",
    open: |out, settings| Box::new(Sarif::new(out, settings)),
};

/// Writes the log once all is judged.
#[derive(Debug)]
pub struct Sarif<W> {
    out: W,
    promises: Promises,
    anchor: Option<String>,
}

impl<W: Write> Sarif<W> {
    /// Writes to `out`; results are located at the settings' anchor.
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
