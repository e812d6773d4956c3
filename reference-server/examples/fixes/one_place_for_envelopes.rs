//! A file that is not there: as the object that the contract wants, or as a text.

use std::fs;

use rmcp::model::CallToolResult;
use serde::Serialize;
use serde_json::json;

use super::{Call, refusal, said};

pub(super) async fn faulty(call: Call) -> CallToolResult {
    let path = call.text("path");
    match fs::read_to_string(path) {
        Ok(text) => said(text),
        Err(_) => refusal(format!("There is no file '{path}'.")),
    }
}

pub(super) async fn fixed(call: Call) -> CallToolResult {
    read_file(call).await
}

// the fix:
#[derive(Serialize)]
struct Envelope<'a> {
    success: bool,
    error_code: &'a str,
    message: String,
    retryable: bool,
    recovery_hints: &'a [&'a str],
    file_path: &'a str,
}

async fn read_file(call: Call) -> CallToolResult {
    let path = call.text("path");
    let Ok(text) = fs::read_to_string(path) else {
        return CallToolResult::structured_error(json!(Envelope {
            success: false,
            error_code: "FILE_NOT_FOUND",
            message: format!("There is no file '{path}'."),
            retryable: true, // another input may work
            recovery_hints: &["List the folder of 'path' first."],
            file_path: path,
        }));
    };
    said(text)
}
// the end of the fix
