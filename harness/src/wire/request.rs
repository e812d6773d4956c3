//! Composing the lines that the harness sends.

use serde_json::{Value, json};

/// A request's line; `params` is JSON text and goes out byte for byte.
pub fn request_line(id: i64, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{},"params":{params}}}"#, json!(method))
}

/// A notification's line.
pub fn notification_line(method: &str) -> String {
    json!({"jsonrpc": "2.0", "method": method}).to_string()
}

/// The line that answers a request of the server's; `id` is JSON text.
pub fn result_line(id: &str, result: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// The line that refuses a request of the server's; `id` is JSON text.
pub fn error_line(id: &str, code: i64, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{}}}"#, json!({"code": code, "message": message}))
}
