//! An argument that is missing: one sentence, or a value in Rust's notation.

use std::fs;

use rmcp::model::CallToolResult;
use serde::Deserialize;
use serde_json::Value;

use super::{Call, refusal, said};

#[derive(Debug, Deserialize)]
struct Arguments {
    path: String,
}

pub(super) async fn faulty(call: Call) -> CallToolResult {
    match serde_json::from_value::<Arguments>(Value::Object(call.arguments)) {
        Ok(arguments) => said(fs::read_to_string(arguments.path).unwrap_or_default()),
        Err(error) => refusal(format!("{error:?}")),
    }
}

pub(super) async fn fixed(call: Call) -> CallToolResult {
    read_file(call).await
}

// the fix:
async fn read_file(call: Call) -> CallToolResult {
    let path = match call.arguments.get("path") {
        Some(Value::String(path)) => path,
        Some(other) => {
            return refusal(format!("Parameter 'path' must be a string, not {other}. Send the file's path."));
        }
        None => return refusal("Parameter 'path' is missing. Send {\"path\": \"the file's path\"}."),
    };
    said(fs::read_to_string(path).unwrap_or_default())
}
// the end of the fix
