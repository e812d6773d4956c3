//! A store that does not answer: given up after a while, or waited for without end.

use std::fs;
use std::time::Duration;

use rmcp::model::CallToolResult;
use tokio::time::{sleep, timeout};

use super::{Call, refusal, said};

/// Stands for a store that answers when there is something, and else keeps the caller waiting.
async fn fetched(path: &str) -> String {
    loop {
        if let Ok(text) = fs::read_to_string(path) {
            return text;
        }
        sleep(Duration::from_millis(50)).await;
    }
}

pub(super) async fn faulty(call: Call) -> CallToolResult {
    said(fetched(call.text("path")).await)
}

pub(super) async fn fixed(call: Call) -> CallToolResult {
    read_file(call).await
}

// the fix:
async fn read_file(call: Call) -> CallToolResult {
    let path = call.text("path");
    match timeout(Duration::from_millis(800), fetched(path)).await {
        Ok(text) => said(text),
        Err(_) => refusal(format!(
            "The store did not answer for '{path}' within 0.8 s. Check the path, or try again later."
        )),
    }
}
// the end of the fix
