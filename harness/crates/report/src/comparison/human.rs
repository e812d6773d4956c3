//! A comparison for people.

use std::fmt::Write as _;

use crate::escape;

use super::{FindingChange, ReportDelta, figures, measure, where_it_shows};

/// How many columns of a text are shown.
const WIDTH: usize = 160;

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
