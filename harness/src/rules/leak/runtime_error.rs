//! `leak/runtime-error`: the raw error of a runtime or library comes through.

use std::sync::LazyLock;

use regex::Regex;

use crate::expression::expression;
use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Rule, RuleCheck, RulePage, Tier};

/// BC-20: no raw runtime error without context; A6 says where the border runs.
pub(crate) static RULE: Rule = Rule {
    id: "leak/runtime-error",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: super::HANDLING,
    requirements: &["BC-20", "A6", "EE-13", "PD-09"],
    page: LazyLock::new(|| RulePage::read(include_str!("runtime_error.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Catch this error in the tool, say in your own words which operation failed on what, and keep \
        the raw error for the log.";
    super::judged(context, RULE.id, "a raw runtime error", help)
}

/// Whether the words are about what the caller himself wrote: a database's on a constraint, where the call holds a statement
/// that changes rows, or a division by zero, where it holds one.
pub(super) fn is_of_what_was_written(context: &Context<'_>, found: &str) -> bool {
    static CHANGES: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:insert\s+(?:or\s+\w+\s+)?into|replace\s+into|update|delete\s+from|merge\s+into|alter\s+table)\s+\S",
        )
    });
    static DIVIDES: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)(?:[/%\u{f7}]|\b(?:div|mod)\b)\s*\(?\s*0+(?:\.0*)?\s*(?:[^\s\d.]|\z)")
    });
    let holds = |what: &Regex| super::sends_text(context.arguments(), &|text| what.is_match(text));
    found.contains("constraint") && holds(&CHANGES) || found.contains("by zero") && holds(&DIVIDES)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    #[test]
    fn a_constraint_is_the_callers_where_the_call_holds_the_statement() {
        let found = |arguments: &serde_json::Value| {
            let text = "Error executing tool add: UNIQUE constraint failed: projects.id";
            let fixture = Fixture::refusal(text, arguments, Expected::Anything);
            super::check(&fixture.context()).len()
        };
        assert_eq!(found(&json!({"id": "alpha"})), 1);
        assert_eq!(found(&json!({"sql": "INSERT INTO projects VALUES ('alpha')"})), 0);
        assert_eq!(found(&json!({"statements": [{"text": "update projects set id = 1"}]})), 0);
        assert_eq!(found(&json!({"id": "update"})), 1);
    }

    #[test]
    fn what_a_validators_report_says_of_a_value_is_its_own() {
        let found = |text: &str| {
            let fixture = Fixture::refusal(text, &json!({"url": ""}), Expected::Anything);
            super::check(&fixture.context()).len()
        };
        let issue =
            json!({"code": "invalid_format", "format": "url", "path": ["url"], "message": "Invalid URL"});
        assert_eq!(found(&serde_json::to_string_pretty(&json!([issue])).expect("it is JSON")), 0);
        assert_eq!(found("Invalid URL"), 1);
    }

    #[test]
    fn a_division_by_zero_is_the_callers_where_the_call_holds_it() {
        let found = |arguments: &serde_json::Value| {
            let text = "Error calling tool 'calculate': division by zero";
            let fixture = Fixture::refusal(text, arguments, Expected::Anything);
            super::check(&fixture.context()).len()
        };
        for written in ["1 / 0", "1/0.0", "(2 + 3) % (0)", "10 mod 0"] {
            assert_eq!(found(&json!({"expression": written})), 0, "{written}");
        }
        for written in ["1 / 0.5", "1 / 10", "0 / 1", "width 0"] {
            assert_eq!(found(&json!({"expression": written, "width": 0})), 1, "{written}");
        }
    }
}
