//! The sarif report: SARIF 2.1.0, which code scanning takes.
//!
//! A fault in a server's replies has no line in its sources, so the logical location is the case and the tool, and the
//! physical one is the anchor file.

use std::io::{self, Write};

use super::{Kind, ReportFormat, ReportView};
use crate::escape;

mod log;

/// The format of this module.
pub static FORMAT: ReportFormat =
    ReportFormat { name: "sarif", summary: "SARIF 2.1.0, for code scanning", kind: Kind::AtTheEnd(write) };

fn write(view: ReportView<'_>, out: &mut dyn Write) -> io::Result<()> {
    let document = serde_json::to_string_pretty(&log::log(view))?;
    writeln!(out, "{}", escape::json(&document))
}
