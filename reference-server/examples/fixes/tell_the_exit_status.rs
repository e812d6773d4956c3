//! A command that fails: with its status, or without.

use rmcp::model::CallToolResult;
use tokio::process::Command;

use super::{Call, refusal, said};

pub(super) async fn faulty(call: Call) -> CallToolResult {
    match Command::new("bash").args(["-c", call.text("command")]).output().await {
        Ok(done) => said(format!("Output:\n{}", String::from_utf8_lossy(&done.stdout))),
        Err(_) => refusal("There is no `bash` here."),
    }
}

pub(super) async fn fixed(call: Call) -> CallToolResult {
    bash(call).await
}

// the fix:
async fn bash(call: Call) -> CallToolResult {
    match Command::new("bash").args(["-c", call.text("command")]).output().await {
        Ok(done) => {
            let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
            let how = done.status.code().map_or("killed by a signal".to_owned(), |code| format!("exit status {code}"));
            said(format!("{out}{err}\n{how}"))
        }
        Err(_) => refusal("There is no `bash` here."),
    }
}
// the end of the fix
