//! `leak/validation-dump`: a validation library's raw report of an argument comes through.

use std::sync::LazyLock;

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};

/// BC-20: no internal detail in a message.
pub(crate) static RULE: Rule = Rule {
    id: "leak/validation-dump",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling { denies_hint: true, ..super::HANDLING },
    requirements: &["BC-20", "A6"],
    page: LazyLock::new(|| RulePage::read(include_str!("validation_dump.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Catch the validation error and write one sentence for each issue: the parameter, what is \
        expected, and what was sent.";
    // The texts differ by parameter, but a single fix catches the library's error.
    let judged = super::judged(context, RULE.id, "a validation library's raw report", help);
    judged.into_iter().map(Diagnostic::folded).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    #[test]
    fn the_reports_of_one_library_are_one_finding_whichever_parameter_they_are_about() {
        let [one, other] = ["path", "limit"].map(|parameter| {
            let issues = json!([{"code": "invalid_type", "expected": "string", "path": [parameter], "message": "Required"}]);
            let text = format!("[INVALID_INPUT] {issues}");
            let fixture = Fixture::refusal(&text, &json!({}), Expected::Anything);
            super::check(&fixture.context()).pop().expect("it leaks")
        });
        assert!(one.folded && other.folded);
        assert_eq!(one.message, other.message);
        assert_ne!(one.evidence, other.evidence);
    }
}
