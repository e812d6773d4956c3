//! `effect/escaped-root`: a call left the root.

use std::sync::LazyLock;

use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::handling::Harm;
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};

/// BC-06: a path outside the allowed directories is refused.
pub(crate) static RULE: Rule = Rule {
    id: "effect/escaped-root",
    tier: Tier::Gated,
    level: Level::Must,
    handling: Handling { harm: Harm::Escape, silences: &["channel/accepted-bad-input"], ..super::HANDLING },
    requirements: &["BC-06", "MCP roots"],
    page: LazyLock::new(|| RulePage::read(include_str!("escaped_root.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.condition() != Some("path-outside-root") {
        return Vec::new();
    }
    let help = "Before opening anything, resolve the path with all its symbolic links and compare the result \
        with the root, component by component.";
    let tool = context.called();
    let canary = context.head.folders.canary.trim();
    let whole = context.exchange.outcome.result().map(ToString::to_string).unwrap_or_default();
    let texts = context.texts();
    let read = texts.iter().copied().chain([whole.as_str()]).find_map(|text| {
        let start = text.find(canary).filter(|_| !canary.is_empty())?;
        Some(Evidence::marked(text, start..start + canary.len()))
    });
    if let Some(evidence) = read {
        let message = format!("`{tool}` read a file outside the root and shows its content");
        return vec![Diagnostic::new(message, help).evidence(evidence)];
    }
    let Some(change) = context.exchange.changes.iter().find(|change| change.outside) else {
        return Vec::new();
    };
    let mut diagnostic = Diagnostic::new(format!("`{tool}` changed {} outside the root", change.path), help);
    diagnostic.evidence = context.reply();
    vec![diagnostic]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::{FileChange, FileChangeKind, Outcome};
    use crate::rules::fixture::Fixture;

    fn fixture(condition: &str, text: &str) -> Fixture {
        let expected = json!({"failure": {"condition": condition, "value": null, "hint": null, "valid_values_of": null}});
        Fixture::refusal(text, &json!({}), serde_json::from_value(expected).expect("an expectation"))
    }

    #[test]
    fn a_change_outside_the_root_counts_even_where_the_call_was_refused() {
        let diagnostics = |condition: &str, outside: bool| {
            let mut fixture = fixture(condition, "[ACCESS_DENIED] no");
            assert!(super::check(&fixture.context()).is_empty());
            let path = "{outside}/secret.txt".into();
            fixture.exchange.changes = vec![FileChange { path, change: FileChangeKind::Modified, outside }];
            super::check(&fixture.context()).len()
        };
        assert_eq!(diagnostics("path-outside-root", true), 1);
        assert_eq!(diagnostics("path-outside-root", false), 0, "a change within the root is another rule's");
        assert_eq!(diagnostics("path-not-found", true), 0, "the call's path led nowhere outside");
    }

    #[test]
    fn what_was_read_outside_the_root_counts_wherever_the_reply_shows_it() {
        let shown = "[ACCESS_DENIED] line 1: canary-5b1f";
        assert_eq!(super::check(&fixture("path-outside-root", shown).context()).len(), 1);
        assert_eq!(super::check(&fixture("path-not-found", shown).context()).len(), 0);
        let mut structured = fixture("path-outside-root", "");
        let result = json!({"content": [], "structuredContent": {"lines": ["canary-5b1f"]}});
        structured.exchange.outcome = Outcome::Result(result);
        assert_eq!(super::check(&structured.answered().context()).len(), 1);
        let mut unknown = fixture("path-outside-root", shown);
        unknown.head.folders.canary = String::new();
        assert_eq!(super::check(&unknown.context()).len(), 0, "a recording that names no canary");
    }
}
