//! `leak/validation-dump`: a validation library's raw report of an argument comes through.

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Handling, Rule, RuleCheck, Tier};

use super::{Confidence, Language, Pattern, Place};

/// How it shows.
pub(super) static PATTERNS: &[Pattern] = &[
    // pydantic, as `str(ValidationError)` writes it.
    Pattern {
        language: Language::Python,
        tells: "pydantic's report",
        regex: r"\[type=[a-z_]{2,60}, input_value=|https://errors\.pydantic\.dev/",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["Field required [type=missing, input_value={}, input_type=dict]"],
        misses: &["Field required"],
    },
    // zod, an array of issues as JSON.
    Pattern {
        language: Language::Node,
        tells: "zod's list of issues",
        regex: r#""code":\s*"(?:invalid_type|invalid_value|invalid_string|invalid_enum_value|invalid_union|invalid_format|unrecognized_keys|too_small|too_big|custom|not_multiple_of)"[^\[\]]{0,200}"(?:path|message|expected|received)"|"expected":\s*"[a-z]+",\s*"(?:received|code)":"#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &[
            "failed: [\n  {\n    \"code\": \"invalid_type\",\n    \"expected\": \"string\", \"path\": [\"a\"]}]",
        ],
        misses: &["{\"code\": \"invalid_type\"}"],
    },
    // jsonschema of Python, as `str(ValidationError)` writes it.
    Pattern {
        language: Language::Python,
        tells: "jsonschema's report",
        regex: r"Failed validating '[\w$]+' in schema|On instance(?:\[[^\]\n]{0,40}\])*:\n",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["Failed validating 'type' in schema['properties']"],
        misses: &["the argument does not fit the schema"],
    },
    // ajv, an array of errors as JSON.
    Pattern {
        language: Language::Node,
        tells: "ajv's list of errors",
        regex: r#""(?:instancePath|schemaPath)":\s*""#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["failed: [{\"instancePath\": \"/a\", \"schemaPath\": \"#/required\"}]"],
        misses: &["{\"path\": \"/a\"}"],
    },
    // As JSON, alone or within a text; `format()` of zod gives `_errors`.
    Pattern {
        language: Language::Node,
        tells: "zod's list of issues",
        regex: r#"\"code\":\s*\"(?:invalid_\w+|unrecognized_keys|too_small|too_big|custom|not_multiple_of|missing_keys)\"[^\[\]{}]{0,400}(?:\[[^\[\]{}]{0,200}\][^\[\]{}]{0,300})?\"path\":\s*\[|\"path\":\s*\[[^\[\]{}]{0,200}\][^\[\]{}]{0,400}\"code\":\s*\"(?:invalid_\w+|unrecognized_keys|too_small|too_big|custom)\"|\"_errors\":\s*\["#,
        place: Place::Structure,
        confidence: Confidence::High,
        hits: &[
            "[{\"expected\": \"object\", \"code\": \"invalid_type\", \"path\": [], \"message\": \"x\"}]",
            "Invalid arguments: {\"_errors\":[],\"path\":{\"_errors\":[\"x\"]}}",
        ],
        misses: &["{\"code\": \"invalid_type\", \"file\": \"a\"}"],
    },
    Pattern {
        language: Language::Node,
        tells: "ajv's text",
        regex: r"\bdata(?:/[\w/~-]+|\.[\w.\[\]]+)? (?:must|should) (?:have required property|be |NOT have|match |pass |not have)",
        place: Place::Start,
        confidence: Confidence::High,
        hits: &["data must have required property 'path'", "data/limit must be integer"],
        misses: &["the data must be sorted"],
    },
    Pattern {
        language: Language::Node,
        tells: "the text of another validation library of JavaScript",
        regex: r"but the final value was: `|\binstance(?:\.\w+)* (?:requires property|is not of a type|is not one of|does not (?:match|conform))",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &[
            "path must be a `string` type, but the final value was: `5`.",
            "instance.path is not of a type(s) string",
        ],
        misses: &["the instance requires a restart"],
    },
    Pattern {
        language: Language::Python,
        tells: "pydantic's report",
        regex: r"\d+ validation errors? for [\w\[\]<>.,]{1,80}(?:\n|\z)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["1 validation error for ViewArgs\npath\n  Field required"],
        misses: &["2 validation errors for this call"],
    },
    Pattern {
        language: Language::Python,
        tells: "the report of a validation library of Python",
        regex: r"\{'\w+': \['(?:Missing data|Not a valid|Field may not|Unknown field|This field)|\bvoluptuous\.|\bextra keys not allowed @ data\[|\bexpected \w+ for dictionary value @ data\[",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["{'path': ['Missing data for required field.']}", "extra keys not allowed @ data['x']"],
        misses: &["extra keys are not allowed: x"],
    },
];

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
