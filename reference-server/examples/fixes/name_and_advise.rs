//! A file that is not there: which, and what now, or "Invalid request".

use std::fs;

use rmcp::model::CallToolResult;

use super::{Call, refusal, said};

pub(super) async fn faulty(call: Call) -> CallToolResult {
    match fs::read_to_string(call.text("path")) {
        Ok(text) => said(text),
        Err(_) => refusal("Invalid request."),
    }
}

pub(super) async fn fixed(call: Call) -> CallToolResult {
    read_file(call).await
}

// the fix:
async fn read_file(call: Call) -> CallToolResult {
    let path = call.text("path");
    match fs::read_to_string(path) {
        Ok(text) => said(text),
        Err(_) => refusal(format!(
            "No file has the 'path' '{path}'. Send a path that exists: list its folder to see which do."
        )),
    }
}
// the end of the fix
