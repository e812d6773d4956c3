//! A text to replace that is not there: the file as it was, or emptied.

use std::fs;

use rmcp::model::CallToolResult;

use super::{Call, refusal, said};

pub(super) async fn faulty(call: Call) -> CallToolResult {
    let (path, old) = (call.text("path"), call.text("old_str"));
    let Ok(text) = fs::read_to_string(path) else { return refusal(format!("There is no file '{path}'.")) };
    let Ok(_emptied) = fs::File::create(path) else { return refusal(format!("'{path}' cannot be written.")) };
    if text.matches(old).count() != 1 {
        return refusal(format!("'{old}' must occur once in '{path}'. Read it again."));
    }
    match fs::write(path, text.replace(old, call.text("new_str"))) {
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
    let Ok(text) = fs::read_to_string(path) else { return refusal(format!("There is no file '{path}'.")) };
    if text.matches(old).count() != 1 {
        return refusal(format!("'{old}' must occur once in '{path}'. Read it again."));
    }
    let beside = format!("{path}.new");
    let changed = text.replace(old, call.text("new_str"));
    if fs::write(&beside, changed).is_err() || fs::rename(&beside, path).is_err() {
        return refusal(format!("'{path}' cannot be written."));
    }
    said("Replaced.")
}
// the end of the fix
