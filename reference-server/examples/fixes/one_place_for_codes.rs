//! A file that is not there: with its code, or without.

use std::fmt;
use std::fs;

use rmcp::model::CallToolResult;

use super::{Call, refusal, said};

pub(super) async fn faulty(call: Call) -> CallToolResult {
    let path = call.text("path");
    match fs::read_to_string(path) {
        Ok(text) => said(text),
        Err(_) => refusal(format!("There is no file '{path}'. List its folder.")),
    }
}

pub(super) async fn fixed(call: Call) -> CallToolResult {
    read_file(call).await
}

// the fix:
enum Code {
    NotFound,
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NotFound => "PATH_NOT_FOUND",
        })
    }
}

fn coded(code: &Code, message: &str) -> CallToolResult {
    refusal(format!("[{code}] {message}"))
}

async fn read_file(call: Call) -> CallToolResult {
    let path = call.text("path");
    match fs::read_to_string(path) {
        Ok(text) => said(text),
        Err(_) => coded(&Code::NotFound, &format!("There is no file '{path}'. List its folder.")),
    }
}
// the end of the fix
