//! `message/vague`: a message says that something failed and nothing else.

use crate::finding::{Breach, Level};
use crate::rules::{Check, Example, Rule, Scene, Tier};
use crate::wording::vague;

/// BC-19: every message states what happened.
pub(crate) static RULE: Rule = Rule {
    id: "message/vague",
    tier: Tier::Ungated,
    level: Level::Must,
    requirements: &["BC-19"],
    summary: "a message says that something failed and nothing else",
    page: r#""An error occurred" tells the model what `isError` told it already.

**Counts:** a message that, with its hints and its data, consists of words for failing, of courtesies and of the tool's
name: `Invalid input.`, `Something went wrong, please try again`, `Failed to execute tool 'convert'`.

**Does not count:** any word about the call (`Too many rows.`, `path not found`); an internal error with a reference for
the operator.

**To mend it:** say what was wrong with which value."#,
    check: Check::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/missing.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[PATH_NOT_FOUND] An error occurred."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/missing.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[PATH_NOT_FOUND] /workspace/missing.txt does not exist. List the folder first."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

fn check(scene: &Scene<'_>) -> Vec<Breach> {
    let Some(error) = scene.error else { return Vec::new() };
    let tool = scene.exchange.tool();
    let beside = error.more.iter().chain(&error.hints).chain(&error.values);
    let more_tells = beside.into_iter().any(|text| !text.trim().is_empty() && !vague::is_vague(text, tool));
    if more_tells || !vague::is_vague(error.message(), tool) {
        return Vec::new();
    }
    let message = "the message says that it failed and nothing else";
    let mut breach = Breach::new(message, "Say what was wrong with which value, and what to send instead.");
    breach.evidence = scene.reply();
    vec![breach]
}
