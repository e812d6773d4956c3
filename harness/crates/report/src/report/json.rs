//! The JSON report: the whole [`Report`](crate::judge::Report) as one document.

use std::io::{self, BufWriter, Write};

use super::{Kind, ReportFormat, ReportView};
use crate::escape;

/// The format of this module.
pub static FORMAT: ReportFormat =
    ReportFormat { name: "json", summary: "everything in one document", kind: Kind::AtTheEnd(write) };

fn write(view: ReportView<'_>, out: &mut dyn Write) -> io::Result<()> {
    // Written piece by piece: as one text, the document of a long run would take more memory than the run.
    let mut out = escape::JsonWriter(BufWriter::new(out));
    serde_json::to_writer_pretty(&mut out, view.report)?;
    writeln!(out)?;
    out.flush()
}
