//! `effect/changed-files`: a refused call changed a file.

use crate::exchange::FileChangeKind;
use crate::finding::{Diagnostic, Level};
use crate::roles::Role;
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

/// EE-12: a call that failed leaves the files as they were.
pub(crate) static RULE: Rule = Rule {
    id: "effect/changed-files",
    tier: Tier::Gated,
    level: Level::Must,
    handling: super::HANDLING,
    requirements: &["EE-12"],
    summary: "a refused call changed or deleted a file",
    page: r#"A model that reads "failed" sends the call again. If half of the work was done the first time, it is done twice.

**Counts:** a file of the case whose content has changed, or that is gone, after a call that was refused. A new file is
a Note.

**Does not count:** a new file with the same content as a file of the case had before (a backup); what a command run in
a shell did; a call that was accepted.

**How to fix it:** check everything first, then write to a temporary file and rename it."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "str_replace", "arguments": {"path": "/workspace/a.txt", "old_str": "x"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[STR_REPLACE_AMBIGUOUS] 'x' occurs 3 times in /workspace/a.txt. Send replace_all: true to replace all."}],"isError":true}}"#,
        expected: r#"{"failure": {"condition": "ambiguous-match", "value": {"count": 3}, "hint": null, "valid_values_of": null}}"#,
        beside: r#"{"changes": [{"path": "{case}/a.txt", "change": "modified", "outside": false}]}"#,
    },
    good: Example {
        call: r#"{"tool": "str_replace", "arguments": {"path": "/workspace/a.txt", "old_str": "x"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[STR_REPLACE_AMBIGUOUS] 'x' occurs 3 times in /workspace/a.txt. Send replace_all: true to replace all."}],"isError":true}}"#,
        expected: r#"{"failure": {"condition": "ambiguous-match", "value": {"count": 3}, "hint": null, "valid_values_of": null}}"#,
        beside: "{}",
    },
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.error.is_none() || context.expected_failure().is_none() || context.plays(Role::Shell) {
        return Vec::new();
    }
    // What a call outside the root does to the canary is `effect/escaped-root`.
    let outside = context.condition() == Some("path-outside-root");
    let changes = context.exchange.changes.iter().filter(|change| !(outside && change.outside));
    let (mut lost, mut made) = (Vec::new(), Vec::new());
    for change in changes {
        match change.change {
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
