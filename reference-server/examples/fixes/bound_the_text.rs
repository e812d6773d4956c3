//! What a service answered: a line of it, or all.

use std::fs;

use rmcp::model::CallToolResult;

use super::{Call, refusal, said};

/// Stands for what a service answered.
fn answer() -> String {
    format!("<html><body>{}</body></html>", "<p>The gateway is sorry.</p>\n".repeat(900))
}

pub(super) async fn faulty(call: Call) -> CallToolResult {
    let path = call.text("path");
    match fs::read_to_string(path) {
        Ok(text) => said(text),
        Err(_) => refusal(format!("No note at '{path}'. The store answered: {} List its folder.", answer())),
    }
}

pub(super) async fn fixed(call: Call) -> CallToolResult {
    read_file(call).await
}

// the fix:
fn in_short(text: &str) -> String {
    let plain = text.split('<').map(|part| part.split_once('>').map_or(part, |(_, words)| words));
    let words = plain.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
    words.chars().filter(|c| !c.is_control()).take(120).collect()
}

async fn read_file(call: Call) -> CallToolResult {
    let path = call.text("path");
    let Ok(text) = fs::read_to_string(path) else {
        let answer = answer();
        eprintln!("the store answered {answer}"); // whole, for the log
        let short = in_short(&answer);
        return refusal(format!("No note at '{path}'. The store answered: \"{short}\". List its folder."));
    };
    said(text)
}
// the end of the fix
