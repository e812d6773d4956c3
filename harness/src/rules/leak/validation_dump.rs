//! `leak/validation-dump`: a validation library's raw report of an argument comes through.

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Handling, Rule, RuleCheck, Tier};

/// BC-20: no internal detail in a message.
pub(crate) static RULE: Rule = Rule {
    id: "leak/validation-dump",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling { denies_hint: true, ..super::HANDLING },
    requirements: &["BC-20", "A6"],
    summary: "an error reply contains a validation library's report, just as the library prints it",
    page: r#"A validation library's dump lists its own types, its schema and a link to its documentation, and only somewhere among
these says which argument is wrong.

**Counts:** pydantic's `[type=..., input_value=...]` and its links, zod's and ajv's lists of issues as JSON, Python's
`Failed validating ... in schema`.

**Does not count:** such a library's sentence for a single argument (`Field required`) within the server's own wording.

**How to fix it:** catch the library's error and write one sentence for each issue: the parameter, what is expected, and
what was sent."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[INVALID_INPUT] 1 validation error for Arguments\npath\n  Field required [type=missing, input_value={}, input_type=dict]. Give a path."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[INVALID_INPUT] Required parameter 'path' is missing. Give a path."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Catch the validation error and write one sentence for each issue: the parameter, what is \
        expected, and what was sent.";
    // The texts differ by parameter, and to catch the library's error is one thing to do.
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
