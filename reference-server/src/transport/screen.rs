//! Looks at each incoming line before the SDK does.
//!
//! The id is taken from the raw text first, so that a body that does not parse (a lone surrogate, a depth that
//! `serde_json` refuses) is still answered under its id, and arguments that cannot be used are still a call.

use std::collections::BTreeMap;

use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ClientRequest};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::failure::{Code, Failure, Quoted};
use crate::parameter;
use crate::tools::Tool;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;

/// What becomes of a line.
#[derive(Debug)]
pub(super) enum Screened {
    /// It goes on to the SDK.
    Deliver(Box<ClientJsonRpcMessage>),
    /// It is answered with this line.
    Answer(String),
    /// It asks for nothing.
    Ignore,
}

/// Why the arguments of a call cannot be read. It travels with the call, so that the answer is in the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// They are something else than an object.
    NotAnObject(&'static str),
    /// One of them does not parse.
    Parameter(String, &'static str),
    /// They do not parse as a whole.
    Whole(&'static str),
}

impl Unusable {
    /// The failure of the call that they came with.
    pub(crate) fn failure(self, tool: &Tool) -> Failure {
        let name = tool.name;
        let (what, about) = match self {
            Unusable::NotAnObject(kind) => (
                format!("The arguments of {name} must be a JSON object, but {kind} was sent"),
                "arguments".to_owned(),
            ),
            Unusable::Parameter(parameter, reason) => {
                (format!("Parameter {} of {name} cannot be read: {reason}", Quoted(&parameter)), parameter)
            }
            Unusable::Whole(reason) => {
                (format!("The arguments of {name} cannot be read: {reason}"), "arguments".to_owned())
            }
        };
        Failure::new(Code::InvalidInput, what)
            .about(about)
            .hint(format!("Call {name} with {}.", parameter::example(&tool.parameters)))
    }
}

/// Members are left unread, so that each is judged by itself.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// Keeps `null` apart from nothing: the one is a request with a bad id, the other a notification.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
struct CallParams<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

pub(super) fn screen(line: &[u8]) -> Screened {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return Screened::Ignore;
    }
    match serde_json::from_slice::<ClientJsonRpcMessage>(line) {
        Ok(message) if !is_misread_call(&message) => Screened::Deliver(Box::new(message)),
        _ => unread(line),
    }
}

/// A call whose params do not fit is, to the SDK, a request with a method that it does not know.
fn is_misread_call(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, ClientJsonRpcMessage::Request(request)
        if matches!(&request.request, ClientRequest::CustomRequest(custom) if custom.method == "tools/call"))
}

/// The id of the request that a message takes back.
pub(super) fn cancelled_request(message: &ClientJsonRpcMessage) -> Option<Value> {
    let ClientJsonRpcMessage::Notification(notification) = message else { return None };
    let ClientNotification::CancelledNotification(cancelled) = &notification.notification else {
        return None;
    };
    serde_json::to_value(&cancelled.params.request_id).ok()
}

/// A line that the SDK does not understand.
fn unread(line: &[u8]) -> Screened {
    let Ok(envelope) = serde_json::from_slice::<Envelope<'_>>(line) else {
        return Screened::Answer(match serde_json::from_slice::<&RawValue>(line) {
            Ok(_) => error(&Value::Null, INVALID_REQUEST, "A message must be one JSON object on a line."),
            Err(_) => error(&Value::Null, PARSE_ERROR, "The line is not valid JSON."),
        });
    };
    let Some(raw_id) = envelope.id else { return Screened::Ignore };
    let id: Value = match parsed(raw_id) {
        Ok(id @ Value::String(_)) => id,
        Ok(id @ Value::Number(_)) if id.is_i64() => id,
        _ => {
            let message = "The id of a request must be a string or an integer.";
            return Screened::Answer(error(&Value::Null, INVALID_REQUEST, message));
        }
    };
    let Some(Ok(method)) = envelope.method.map(parsed::<String>) else {
        let message = "A request must have a method, and it must be a string.";
        return Screened::Answer(error(&id, INVALID_REQUEST, message));
    };
    if method == "tools/call" {
        return call(&id, envelope.params);
    }
    Screened::Answer(error(
        &id,
        INVALID_PARAMS,
        &match envelope.params.map(parsed::<Value>) {
            Some(Err(reason)) => format!("The params of {} cannot be read: {reason}.", Quoted(&method)),
            _ => format!("The params of {} do not have the form that MCP gives them.", Quoted(&method)),
        },
    ))
}

fn call(id: &Value, params: Option<&RawValue>) -> Screened {
    let params = params.and_then(|params| serde_json::from_str::<CallParams<'_>>(params.get()).ok());
    let name = params.as_ref().and_then(|params| parsed::<String>(params.name?).ok());
    let (Some(params), Some(name)) = (params, name) else {
        let message = "The params of tools/call must be an object with the name of a tool and its arguments.";
        return Screened::Answer(error(id, INVALID_PARAMS, message));
    };
    let Some(unusable) = params.arguments.and_then(unusable) else {
        let message =
            "The params of tools/call may have name, arguments and _meta, and one of them does not fit.";
        return Screened::Answer(error(id, INVALID_PARAMS, message));
    };
    let mut stand_in = json!({
        "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": {}},
    });
    if let Some(Ok(meta)) = params.meta.map(parsed::<Value>) {
        stand_in["params"]["_meta"] = meta;
    }
    match serde_json::from_value(stand_in) {
        Ok(ClientJsonRpcMessage::Request(mut request)) => {
            if let ClientRequest::CallToolRequest(call) = &mut request.request {
                call.extensions.insert(unusable);
            }
            Screened::Deliver(Box::new(ClientJsonRpcMessage::Request(request)))
        }
        _ => {
            let message = "The _meta of tools/call does not have the form that MCP gives it.";
            Screened::Answer(error(id, INVALID_PARAMS, message))
        }
    }
}

/// What is wrong with the arguments, if anything is.
fn unusable(arguments: &RawValue) -> Option<Unusable> {
    match arguments.get().as_bytes().first()? {
        b'{' => {}
        b'[' => return Some(Unusable::NotAnObject("an array")),
        b'"' => return Some(Unusable::NotAnObject("a string")),
        b't' | b'f' => return Some(Unusable::NotAnObject("a boolean")),
        b'n' => return None,
        _ => return Some(Unusable::NotAnObject("a number")),
    }
    let members = match serde_json::from_str::<BTreeMap<String, &RawValue>>(arguments.get()) {
        Ok(members) => members,
        Err(error) => return Some(Unusable::Whole(reason(&error))),
    };
    let fault = members.into_iter().find_map(|(name, value)| {
        let reason = parsed::<Value>(value).err()?;
        Some(Unusable::Parameter(name, reason))
    });
    fault.or_else(|| parsed::<Value>(arguments).err().map(Unusable::Whole))
}

fn parsed<T: for<'de> Deserialize<'de>>(raw: &RawValue) -> Result<T, &'static str> {
    serde_json::from_str(raw.get()).map_err(|error| reason(&error))
}

/// The parser has no kinds for these, only texts.
fn reason(error: &serde_json::Error) -> &'static str {
    let message = error.to_string();
    if message.contains("recursion limit") {
        "its values are nested more than 127 levels deep"
    } else if message.contains("surrogate") || message.contains("hex escape") {
        "it holds half of a surrogate pair, such as \\ud800, which is no character"
    } else if message.contains("number out of range") {
        "it holds a number that is too large"
    } else {
        "it is not JSON that can be read"
    }
}

/// The answer to a line that was too long to keep.
pub(super) fn too_long(limit: usize) -> String {
    let message = format!("The line is longer than {limit} bytes and was not read.");
    error(&Value::Null, INVALID_REQUEST, &message)
}

fn error(id: &Value, code: i32, message: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}).to_string()
}

/// Whether MCP has this method, so that a request with it failed for its params alone.
pub(crate) fn is_mcp_method(method: &str) -> bool {
    matches!(
        method,
        "initialize"
            | "ping"
            | "tools/list"
            | "tools/call"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
            | "prompts/list"
            | "prompts/get"
            | "server/discover"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(line: &str) -> Value {
        match screen(line.as_bytes()) {
            Screened::Answer(answer) => serde_json::from_str(&answer).unwrap(),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn a_line_that_is_no_request_is_answered_in_plain_words() {
        let check = |line: &str, code: i32, id: Value| {
            let answer = answer(line);
            assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{line}");
            assert!(answer["error"]["message"].as_str().unwrap().ends_with('.'));
        };
        check("{", PARSE_ERROR, Value::Null);
        check("[]", INVALID_REQUEST, Value::Null);
        check(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, INVALID_REQUEST, Value::Null);
        check(r#"{"jsonrpc":"2.0","id":3}"#, INVALID_REQUEST, json!(3));
        check(r#"{"jsonrpc":"2.0","id":"a","method":"tools/call"}"#, INVALID_PARAMS, json!("a"));
        check(
            r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":7}}"#,
            INVALID_PARAMS,
            json!("a"),
        );
    }

    #[test]
    fn an_ordinary_message_goes_on_and_an_empty_line_is_nothing() {
        let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        assert!(matches!(screen(ping), Screened::Deliver(_)));
        assert!(matches!(screen(b"  "), Screened::Ignore));
    }
}
