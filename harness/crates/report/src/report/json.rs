//! The JSON report: the whole [`Report`](crate::judge::Report) as one document.

use std::io::{BufWriter, Write as _};

use serde::Serialize;

use super::{Kind, ReportFormat};
use crate::escape;

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "json",
    kind: Kind::AtTheEnd(|view, out| {
        // Written piece by piece: as one text, the document of a long run would take more memory than the run.
        let mut out = escape::JsonWriter(BufWriter::new(out));
        serde_json::to_writer_pretty(&mut out, view.report)?;
        writeln!(out)?;
        out.flush()
    }),
};

/// A value as an indented JSON document, escaped for a terminal, with a line end.
///
/// # Errors
/// When the value cannot be serialized.
pub fn document(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(format!("{}\n", escape::json(&serde_json::to_string_pretty(value)?)))
}
