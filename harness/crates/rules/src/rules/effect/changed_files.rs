//! `effect/changed-files`: a refused call changed a file.

use crate::exchange::FileChangeKind;
use crate::finding::{Diagnostic, Level};
use crate::roles::Role;
use crate::rules::{Context, Rule};

/// EE-12: a call that failed leaves the files as they were.
pub(crate) static RULE: Rule =
    Rule::of_reply("effect/changed-files", include_str!("changed_files.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.error.is_none() || context.expected_failure().is_none() || context.plays(Role::Shell) {
        return Vec::new();
    }
    // A change of the canary by a call that leaves the root is `effect/escaped-root`.
    let outside = context.condition() == Some("path-outside-root");
    let changes = context.exchange.changes.iter().filter(|change| !(outside && change.outside));
    if context.condition() == Some("storage-failure") {
        return without_storage(context, changes.map(|change| (change.path.as_str(), change.change)));
    }
    let (mut lost, mut made) = (Vec::new(), Vec::new());
    for change in changes {
        match change.change {
            FileChangeKind::Lost => lost.push(format!("lost what {} contained", change.path)),
            FileChangeKind::Modified => lost.push(format!("changed {}", change.path)),
            FileChangeKind::Deleted => lost.push(format!("deleted {}", change.path)),
            FileChangeKind::Created { earlier_content: false } => {
                made.push(format!("left a new file {}", change.path));
            }
            FileChangeKind::Created { earlier_content: true } => {}
        }
    }
    let (done, level) = if lost.is_empty() { (made, Level::Note) } else { (lost, Level::Must) };
    if done.is_empty() {
        return Vec::new();
    }
    let message = format!("`{}` refused the call but {}", context.called(), done.join(", "));
    let help = "Check everything before writing the first byte; write to a temporary file and rename it, and \
        remove it if the call fails.";
    vec![context.diagnostic(message, help).level(level)]
}

/// What is said of a call that could write nothing. Where the whole file was to be replaced, its old contents were not
/// wanted any more, and the new ones can be sent again.
fn without_storage<'c>(
    context: &Context<'_>,
    changes: impl Iterator<Item = (&'c str, FileChangeKind)>,
) -> Vec<Diagnostic> {
    let (mut lost, mut changed) = (Vec::new(), Vec::new());
    for (path, change) in changes {
        match change {
            FileChangeKind::Lost => lost.push(path),
            FileChangeKind::Modified | FileChangeKind::Deleted => changed.push(path),
            FileChangeKind::Created { .. } => {}
        }
    }
    let level = if lost.is_empty() { Level::Note } else { Level::Must };
    lost.extend(changed);
    if lost.is_empty() {
        return Vec::new();
    }
    let message =
        format!("`{}` refused the call, but what {} contained is lost", context.called(), lost.join(", "));
    let help = "Write to a temporary file beside it and rename that, so that the old file stays as it is until the new one \
        is complete.";
    vec![context.diagnostic(message, help).level(level)]
}
