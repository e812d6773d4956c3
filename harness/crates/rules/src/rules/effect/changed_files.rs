//! `effect/changed-files`: a refused call changed a file.

use std::sync::LazyLock;

use crate::exchange::FileChangeKind;
use crate::finding::{Diagnostic, Level};
use crate::roles::Role;
use crate::rules::{Context, Rule, RuleCheck, RulePage, Tier};

/// EE-12: a call that failed leaves the files as they were.
pub(crate) static RULE: Rule = Rule {
    id: "effect/changed-files",
    tier: Tier::Gated,
    level: Level::Must,
    handling: super::HANDLING,
    requirements: &["EE-12"],
    page: LazyLock::new(|| RulePage::read(include_str!("changed_files.toml"))),
    check: RuleCheck::Exchange(check),
};

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
    let mut diagnostic = Diagnostic::new(message, help).level(level);
    diagnostic.evidence = context.reply();
    vec![diagnostic]
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
    let mut diagnostic = Diagnostic::new(message, help).level(level);
    diagnostic.evidence = context.reply();
    vec![diagnostic]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::{FileChange, FileChangeKind, Outcome};
    use crate::expectation::Expected;
    use crate::finding::Level;
    use crate::rules::fixture::Fixture;

    fn levels(change: FileChangeKind) -> Vec<Option<Level>> {
        let expected = serde_json::from_value(json!({"failure": {"condition": "io-failure", "value": null, "hint": null, "valid_values_of": null}})).expect("an expectation");
        let mut fixture = Fixture::refusal("no", &json!({}), expected);
        fixture.exchange.changes = vec![FileChange { path: "{case}/a".into(), change, outside: false }];
        super::check(&fixture.context()).into_iter().map(|diagnostic| diagnostic.level).collect()
    }

    #[test]
    fn a_lost_file_is_a_must_a_new_one_a_note_and_a_backup_nothing() {
        assert_eq!(levels(FileChangeKind::Modified), [Some(Level::Must)]);
        assert_eq!(levels(FileChangeKind::Deleted), [Some(Level::Must)]);
        assert_eq!(levels(FileChangeKind::Created { earlier_content: false }), [Some(Level::Note)]);
        assert_eq!(levels(FileChangeKind::Created { earlier_content: true }), []);
    }

    #[test]
    fn where_nothing_can_be_written_a_file_that_would_have_been_kept_is_a_must() {
        let levels = |changes: &[FileChangeKind]| {
            let expected = serde_json::from_value(json!({"failure": {"condition": "storage-failure", "value": null, "hint": null, "valid_values_of": null}})).expect("an expectation");
            let mut fixture = Fixture::refusal("the disk is full", &json!({}), expected);
            let change = |change: &FileChangeKind| FileChange {
                path: "{case}/a".into(),
                change: *change,
                outside: false,
            };
            fixture.exchange.changes = changes.iter().map(change).collect();
            super::check(&fixture.context())
                .into_iter()
                .map(|diagnostic| diagnostic.level)
                .collect::<Vec<_>>()
        };
        assert_eq!(levels(&[FileChangeKind::Lost]), [Some(Level::Must)]);
        assert_eq!(levels(&[FileChangeKind::Modified]), [Some(Level::Note)], "it was to be replaced");
        assert_eq!(levels(&[FileChangeKind::Modified, FileChangeKind::Lost]), [Some(Level::Must)]);
        assert_eq!(levels(&[FileChangeKind::Created { earlier_content: false }]), []);
        assert_eq!(levels(&[]), []);
    }

    #[test]
    fn what_a_call_does_outside_the_root_it_was_to_keep_to_is_another_rules() {
        let diagnostics = |condition: &str, outside: bool| {
            let expected = json!({"failure": {"condition": condition, "value": null, "hint": null, "valid_values_of": null}});
            let expected = serde_json::from_value(expected).expect("an expectation");
            let mut fixture = Fixture::refusal("no", &json!({}), expected);
            fixture.exchange.changes =
                vec![FileChange { path: "a".into(), change: FileChangeKind::Deleted, outside }];
            super::check(&fixture.context()).len()
        };
        assert_eq!(diagnostics("path-outside-root", true), 0);
        assert_eq!(diagnostics("path-outside-root", false), 1);
        assert_eq!(diagnostics("io-failure", true), 1);
    }

    #[test]
    fn only_a_call_that_must_fail_and_failed_must_leave_the_files_alone() {
        let changes =
            || vec![FileChange { path: "a".into(), change: FileChangeKind::Deleted, outside: false }];
        let mut fixture = Fixture::refusal("no", &json!({}), Expected::Anything);
        fixture.exchange.changes = changes();
        assert!(super::check(&fixture.context()).is_empty());
        let expected = json!({"failure": {"condition": "io-failure", "value": null, "hint": null, "valid_values_of": null}});
        fixture.exchange.place.expected = serde_json::from_value(expected).expect("an expectation");
        assert_eq!(super::check(&fixture.context()).len(), 1);
        fixture.exchange.outcome = Outcome::Result(json!({"content": [{"type": "text", "text": "done"}]}));
        assert!(super::check(&fixture.answered().context()).is_empty());
    }
}
