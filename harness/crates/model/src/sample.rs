//! A run of one call, for the examples on the pages of rules and for tests.

use serde_json::{Value, json};

use crate::catalog::{Catalog, Tool};
use crate::condition::Condition;
use crate::contract::{
    Code, CodeClass, Contract, ExpectedCode, MessageTraits, Recourse, ReplyForm, ServerTraits,
};
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
    let tool = |name: &str, schema: Value| Tool::named(name, schema);
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required});
    let text = || json!({"type": "string"});
    let tools = vec![
        tool("view", object(json!({"path": text()}), json!(["path"]))),
        tool(
            "str_replace",
            object(
                json!({"path": text(), "old_str": text(), "new_str": text(), "replace_all": {"type": "boolean"}}),
                json!(["path", "old_str"]),
            ),
        ),
        tool(
            "grep",
            object(
                json!({"pattern": text(), "path": text(), "output_mode": {"enum": ["content", "count"]}}),
                json!(["pattern"]),
            ),
        ),
        tool("bash", object(json!({"command": text()}), json!(["command"]))),
        tool("task_output", object(json!({"task_id": text()}), json!(["task_id"]))),
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

/// A part of the contract `bracket-code`.
pub fn contract() -> Contract {
    const CODES: [(&str, CodeClass); 12] = [
        ("INVALID_INPUT", CodeClass::Input),
        ("PATH_NOT_FOUND", CodeClass::Input),
        ("ACCESS_DENIED", CodeClass::Input),
        ("FILE_TOO_LARGE", CodeClass::Input),
        ("IO_ERROR", CodeClass::Io),
        ("BASH_EMPTY_COMMAND", CodeClass::Input),
        ("BASH_TASK_LIMIT", CodeClass::Transient),
        ("BASH_TASK_NOT_FOUND", CodeClass::Input),
        ("STR_REPLACE_NOT_FOUND", CodeClass::Input),
        ("STR_REPLACE_AMBIGUOUS", CodeClass::Input),
        ("GREP_INVALID_PATTERN", CodeClass::Input),
        ("GREP_INVALID_OUTPUT_MODE", CodeClass::Input),
    ];
    const ANSWERS: [(&str, &str, &str); 9] = [
        ("missing-argument", "INVALID_INPUT", "BC-04"),
        ("path-not-found", "PATH_NOT_FOUND", "BC-05"),
        ("path-outside-root", "ACCESS_DENIED", "BC-06"),
        ("io-failure", "IO_ERROR", "BC-08"),
        ("task-limit", "BASH_TASK_LIMIT", "BC-11"),
        ("match-not-found", "STR_REPLACE_NOT_FOUND", "BC-13"),
        ("ambiguous-match", "STR_REPLACE_AMBIGUOUS", "BC-14"),
        ("invalid-regex", "GREP_INVALID_PATTERN", "BC-15"),
        ("invalid-output-mode", "GREP_INVALID_OUTPUT_MODE", "BC-16"),
    ];
    // It has no code, but not every code is accepted.
    let uncoded = ExpectedCode {
        expected: None,
        accepted: Vec::new(),
        noted: Vec::new(),
        class: CodeClass::Transient,
        recourse: vec![Recourse::Retry, Recourse::GiveUp],
        requirement: "BC-19".to_owned(),
    };
    let class = |code: &str| CODES.iter().find(|(name, _)| *name == code).expect("a documented code").1;
    Contract {
        id: "bracket-code".to_owned(),
        title: String::new(),
        form: ReplyForm::Bracket,
        server: ServerTraits { background_tasks: None, known_patterns: true },
        messages: MessageTraits { name_values: true },
        codes: CODES
            .iter()
            .map(|(name, class)| Code {
                name: (*name).to_owned(),
                class: *class,
                retryable: None,
                status: None,
                recourse: None,
                meaning: String::new(),
                is_extra: false,
            })
            .collect(),
        conditions: ANSWERS
            .iter()
            .map(|(condition, code, requirement)| {
                let answer = ExpectedCode {
                    expected: Some((*code).to_owned()),
                    accepted: Vec::new(),
                    noted: Vec::new(),
                    class: class(code),
                    recourse: Vec::new(),
                    requirement: (*requirement).to_owned(),
                };
                (Condition((*condition).to_owned()), answer)
            })
            .chain([(Condition("upstream-unavailable".to_owned()), uncoded)])
            .collect(),
        requirements: std::collections::BTreeMap::new(),
        envelope: None,
    }
}
