//! `code/wrong`: an error reply carries another code than its condition has.

use crate::contract::CodeField;
use crate::finding::{Breach, Evidence, Level};
use crate::rules::{Check, Example, Rule, Scene, Tier};

/// BC-04 to BC-18: each condition has its code.
pub(crate) static RULE: Rule = Rule {
    id: "code/wrong",
    tier: Tier::Gated,
    level: Level::Must,
    requirements: &["BC-04"],
    summary: "an error reply carries another code than its condition has",
    page: r#"An agent that handles `PATH_NOT_FOUND` by listing the folder does something else on `IO_ERROR`.

**Counts:** a well-formed code that is neither the one that the contract expects for the scenario's condition nor one
that it accepts too.

**Does not count:** conditions for which the contract has no code; a code that the contract accepts beside the expected
one (A9, A10: of two faults in one call either code is right); brackets that are no codes of the catalogue where no
contract is declared.

**To mend it:** decide by the cause, not by the place where the error was caught."#,
    check: Check::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/missing.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] Could not read /workspace/missing.txt: it does not exist."}],"isError":true}}"#,
        expected: r#"{"failure": {"condition": "path-not-found", "value": {"path": "/workspace/missing.txt"}, "hint": null, "valid_values_of": null}}"#,
        beside: "{}",
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/missing.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[PATH_NOT_FOUND] /workspace/missing.txt does not exist. List the folder first."}],"isError":true}}"#,
        expected: r#"{"failure": {"condition": "path-not-found", "value": {"path": "/workspace/missing.txt"}, "hint": null, "valid_values_of": null}}"#,
        beside: "{}",
    },
};

fn check(scene: &Scene<'_>) -> Vec<Breach> {
    let (Some(error), Some(answer)) = (scene.error.filter(|_| scene.is_tool_error()), scene.answer()) else {
        return Vec::new();
    };
    let (CodeField::Present { span, name }, Some(expected)) = (&error.code, &answer.expected) else {
        return Vec::new();
    };
    let known = scene.declared || scene.contract.code(name).is_some();
    if !known || name == expected || answer.accepted.contains(name) {
        return Vec::new();
    }
    let condition = scene.condition().unwrap_or_default().replace('-', " ");
    let message = format!("`{name}` is sent where the condition ({condition}) has the code `{expected}`");
    let help = match scene.contract.code(expected) {
        Some(code) => format!("Send `[{expected}]` here: {}.", code.meaning.trim_end_matches('.')),
        None => format!("Send `[{expected}]` here."),
    };
    let evidence = Evidence::marked(error.text.as_str(), span.clone());
    vec![Breach::new(message, help).evidence(evidence).requirement(answer.requirement.as_str())]
}
