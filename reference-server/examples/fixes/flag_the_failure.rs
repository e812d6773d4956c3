//! A note that is not there: told as an error, or as if it were a note.

use std::fs;

use rmcp::model::{CallToolResult, ContentBlock};

use super::{Call, said};

pub(super) async fn faulty(call: Call) -> CallToolResult {
    let path = call.text("path");
    let text = fs::read_to_string(path);
    said(text.unwrap_or_else(|_| format!("Error: no note at '{path}'. List the folder.")))
}

pub(super) async fn fixed(call: Call) -> CallToolResult {
    read_file(call).await
}

// the fix:
async fn read_file(call: Call) -> CallToolResult {
    let path = call.text("path");
    match fs::read_to_string(path) {
        Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
        Err(_) => {
            let text = format!("No note at '{path}'. List the folder to see which there are.");
            CallToolResult::error(vec![ContentBlock::text(text)])
        }
    }
}
// the end of the fix
