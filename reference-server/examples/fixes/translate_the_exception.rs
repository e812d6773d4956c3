//! A file that cannot be read: told in words of one's own, or in those of Rust.

use std::fs;
use std::io::ErrorKind;

use rmcp::model::CallToolResult;

use super::{Call, refusal, said};

pub(super) async fn faulty(call: Call) -> CallToolResult {
    match fs::read_to_string(call.text("path")) {
        Ok(text) => said(text),
        Err(error) => refusal(error.to_string()),
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
        Err(error) => {
            eprintln!("read_file {path}: {error:?}"); // whole, for the log
            let cause = match error.kind() {
                ErrorKind::NotFound => "does not exist",
                ErrorKind::IsADirectory => "is a folder",
                _ => "cannot be read",
            };
            refusal(format!("'{path}' {cause}. List its folder to see which files there are."))
        }
    }
}
// the end of the fix
