//! What the baseline and the snapshots hold that no longer occurs.

use std::fmt::Write as _;

use crate::baseline::Entry;
use crate::escape;
use crate::snapshot::{StaleKind, StaleText};

use super::Frame;
use super::prose::counted;

/// Entries of the baseline that can be removed.
pub(super) fn stale(entries: &[Entry], frame: &Frame<'_>) -> String {
    let title = format!("stale in the baseline: {}", counted(entries.len(), "entry", "entries"));
    let about = "The findings that these accept no longer occur: `--update-baseline` removes them.";
    let items = entries.iter().map(|entry| escape::line(&entry.to_string()));
    removable(&title, about, items.collect(), frame)
}

/// Snapshots that can be removed.
pub(super) fn gone(snapshots: &[StaleText], frame: &Frame<'_>) -> String {
    let title = format!("not seen again: {}", counted(snapshots.len(), "snapshot", "snapshots"));
    let about = "Their error texts no longer occur: delete the files if that is intended.";
    let items = snapshots.iter().map(|snapshot| {
        let why = match snapshot.what {
            StaleKind::Case => "the case no longer exists",
            StaleKind::Reply => "the case did not produce this error",
        };
        format!("{}.snap: {why}", escape::line_within(&snapshot.name, 200))
    });
    removable(&title, about, items.collect(), frame)
}

/// A list of what can be removed; nothing if it is empty.
fn removable(title: &str, about: &str, items: Vec<String>, frame: &Frame<'_>) -> String {
    let mut shown = String::new();
    if items.is_empty() {
        return shown;
    }
    let strong = frame.theme.strong;
    let _ = writeln!(shown, "{strong}{title}{strong:#}");
    frame.width.paragraph(&mut shown, "  ", about);
    for item in items {
        frame.width.paragraph(&mut shown, "  - ", &item);
    }
    shown.push('\n');
    escape::no_workflow_command(&shown)
}
