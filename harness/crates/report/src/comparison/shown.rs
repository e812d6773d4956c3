//! A comparison for people: on a terminal, and as Markdown for a comment on a pull request, with a server's words in code,
//! where nothing is interpreted.

use std::fmt::Write as _;

use crate::escape;
use crate::report::markdown::code_within;

use super::{FindingChange, ReportDelta, figures, measure, where_it_shows};

/// How many columns of a text are shown on a terminal.
const WIDTH: usize = 160;
/// How many columns of a text are shown in a comment.
const LONGEST: usize = 300;
/// At most this many findings of a kind are listed, because comments have a size limit; the rest are counted.
const MOST: usize = 50;

impl ReportDelta {
    /// The comparison for people, on a terminal.
    pub fn human(&self) -> String {
        let Self { before, after, new, gone, changed, unchanged, remarks, .. } = self;
        let mut text = String::new();
        // Writing to a string never fails.
        let _ = writeln!(
            text,
            "server     {} {}; before {} {}",
            escape::line(&after.server),
            escape::line(&after.version),
            escape::line(&before.server),
            escape::line(&before.version)
        );
        let _ = writeln!(text, "findings   {}", figures(self));
        let _ = writeln!(text, "messages   {}", measure(self));
        for remark in remarks {
            let _ = writeln!(text, "note       {}", escape::line(remark));
        }
        group(&mut text, "new", new);
        group(&mut text, "gone", gone);
        if !changed.is_empty() {
            let _ = writeln!(text, "\nchanged texts ({})", changed.len());
        }
        for change in changed {
            let tool =
                change.tool.as_deref().map_or(String::new(), |tool| format!(", tool {}", escape::line(tool)));
            let _ = writeln!(text, "  {}{tool} ({})", change.rule, escape::line(&change.case));
            let _ = writeln!(text, "    before   {}", escape::line_within(&change.before, WIDTH));
            let _ = writeln!(text, "    after    {}", escape::line_within(&change.after, WIDTH));
        }
        let _ = writeln!(
            text,
            "\n{} new, {} gone, {} with another text, {unchanged} as before",
            new.len(),
            gone.len(),
            changed.len()
        );
        text
    }

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
        list(&mut text, "New", new);
        list(&mut text, "Gone", gone);
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
    let _ = writeln!(text, "\n{title} ({})", changes.len());
    for change in changes {
        let tool =
            change.tool.as_deref().map_or(String::new(), |tool| format!(", tool {}", escape::line(tool)));
        let _ = writeln!(
            text,
            "  {}[{}]{tool}: {} ({})",
            change.level,
            change.rule,
            escape::line_within(&change.message, WIDTH),
            where_it_shows(change)
        );
        if let Some(reply) = &change.text {
            let _ = writeln!(text, "    reply    {}", escape::line_within(reply, WIDTH));
        }
    }
}

fn list(text: &mut String, title: &str, changes: &[FindingChange]) {
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
    code_within(text, LONGEST)
}
