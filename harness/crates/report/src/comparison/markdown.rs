//! A comparison as Markdown, for a comment on a pull request, with a server's words in code, where nothing is
//! interpreted.

use std::fmt::Write as _;

use crate::report::markdown::code_within;

use super::{FindingChange, ReportDelta, figures, measure, where_it_shows};

/// How many columns of a text are shown.
const WIDTH: usize = 300;
/// At most this many findings of a kind are listed, because comments have a size limit; the rest are counted.
const MOST: usize = 50;

impl ReportDelta {
    /// The comparison for a comment on a pull request, with a server's words in code.
    pub fn markdown(&self) -> String {
        let Self { before, after, new, gone, changed, unchanged, remarks, .. } = self;
        let mut text = format!(
            "## mcp-errconf: {} new, {} gone, {} with another text, {unchanged} as before\n\n",
            new.len(),
            gone.len(),
            changed.len()
        );
        // Writing to a string never fails.
        let name = |server: &str, version: &str| code(&format!("{server} {version}"));
        let _ = writeln!(text, "| | |\n|---|---|");
        let _ = writeln!(
            text,
            "| server | {}; before {} |",
            name(&after.server, &after.version),
            name(&before.server, &before.version)
        );
        let _ = writeln!(text, "| findings | {} |", figures(self));
        let _ = writeln!(text, "| messages | {} |\n", measure(self));
        for remark in remarks {
            let _ = writeln!(text, "- {}\n", code(remark));
        }
        group(&mut text, "New", new);
        group(&mut text, "Gone", gone);
        if !changed.is_empty() {
            let _ = writeln!(text, "### Changed texts ({})\n", changed.len());
        }
        for change in changed.iter().take(MOST) {
            let tool = change.tool.as_deref().map_or(String::new(), |tool| format!(" {}", code(tool)));
            let _ = writeln!(text, "- {}{tool} in {}", code(&change.rule), code(&change.case));
            let _ = writeln!(text, "  - before {}", code(&change.before));
            let _ = writeln!(text, "  - after {}", code(&change.after));
        }
        beyond(&mut text, changed.len());
        text
    }
}

fn group(text: &mut String, title: &str, changes: &[FindingChange]) {
    if changes.is_empty() {
        return;
    }
    let _ = writeln!(text, "### {title} ({})\n", changes.len());
    for change in changes.iter().take(MOST) {
        let tool = change.tool.as_deref().map_or(String::new(), |tool| format!(" {}", code(tool)));
        let _ = writeln!(
            text,
            "- {} {}{tool}: {} ({})",
            change.level,
            code(&change.rule),
            code(&change.message),
            where_it_shows(change)
        );
        if let Some(reply) = &change.text {
            let _ = writeln!(text, "  - {}", code(reply));
        }
    }
    beyond(text, changes.len());
    text.push('\n');
}

fn beyond(text: &mut String, count: usize) {
    if count > MOST {
        let _ = writeln!(text, "- and {} more", count - MOST);
    }
}

/// Text as inline code, also within a table.
fn code(text: &str) -> String {
    code_within(text, WIDTH)
}
