//! The table as Markdown, with a server's words in code, where nothing is interpreted.

use std::fmt::Write as _;

use crate::escape;
use crate::report::markdown::code_within;

use super::{COLUMNS, LEGEND, MatrixTable, cells, reason};

/// How many columns of a reason are shown.
const REASON: usize = 300;

impl MatrixTable {
    /// The table as Markdown, for a page or a comment.
    pub fn markdown(&self) -> String {
        let titles = COLUMNS.map(|(title, _)| title);
        let rule = COLUMNS.map(|(_, is_number)| if is_number { "---:" } else { "---" });
        let mut text = format!("| {} |\n|{}|\n", titles.join(" | "), rule.join("|"));
        for row in &self.servers {
            // Writing to a string never fails.
            let _ = writeln!(text, "| {} | {} |", code_within(&row.name, 60), cells(row).join(" | "));
        }
        text.push('\n');
        for row in &self.servers {
            if let Some(why) = reason(row, REASON) {
                let _ = writeln!(text, "- {}: {}", code_within(&row.name, 60), code_within(&why, REASON));
            }
        }
        let _ = writeln!(text, "\n{}; exit {}, the gravest. {LEGEND}.", self.sum(), self.exit_code);
        escape::no_workflow_command(&text)
    }
}
