//! Replies that do not keep to what MCP asks of servers without a handshake.

use serde_json::{Value, json};

use super::wire::{UNKNOWN_TASK, is_refusal, with_unknown_tool_code};
use super::{Defect, Fault, Sent, breaks, cases, everywhere};

pub(super) static DEFECTS: &[Defect] = &[
    Defect {
        name: "wire/stateless",
        summary: "The refusal of an unknown task does not say that it is a complete result.",
        breaks: &[everywhere("wire/stateless", cases::UNKNOWN_TASK)],
        fault: Fault::Stateless(|line| {
            let is_spoilt = is_refusal(&line, UNKNOWN_TASK);
            one(if is_spoilt { line.replacen("\"resultType\":\"complete\",", "", 1) } else { line })
        }),
    },
    Defect {
        name: "wire/stateless/input",
        summary: "Asked for an unknown task, the server asks for a text of the client's model, which it has not offered.",
        breaks: &[breaks("wire/stateless", cases::UNKNOWN_TASK)],
        fault: Fault::Stateless(|line| {
            let asked = json!({"task": {"method": "sampling/createMessage", "params": {}}});
            let result = json!({"resultType": "input_required", "inputRequests": asked});
            let is_spoilt = is_refusal(&line, UNKNOWN_TASK);
            one(if is_spoilt { answered(&line, "result", &result) } else { line })
        }),
    },
    Defect {
        name: "wire/stateless/request",
        summary: "Before the refusal of an unknown task the server sends a request of its own.",
        breaks: &[breaks("wire/stateless", cases::UNKNOWN_TASK)],
        fault: Fault::Stateless(|line| {
            let request = json!({"jsonrpc": "2.0", "id": "roots", "method": "roots/list"});
            let before = is_refusal(&line, UNKNOWN_TASK).then(|| request.to_string());
            Sent::Lines(before.into_iter().chain([line]).collect())
        }),
    },
    Defect {
        name: "wire/stateless/version",
        summary: "The refusal of an unknown protocol version does not say which are known.",
        breaks: &[breaks("wire/stateless", cases::UNSUPPORTED_VERSION)],
        fault: Fault::Stateless(|line| one(on_error(&line, -32022, |error| error["data"] = Value::Null))),
    },
    Defect {
        name: "wire/stateless/initialize",
        summary: "The handshake of earlier versions is refused, and nothing says which versions there are.",
        breaks: &[breaks("wire/stateless", cases::INITIALIZE)],
        fault: Fault::Stateless(|line| {
            let is_hello = line.contains("\"serverInfo\"") && line.contains("\"protocolVersion\"");
            let error = json!({"code": -32601, "message": "Unknown method 'initialize'."});
            one(if is_hello { answered(&line, "error", &error) } else { line })
        }),
    },
    Defect {
        name: "wire/stateless/message",
        summary: "The refusal of an unknown method has a message of several lines.",
        breaks: &[breaks("wire/stateless", cases::UNKNOWN_METHOD)],
        fault: Fault::Stateless(|line| {
            one(line.replacen("'. This server answers", "'.\\nThis server answers", 1))
        }),
    },
    Defect {
        name: "wire/reserved-code/own",
        summary: "An unknown tool is refused with a code of the server's own in the range of JSON-RPC.",
        breaks: &[breaks("wire/reserved-code", cases::UNKNOWN_TOOL)],
        fault: Fault::Stateless(|line| one(with_unknown_tool_code(line, "-32005"))),
    },
    Defect {
        name: "wire/error-code/version",
        summary: "An unknown protocol version is refused as bad parameters.",
        breaks: &[breaks("wire/error-code", cases::UNSUPPORTED_VERSION)],
        fault: Fault::Stateless(|line| one(on_error(&line, -32022, |error| error["code"] = json!(-32602)))),
    },
    Defect {
        name: "wire/error-code/meta",
        summary: "A request without a protocol version is refused as an invalid request.",
        breaks: &[breaks("wire/error-code", cases::INCOMPLETE_META)],
        fault: Fault::Stateless(|line| {
            let is_spoilt = line.contains(INCOMPLETE_META);
            one(if is_spoilt { line.replacen("-32602", "-32600", 1) } else { line })
        }),
    },
    Defect {
        name: "channel/accepted-bad-input/meta",
        summary: "A request without a protocol version is answered with an empty list.",
        breaks: &[breaks("channel/accepted-bad-input", cases::INCOMPLETE_META)],
        fault: Fault::Stateless(|line| {
            let result = json!({"resultType": "complete", "tools": []});
            let is_spoilt = line.contains(INCOMPLETE_META);
            one(if is_spoilt { answered(&line, "result", &result) } else { line })
        }),
    },
];

/// What the refusal of a request says whose `_meta` is incomplete.
const INCOMPLETE_META: &str = "_meta is missing";

fn one(line: String) -> Sent {
    Sent::Lines(vec![line])
}

/// Another answer to the request that the line answers.
fn answered(line: &str, member: &str, with: &Value) -> String {
    let message: Value = serde_json::from_str(line).unwrap_or_default();
    json!({"jsonrpc": "2.0", "id": message["id"], member: with}).to_string()
}

/// The line, with the error changed if it has this code.
fn on_error(line: &str, code: i64, change: impl FnOnce(&mut Value)) -> String {
    let mut message: Value = serde_json::from_str(line).unwrap_or_default();
    match message.get_mut("error").filter(|error| error["code"] == code) {
        Some(error) => {
            change(error);
            message.to_string()
        }
        None => line.to_owned(),
    }
}
