//! Composing the lines that the harness sends.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::lifecycle::MODERN_VERSION;

/// The line of a request; `params` is JSON text that is sent unchanged.
pub fn request_line(id: i64, method: &str, params: &str) -> String {
    // Params may have megabytes and are copied only once.
    let mut line = String::with_capacity(params.len() + method.len() + 64);
    let _ =
        write!(line, r#"{{"jsonrpc":"2.0","id":{id},"method":{},"params":{params}}}"#, Value::from(method));
    line
}

/// A notification's line.
pub fn notification_line(method: &str) -> String {
    json!({"jsonrpc": "2.0", "method": method}).to_string()
}

/// The line that takes a request back.
pub fn cancelled_line(id: i64) -> String {
    json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": id, "reason": "the result is not needed any more"},
    })
    .to_string()
}

/// The line that answers a request of the server; `id` is JSON text.
pub fn result_line(id: &str, result: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// The line that refuses a request of the server; `id` is JSON text.
pub fn error_line(id: &str, code: i64, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{}}}"#, json!({"code": code, "message": message}))
}

/// The `_meta` that every request of the modern lifecycle needs: the protocol version, the client and its
/// capabilities.
pub fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "mcp-errconf", "version": env!("CARGO_PKG_VERSION")},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// Parameters with this `_meta`, unless they begin with their own. `params` is the text of a JSON object, which
/// stays as it is.
pub fn with_meta(params: &str) -> String {
    if params.starts_with(r#"{"_meta":"#) {
        return params.to_owned();
    }
    let meta = meta();
    let members = params.trim_start().strip_prefix('{').unwrap_or("}");
    let separator = if members.trim_start().starts_with('}') { "" } else { "," };
    format!(r#"{{"_meta":{meta}{separator}{members}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meta_stands_beside_parameters_that_go_out_byte_for_byte() {
        let params = r#"{"name":"view","arguments":{"path":"\ud800", "n": 1.0e2}}"#;
        let with = with_meta(params);
        assert!(with.ends_with(&params[1..]), "{with}");
        let meta: Value = serde_json::from_str(&with_meta("{}")).unwrap();
        assert_eq!(meta["_meta"]["io.modelcontextprotocol/protocolVersion"], MODERN_VERSION);
        assert_eq!(meta.as_object().unwrap().len(), 1);
        assert_eq!(with_meta(r#"{"_meta":{}}"#), r#"{"_meta":{}}"#, "it has its own");
    }
}
