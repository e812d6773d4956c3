//! A run of one call, for the examples on the pages of rules and for tests.

use serde_json::{Value, json};

use crate::catalog::{Catalog, Tool};
use crate::contract::{Contract, DEFAULT, builtin};
use crate::exchange::{Exchange, Outcome};
use crate::expectation::Expected;
use crate::placeholder::Folders;
use crate::transcript::{Chosen, Head};

/// A call and what became of it; without a tool, a request for the list of tools.
pub fn exchange(tool: Option<&str>, arguments: &Value, outcome: Outcome, expected: Expected) -> Exchange {
    let mut exchange = Exchange::alone(tool, arguments.clone(), outcome);
    exchange.place.expected = expected;
    if tool.is_none() {
        exchange.call.method = "tools/list".to_owned();
    }
    exchange
}

/// An error reply with this text to a call of `view`.
pub fn refusal(text: &str, arguments: &Value) -> Exchange {
    let result = json!({"content": [{"type": "text", "text": text}], "isError": true});
    exchange(Some("view"), arguments, Outcome::Result(result), Expected::Anything)
}

/// What is known of a run against a server with five tools.
pub fn head() -> Head {
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required});
    let text = || json!({"type": "string"});
    let tools = vec![
        Tool::named("view", object(json!({"path": text()}), json!(["path"]))),
        Tool::named(
            "str_replace",
            object(
                json!({"path": text(), "old_str": text(), "new_str": text(), "replace_all": {"type": "boolean"}}),
                json!(["path", "old_str"]),
            ),
        ),
        Tool::named(
            "grep",
            object(
                json!({"pattern": text(), "path": text(), "output_mode": {"enum": ["content", "count"]}}),
                json!(["pattern"]),
            ),
        ),
        Tool::named("bash", object(json!({"command": text()}), json!(["command"]))),
        Tool::named("task_output", object(json!({"task_id": text()}), json!(["task_id"]))),
    ];
    Head {
        command: vec!["server".to_owned()],
        server_name: "server".to_owned(),
        server_version: "1".to_owned(),
        protocol_version: "2025-11-25".to_owned(),
        chosen: Chosen::Flag,
        catalog: Catalog { tools },
        folders: Folders {
            workspace: "/workspace".to_owned(),
            outside: "/outside".to_owned(),
            canary: "canary-5b1f".to_owned(),
            ..Folders::default()
        },
        ..Head::of("bracket-code")
    }
}

/// A tool that makes several edits in one file.
pub fn multi_edit() -> Tool {
    let text = || json!({"type": "string"});
    let edit = json!({"type": "object", "properties": {"old_string": text(), "new_string": text()}});
    let edits = json!({"type": "array", "items": edit});
    Tool::named("multi_edit", json!({"type": "object", "properties": {"file_path": text(), "edits": edits}}))
}

/// A part of the contract `bracket-code`, in which each condition has one code at most.
pub fn contract() -> Contract {
    const CODES: &str = "INVALID_INPUT PATH_NOT_FOUND ACCESS_DENIED FILE_TOO_LARGE IO_ERROR BASH_EMPTY_COMMAND \
        BASH_TASK_LIMIT BASH_TASK_NOT_FOUND STR_REPLACE_NOT_FOUND STR_REPLACE_AMBIGUOUS GREP_INVALID_PATTERN \
        GREP_INVALID_OUTPUT_MODE";
    const CONDITIONS: &str = "missing-argument path-not-found path-outside-root io-failure task-limit \
        match-not-found ambiguous-match invalid-regex invalid-output-mode upstream-unavailable";
    let has = |list: &str, word: &str| list.split(' ').any(|known| known == word);
    let whole = builtin().iter().find(|contract| contract.id == DEFAULT);
    let mut contract = whole.expect("a test loads it").clone();
    contract.codes.retain(|code| has(CODES, &code.name));
    contract.conditions.retain(|condition, _| has(CONDITIONS, &condition.0));
    for answer in contract.conditions.values_mut() {
        answer.accepted.clear();
        answer.noted.clear();
    }
    contract.requirements.clear();
    contract
}
