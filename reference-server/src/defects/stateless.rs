//! Replies that do not keep to what MCP asks of servers without a handshake.

use serde_json::{Value, json};

use super::wire::{UNKNOWN_TASK, UNKNOWN_TOOL, recoded};
use super::{Defect, Fault, Sent, breaks, cases, everywhere, with_message};

pub(super) static DEFECTS: &[Defect] = &[
    Defect {
        name: "wire/stateless",
        summary: "The refusal of an unknown task does not say that it is a complete result.",
        breaks: &[everywhere("wire/stateless", cases::UNKNOWN_TASK)],
        fault: Fault::Stateless(&Fault::Refusal(UNKNOWN_TASK, |line| {
            line.replacen("\"resultType\":\"complete\",", "", 1).into()
        })),
    },
    Defect {
        name: "wire/stateless/input",
        summary: "Asked for an unknown task, the server asks for a text of the client's model, which it has not offered.",
        breaks: &[breaks("wire/stateless", cases::UNKNOWN_TASK)],
        fault: Fault::Stateless(&Fault::Refusal(UNKNOWN_TASK, |line| {
            let asked = json!({"task": {"method": "sampling/createMessage", "params": {}}});
            answered(&line, "result", &json!({"resultType": "input_required", "inputRequests": asked}))
        })),
    },
    Defect {
        name: "wire/stateless/request",
        summary: "Before the refusal of an unknown task the server sends a request of its own.",
        breaks: &[breaks("wire/stateless", cases::UNKNOWN_TASK)],
        fault: Fault::Stateless(&Fault::Refusal(UNKNOWN_TASK, |line| {
            let request = json!({"jsonrpc": "2.0", "id": "roots", "method": "roots/list"});
            Sent::Lines(vec![request.to_string(), line])
        })),
    },
    Defect {
        name: "wire/stateless/version",
        summary: "The refusal of an unknown protocol version does not say which are known.",
        breaks: &[breaks("wire/stateless", cases::UNSUPPORTED_VERSION)],
        fault: Fault::Stateless(&Fault::Line(|line| on_error(line, -32022, "data", Value::Null))),
    },
    Defect {
        name: "wire/stateless/initialize",
        summary: "The handshake of earlier versions is refused, and nothing says which versions there are.",
        breaks: &[breaks("wire/stateless", &["protocol/initialize"])],
        fault: Fault::Stateless(&Fault::LineWith("\"serverInfo\"", |line| {
            let error = json!({"code": -32601, "message": "Unknown method 'initialize'."});
            if line.contains("\"protocolVersion\"") { answered(&line, "error", &error) } else { line.into() }
        })),
    },
    Defect {
        name: "wire/stateless/message",
        summary: "The refusal of an unknown method has a message of several lines.",
        breaks: &[breaks("wire/stateless", cases::UNKNOWN_METHOD)],
        fault: Fault::Stateless(&Fault::Line(|line| {
            line.replacen("'. This server answers", "'.\\nThis server answers", 1).into()
        })),
    },
    Defect {
        name: "wire/reserved-code/own",
        summary: "An unknown tool is refused with a code of the server's own in the range of JSON-RPC.",
        breaks: &[breaks("wire/reserved-code", cases::UNKNOWN_TOOL)],
        fault: Fault::Stateless(&Fault::LineWith(UNKNOWN_TOOL, |line| recoded(&line, -32602, -32005))),
    },
    Defect {
        name: "wire/error-code/version",
        summary: "An unknown protocol version is refused as bad parameters.",
        breaks: &[breaks("wire/error-code", cases::UNSUPPORTED_VERSION)],
        fault: Fault::Stateless(&Fault::Line(|line| on_error(line, -32022, "code", json!(-32602)))),
    },
    Defect {
        name: "wire/error-code/meta",
        summary: "A request without a protocol version is refused as an invalid request.",
        breaks: &[breaks("wire/error-code", cases::INCOMPLETE_META)],
        fault: Fault::Stateless(&Fault::LineWith(INCOMPLETE_META, |line| recoded(&line, -32602, -32600))),
    },
    Defect {
        name: "channel/accepted-bad-input/meta",
        summary: "A request without a protocol version is answered with an empty list.",
        breaks: &[breaks("channel/accepted-bad-input", cases::INCOMPLETE_META)],
        fault: Fault::Stateless(&Fault::LineWith(INCOMPLETE_META, |line| {
            answered(&line, "result", &json!({"resultType": "complete", "tools": []}))
        })),
    },
];

/// What the refusal of a request says whose `_meta` is incomplete.
const INCOMPLETE_META: &str = "_meta is missing";

/// Another answer to the request that the line answers.
fn answered(line: &str, member: &str, with: &Value) -> Sent {
    let message: Value = serde_json::from_str(line).unwrap_or_default();
    json!({"jsonrpc": "2.0", "id": message["id"], member: with}).to_string().into()
}

/// The line, with a member of the error changed if it has this code.
fn on_error(line: String, code: i64, member: &str, value: Value) -> Sent {
    let changed = with_message(line, |message| {
        message.get_mut("error").filter(|error| error["code"] == code)?[member] = value;
        Some(())
    });
    changed.into()
}
