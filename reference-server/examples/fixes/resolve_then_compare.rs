//! A path that leads out of the root: refused, or read.

use std::fs;

use rmcp::model::CallToolResult;

use super::{Call, refusal, said};

pub(super) async fn faulty(call: Call) -> CallToolResult {
    let (path, root) = (call.text("path"), call.root.display());
    if !path.starts_with(&root.to_string()) {
        return refusal(format!("'{path}' is outside '{root}'. Use a path in it."));
    }
    said(fs::read_to_string(path).unwrap_or_default())
}

pub(super) async fn fixed(call: Call) -> CallToolResult {
    read_file(call).await
}

// the fix:
async fn read_file(call: Call) -> CallToolResult {
    let (path, root) = (call.text("path"), call.root.display());
    let (Ok(top), Ok(real)) = (fs::canonicalize(&call.root), fs::canonicalize(call.root.join(path))) else {
        return refusal(format!("There is no file '{path}' in '{root}'. List the folder."));
    };
    if !real.starts_with(top) {
        return refusal(format!("'{path}' is outside '{root}'. Use a path in it."));
    }
    said(fs::read_to_string(real).unwrap_or_default())
}
// the end of the fix
