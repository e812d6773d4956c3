//! The shields report: the JSON that shields.io's endpoint badge reads.
//!
//! The main type is [`Shields`].

use std::io::{self, Write};

use serde_json::json;

use crate::event::{Event, Reporter};
use crate::judge::Strictness;

use super::badge::{BadgeText, LABEL};
use super::{ReportFormat, ReportSettings};
use crate::escape;

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "shields",
    summary: "the JSON of an endpoint badge of shields.io",
    open: |out, settings| Box::new(Shields::new(out, settings)),
};

/// Writes the document at the end of the run.
#[derive(Debug)]
pub struct Shields<W> {
    out: W,
    strictness: Strictness,
}

impl<W: Write> Shields<W> {
    /// A reporter that writes to `out`.
    pub fn new(out: W, settings: &ReportSettings) -> Self {
        Self { out, strictness: settings.strictness }
    }
}

impl<W: Write> Reporter for Shields<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let Event::Judged { report, conclusion } = event else { return Ok(()) };
        let badge = BadgeText::new(report, conclusion, self.strictness);
        // A badge has room for a few words; the reason why nothing was judged is only in the full verdict.
        let document = json!({
            "schemaVersion": 1,
            "label": LABEL,
            "message": badge.message,
            "color": badge.color.0,
        });
        writeln!(self.out, "{}", escape::json(&document.to_string()))?;
        self.out.flush()
    }
}
