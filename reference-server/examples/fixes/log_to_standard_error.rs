//! A line for the log: on standard error, or between the messages of the protocol.

use std::fs;

use rmcp::model::CallToolResult;

use super::{Call, refusal, said};

pub(super) async fn faulty(call: Call) -> CallToolResult {
    let path = call.text("path");
    println!("reading {path}");
    match fs::read_to_string(path) {
        Ok(text) => said(text),
        Err(_) => refusal(format!("No note at '{path}'. List its folder to see which there are.")),
    }
}

pub(super) async fn fixed(call: Call) -> CallToolResult {
    read_file(call).await
}

// the fix:
async fn read_file(call: Call) -> CallToolResult {
    let path = call.text("path");
    eprintln!("reading {path}"); // or `tracing_subscriber::fmt().with_writer(std::io::stderr)` at the start
    match fs::read_to_string(path) {
        Ok(text) => said(text),
        Err(_) => refusal(format!("No note at '{path}'. List its folder to see which there are.")),
    }
}
// the end of the fix
