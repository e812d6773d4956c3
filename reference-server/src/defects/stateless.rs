//! Replies that do not keep to what MCP asks of servers without a handshake.

use serde_json::{Value, json};

use super::wire::{UNKNOWN_TASK, UNKNOWN_TOOL, recoded};
use super::{Fault, Sent, with_message};

pub(super) const FAULTS: &[(&str, Fault)] = &[
    (
        "wire/stateless",
        Fault::Stateless(&Fault::Refusal(UNKNOWN_TASK, |line| {
            line.replacen("\"resultType\":\"complete\",", "", 1).into()
        })),
    ),
    (
        "wire/stateless/input",
        Fault::Stateless(&Fault::Refusal(UNKNOWN_TASK, |line| {
            let asked = json!({"task": {"method": "sampling/createMessage", "params": {}}});
            answered(&line, "result", &json!({"resultType": "input_required", "inputRequests": asked}))
        })),
    ),
    (
        "wire/stateless/request",
        Fault::Stateless(&Fault::Refusal(UNKNOWN_TASK, |line| {
            let request = json!({"jsonrpc": "2.0", "id": "roots", "method": "roots/list"});
            Sent::Lines(vec![request.to_string(), line])
        })),
    ),
    (
        "wire/stateless/version",
        Fault::Stateless(&Fault::Line(|line| on_error(line, -32022, "data", Value::Null))),
    ),
    (
        "wire/stateless/initialize",
        Fault::Stateless(&Fault::LineWith("\"serverInfo\"", |line| {
            let error = json!({"code": -32601, "message": "Unknown method 'initialize'."});
            if line.contains("\"protocolVersion\"") { answered(&line, "error", &error) } else { line.into() }
        })),
    ),
    (
        "wire/stateless/message",
        Fault::Stateless(&Fault::Line(|line| {
            line.replacen("'. This server answers", "'.\\nThis server answers", 1).into()
        })),
    ),
    (
        "wire/reserved-code/own",
        Fault::Stateless(&Fault::LineWith(UNKNOWN_TOOL, |line| recoded(&line, -32602, -32005))),
    ),
    (
        "wire/error-code/version",
        Fault::Stateless(&Fault::Line(|line| on_error(line, -32022, "code", json!(-32602)))),
    ),
    (
        "wire/error-code/meta",
        Fault::Stateless(&Fault::LineWith(INCOMPLETE_META, |line| recoded(&line, -32602, -32600))),
    ),
    (
        "channel/accepted-bad-input/meta",
        Fault::Stateless(&Fault::LineWith(INCOMPLETE_META, |line| {
            answered(&line, "result", &json!({"resultType": "complete", "tools": []}))
        })),
    ),
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
