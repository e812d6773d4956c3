//! `leak/validation-dump`: a validation library's own report of an argument comes through.

use std::sync::LazyLock;

use crate::finding::{Breach, Level};
use crate::rules::{Check, Example, Rule, Scene, Tier};

use super::{Pattern, Patterns, Place};

pub(super) static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(&[LIST]));

static LIST: &[Pattern] = &[
    // pydantic, as `str(ValidationError)` writes it.
    Pattern {
        tells: "pydantic's report",
        regex: r"\[type=[a-z_]{2,60}, input_value=|https://errors\.pydantic\.dev/",
        place: Place::Anywhere,
        level: None,
        hit: "Field required [type=missing, input_value={}, input_type=dict]",
        miss: "Field required",
    },
    // zod, an array of issues as JSON.
    Pattern {
        tells: "zod's list of issues",
        regex: r#""code":\s*"(?:invalid_type|invalid_value|invalid_string|invalid_enum_value|invalid_union|invalid_format|unrecognized_keys|too_small|too_big|custom|not_multiple_of)"[^\[\]]{0,200}"(?:path|message|expected|received)"|"expected":\s*"[a-z]+",\s*"(?:received|code)":"#,
        place: Place::Anywhere,
        level: None,
        hit: "failed: [\n  {\n    \"code\": \"invalid_type\",\n    \"expected\": \"string\", \"path\": [\"a\"]}]",
        miss: "{\"code\": \"invalid_type\"}",
    },
    // jsonschema of Python, as `str(ValidationError)` writes it.
    Pattern {
        tells: "jsonschema's report",
        regex: r"Failed validating '[\w$]+' in schema|On instance(?:\[[^\]\n]{0,40}\])*:\n",
        place: Place::Anywhere,
        level: None,
        hit: "Failed validating 'type' in schema['properties']",
        miss: "the argument does not fit the schema",
    },
    // ajv, an array of errors as JSON.
    Pattern {
        tells: "ajv's list of errors",
        regex: r#""(?:instancePath|schemaPath)":\s*""#,
        place: Place::Anywhere,
        level: None,
        hit: "failed: [{\"instancePath\": \"/a\", \"schemaPath\": \"#/required\"}]",
        miss: "{\"path\": \"/a\"}",
    },
];

/// BC-20: no internal detail in a message.
pub(crate) static RULE: Rule = Rule {
    id: "leak/validation-dump",
    tier: Tier::Ungated,
    level: Level::Must,
    requirements: &["BC-20", "A6"],
    summary: "an error reply holds a validation library's own report, as that library prints it",
    page: r#"A dump of a validation library tells its own types, its schema and a link to its documentation before it tells, somewhere,
which argument is wrong.

**Counts:** pydantic's `[type=..., input_value=...]` and its links, zod's and ajv's lists of issues as JSON, Python's
`Failed validating ... in schema`.

**Does not count:** a sentence that such a library gives for one argument (`Field required`) in words of the server's own.

**To mend it:** catch the library's error and write one sentence for each issue: parameter, what is wanted, what was sent."#,
    check: Check::Exchange(check),
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

fn check(scene: &Scene<'_>) -> Vec<Breach> {
    let help = "Catch the validation error and write one sentence for each issue: the parameter, what is wanted, what was sent.";
    super::judged(scene, &PATTERNS, "a validation library's own report", help)
}
