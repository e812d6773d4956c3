//! `leak/validation-dump`: a validation library's raw report of an argument comes through.

use crate::finding::Diagnostic;
use crate::rules::{Context, Rule};

/// BC-20: no internal detail in a message.
pub(crate) static RULE: Rule =
    Rule::of_reply("leak/validation-dump", include_str!("validation_dump.toml"), check);

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
