//! Decodes one line of a server's standard output. Total: any bytes give a [`DecodedLine`].
//!
//! The envelope is read with borrowed raw values first, so that the id of a reply survives a body that no JSON library
//! accepts: a lone surrogate, a nesting that is too deep.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::cause::of_json;
use crate::exchange::RpcError;

use super::body;
use super::envelope::scan_prefix;

/// The problem of a line that is not UTF-8.
pub const NOT_UTF8: &str = "it is not UTF-8";

/// What a line is.
#[derive(Debug, Clone, PartialEq)]
pub enum DecodedLine {
    /// Only white space: skipped.
    Blank,
    /// Not JSON: a log line that does not belong on standard output.
    Noise,
    /// A response, or what was recognisably meant as one.
    Response {
        /// The request that it answers; none if it is missing or null.
        id: Option<ResponseId>,
        /// What it says.
        body: Body,
        /// The name of the first duplicate member in the body.
        repeated: Option<String>,
    },
    /// A request of the server's.
    Request {
        /// Its id, as JSON text.
        id: String,
        /// Its method.
        method: String,
    },
    /// A notification.
    Notification {
        /// Its method.
        method: String,
    },
    /// A JSON array with messages in it.
    Batch(Vec<DecodedLine>),
    /// JSON that is not a JSON-RPC message; with what is wrong, in words.
    Malformed(String),
}

/// The problem of a message in an array.
pub const IN_A_BATCH: &str = "it is inside a JSON array: batches are not part of MCP";

/// What a response says.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// `result`.
    Result(Value),
    /// `error`.
    Error(RpcError),
    /// Neither can be read; with what is wrong, in words.
    Malformed(String),
}

/// The id of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResponseId {
    /// A whole number.
    Number(i64),
    /// Anything else, as JSON text: a string that looks like our number is not our number.
    Other(String),
}

/// Decodes one line, without its newline.
pub fn decode(line: &[u8]) -> DecodedLine {
    let Ok(text) = std::str::from_utf8(line) else {
        return malformed(decode_text(&String::from_utf8_lossy(line)), NOT_UTF8);
    };
    if let Some(rest) = text.strip_prefix('\u{feff}') {
        return malformed(decode_text(rest), "it begins with a byte order mark");
    }
    decode_text(text)
}

/// The decoded line as a message that is malformed in this way.
pub(super) fn malformed(line: DecodedLine, how: &str) -> DecodedLine {
    match line {
        DecodedLine::Response { id, repeated, .. } => {
            DecodedLine::Response { id, body: Body::Malformed(how.to_owned()), repeated }
        }
        DecodedLine::Request { .. }
        | DecodedLine::Notification { .. }
        | DecodedLine::Batch(_)
        | DecodedLine::Malformed(_) => DecodedLine::Malformed(how.to_owned()),
        DecodedLine::Blank | DecodedLine::Noise => line,
    }
}

fn decode_text(text: &str) -> DecodedLine {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    if text.is_empty() {
        return DecodedLine::Blank;
    }
    match text.as_bytes()[0] {
        b'{' => match serde_json::from_str::<Envelope<'_>>(text) {
            Ok(envelope) => envelope.into_line(),
            Err(error) => broken(text, &error),
        },
        // A log line may begin with `[`, so only a complete array counts as a batch.
        b'[' => match serde_json::from_str::<Vec<&RawValue>>(text) {
            Ok(items) => batch(&items),
            Err(_) => DecodedLine::Noise,
        },
        _ => DecodedLine::Noise,
    }
}

/// Decodes an array. Arrays within arrays are not messages, so this ends.
fn batch(items: &[&RawValue]) -> DecodedLine {
    let objects = items.iter().filter(|item| item.get().starts_with('{'));
    let messages: Vec<DecodedLine> =
        objects.map(|item| decode_text(item.get())).filter(|line| *line != DecodedLine::Noise).collect();
    if messages.is_empty() {
        return DecodedLine::Malformed("it is a JSON array: batches are not part of MCP".to_owned());
    }
    DecodedLine::Batch(messages)
}

/// Decodes invalid JSON: a message whose id may be readable, or a log line with a brace.
fn broken(text: &str, error: &serde_json::Error) -> DecodedLine {
    if !looks_like_message(text) {
        return DecodedLine::Noise;
    }
    let how = format!("it is not valid JSON: {}", of_json(error));
    let seen = scan_prefix(text);
    if seen.has_method || !seen.is_response {
        return DecodedLine::Malformed(how);
    }
    let id = seen.id.and_then(|id| response_id(&id));
    DecodedLine::Response { id, body: Body::Malformed(how), repeated: None }
}

/// Whether invalid JSON was meant as a message, rather than a log line with a brace.
fn looks_like_message(text: &str) -> bool {
    text.contains("\"jsonrpc\"") || (text.contains("\"id\"") && text.contains("\"result\""))
}

/// The members of a JSON-RPC message, not parsed yet.
#[derive(Default)]
struct Envelope<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    duplicate: Option<&'static str>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Envelope<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON-RPC message")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope<'de>, A::Error> {
                let mut envelope = Envelope::default();
                while let Some(key) = map.next_key::<Key<'de>>()? {
                    let value: &'de RawValue = map.next_value()?;
                    envelope.put(&key.0, value);
                }
                Ok(envelope)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// A member's name, borrowed if it has no escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Envelope<'a> {
    fn put(&mut self, key: &str, value: &'a RawValue) {
        let (name, place) = match key {
            "jsonrpc" => ("jsonrpc", &mut self.jsonrpc),
            "id" => ("id", &mut self.id),
            "method" => ("method", &mut self.method),
            "result" => ("result", &mut self.result),
            "error" => ("error", &mut self.error),
            _ => return,
        };
        if place.replace(value).is_some() {
            self.duplicate = Some(name);
        }
    }

    fn into_line(self) -> DecodedLine {
        if self.jsonrpc.is_none()
            && self.id.is_none()
            && self.method.is_none()
            && self.result.is_none()
            && self.error.is_none()
        {
            // A structured log line: JSON, but not a message.
            return DecodedLine::Noise;
        }
        let wrong = self.wrong();
        if let Some(method) = self.method {
            return match (self.id, wrong, serde_json::from_str::<String>(method.get())) {
                (_, Some(wrong), _) => DecodedLine::Malformed(wrong),
                (_, None, Err(_)) => DecodedLine::Malformed("its `method` is not a string".to_owned()),
                (Some(id), None, Ok(method)) => DecodedLine::Request { id: id.get().to_owned(), method },
                (None, None, Ok(method)) => DecodedLine::Notification { method },
            };
        }
        let (body, repeated) = wrong.map_or_else(|| self.body(), |how| (Body::Malformed(how), None));
        DecodedLine::Response { id: self.id.and_then(|id| response_id(id.get())), body, repeated }
    }

    /// What is wrong with the envelope itself.
    fn wrong(&self) -> Option<String> {
        if let Some(name) = self.duplicate {
            return Some(format!("its member `{name}` appears twice"));
        }
        match self.jsonrpc.map(RawValue::get) {
            Some("\"2.0\"") => None,
            Some(other) => Some(format!("its `jsonrpc` is {other} instead of \"2.0\"")),
            None => Some("it has no `jsonrpc`".to_owned()),
        }
    }

    fn body(&self) -> (Body, Option<String>) {
        let malformed = |how: &str| (Body::Malformed(how.to_owned()), None);
        let unread =
            |name: &str, error| malformed(&format!("its `{name}` cannot be read: {}", of_json(&error)));
        match (self.result, self.error) {
            (Some(_), Some(_)) => malformed("it has both `result` and `error`"),
            (None, None) => malformed("it has neither `result` nor `error`"),
            (Some(result), None) => match body::read(result.get()) {
                Ok((result, repeated)) => (Body::Result(result), repeated),
                Err(error) => unread("result", error),
            },
            (None, Some(error)) => match body::read(error.get()) {
                Ok((error, repeated)) => (rpc_error(&error), repeated),
                Err(error) => unread("error", error),
            },
        }
    }
}

fn rpc_error(error: &Value) -> Body {
    let Some(code) = error.get("code").and_then(Value::as_i64) else {
        return Body::Malformed("its `error` has no integer `code`".to_owned());
    };
    let Some(message) = error.get("message").and_then(Value::as_str) else {
        return Body::Malformed("its `error` has no string `message`".to_owned());
    };
    Body::Error(RpcError {
        code,
        message: message.to_owned(),
        data: error.get("data").filter(|data| !data.is_null()).cloned(),
    })
}

/// The id of a response from its JSON text; `None` if it is null.
pub fn response_id(text: &str) -> Option<ResponseId> {
    if text == "null" {
        return None;
    }
    Some(text.parse().map_or_else(|_| ResponseId::Other(text.to_owned()), ResponseId::Number))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(line: &str, expected: &DecodedLine) {
        assert_eq!(&decode(line.as_bytes()), expected, "{line}");
    }

    fn malformed(id: i64, how: &str) -> DecodedLine {
        DecodedLine::Response {
            id: Some(ResponseId::Number(id)),
            body: Body::Malformed(how.to_owned()),
            repeated: None,
        }
    }

    fn response(id: ResponseId, body: Body) -> DecodedLine {
        DecodedLine::Response { id: Some(id), body, repeated: None }
    }

    #[test]
    fn a_result_keeps_its_id_and_value() {
        let body = Body::Result(serde_json::json!({"content": []}));
        let line = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#;
        check(line, &response(ResponseId::Number(7), body.clone()));
        check(&format!("{line}\r"), &response(ResponseId::Number(7), body));
    }

    #[test]
    fn an_error_keeps_code_message_and_data() {
        let body = Body::Error(RpcError { code: -32602, message: "no".into(), data: None });
        check(
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no","data":null}}"#,
            &response(ResponseId::Number(7), body),
        );
    }

    #[test]
    fn requests_and_notifications_are_distinguished_from_responses() {
        check(
            r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#,
            &DecodedLine::Request { id: "\"a\"".into(), method: "ping".into() },
        );
        check(r#"{"jsonrpc":"2.0","method":"x/y"}"#, &DecodedLine::Notification { method: "x/y".into() });
    }

    #[test]
    fn an_id_survives_a_body_that_cannot_be_read() {
        let DecodedLine::Response { id, body: Body::Malformed(_), .. } =
            decode(br#"{"jsonrpc":"2.0","id":3,"result":{"text":"\ud800"}}"#)
        else {
            panic!("a lone surrogate makes a malformed response");
        };
        assert_eq!(id, Some(ResponseId::Number(3)));
        let deep = format!(r#"{{"jsonrpc":"2.0","id":3,"result":{}{}}}"#, "[".repeat(500), "]".repeat(500));
        assert!(matches!(
            decode(deep.as_bytes()),
            DecodedLine::Response { id: Some(ResponseId::Number(3)), body: Body::Malformed(_), .. }
        ));
    }

    #[test]
    fn what_is_wrong_is_reported_in_words() {
        check(r#"{"id":1,"result":{}}"#, &malformed(1, "it has no `jsonrpc`"));
        check(r#"{"jsonrpc":"2.0","id":1}"#, &malformed(1, "it has neither `result` nor `error`"));
        check(
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#,
            &malformed(1, "it has both `result` and `error`"),
        );
        check(
            r#"{"jsonrpc":"2.0","id":1,"id":2,"result":{}}"#,
            &malformed(2, "its member `id` appears twice"),
        );
        check(
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
            &malformed(1, "it begins with a byte order mark"),
        );
        assert_eq!(decode(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}"), malformed(1, NOT_UTF8));
        check("[]", &DecodedLine::Malformed("it is a JSON array: batches are not part of MCP".into()));
    }

    #[test]
    fn a_string_that_looks_like_our_id_is_another_id() {
        check(
            r#"{"jsonrpc":"2.0","id":"1","result":1}"#,
            &response(ResponseId::Other("\"1\"".into()), Body::Result(1.into())),
        );
    }

    #[test]
    fn a_reply_that_breaks_off_keeps_its_id() {
        let DecodedLine::Response { id: Some(ResponseId::Number(7)), body: Body::Malformed(how), .. } =
            decode(br#"{"jsonrpc":"2.0","id":7,"result":{"content":["#)
        else {
            panic!("a reply that breaks off is a malformed response");
        };
        assert!(how.starts_with("it is not valid JSON: EOF"), "{how}");
        check(
            r#"{"jsonrpc":"2.0","method":"x","id"#,
            &DecodedLine::Malformed("it is not valid JSON: EOF while parsing a string".into()),
        );
    }

    #[test]
    fn a_reply_within_an_array_is_still_seen() {
        let reply = response(ResponseId::Number(7), Body::Result(1.into()));
        check(
            r#"[{"jsonrpc":"2.0","id":7,"result":1}, 5, {"level":"info"}]"#,
            &DecodedLine::Batch(vec![reply]),
        );
    }

    #[test]
    fn a_member_of_the_body_that_stands_twice_is_noted() {
        let line = r#"{"jsonrpc":"2.0","id":7,"result":{"isError":false,"isError":true}}"#;
        let body = Body::Result(serde_json::json!({"isError": true}));
        check(
            line,
            &DecodedLine::Response {
                id: Some(ResponseId::Number(7)),
                body,
                repeated: Some("isError".into()),
            },
        );
    }

    #[test]
    fn log_lines_are_noise_whatever_they_begin_with() {
        for line in
            ["Server started", "[INFO] up", "{level: info}", r#"{"level":"info","message":"up"}"#, "42"]
        {
            check(line, &DecodedLine::Noise);
        }
        check("  \r", &DecodedLine::Blank);
    }

    proptest! {
        #[test]
        fn any_bytes_decode(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&bytes);
        }

        #[test]
        fn a_result_is_read_as_it_was_written(id in any::<i64>(), text in ".*") {
            let line = serde_json::json!({"jsonrpc": "2.0", "id": id, "result": {"text": text}}).to_string();
            let expected = Body::Result(serde_json::json!({"text": text}));
            prop_assert_eq!(
                decode(line.as_bytes()),
                response(ResponseId::Number(id), expected)
            );
        }
    }
}
