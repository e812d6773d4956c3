//! A text to replace that is there three times: refused, or the first of them changed.

use std::fs;

use rmcp::model::CallToolResult;

use super::{Call, refusal, said};

pub(super) async fn faulty(call: Call) -> CallToolResult {
    let path = call.text("path");
    let Ok(text) = fs::read_to_string(path) else { return refusal(format!("There is no file '{path}'.")) };
    let changed = text.replacen(call.text("old_str"), call.text("new_str"), 1);
    match fs::write(path, changed) {
        Ok(()) => said("Replaced."),
        Err(_) => refusal(format!("'{path}' cannot be written.")),
    }
}

pub(super) async fn fixed(call: Call) -> CallToolResult {
    str_replace(call).await
}

// the fix:
async fn str_replace(call: Call) -> CallToolResult {
    let (path, old) = (call.text("path"), call.text("old_str"));
    if old.is_empty() {
        return refusal("'old_str' is empty. Send the text to replace.");
    }
    let Ok(text) = fs::read_to_string(path) else { return refusal(format!("There is no file '{path}'.")) };
    let found = text.matches(old).count();
    if found != 1 {
        let advice = if found == 0 { "Read the file again." } else { "Send more of the lines around it." };
        return refusal(format!("'{old}' occurs {found} times in '{path}'; it must occur once. {advice}"));
    }
    match fs::write(path, text.replace(old, call.text("new_str"))) {
        Ok(()) => said("Replaced."),
        Err(_) => refusal(format!("'{path}' cannot be written.")),
    }
}
// the end of the fix
