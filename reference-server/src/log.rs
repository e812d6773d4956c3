//! The operator's side of a failure: one line on standard error, with the cause that no client sees.

use std::io::Write;

use serde_json::json;

use crate::failure::{Code, Failure};

/// The form of a line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Log {
    /// For a person.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
    /// Nothing is told.
    Off,
}

impl Log {
    /// Logs a failure of the machine or of the server. What the caller did wrong is told to the caller alone.
    pub(crate) fn failure(self, tool: &str, failure: &Failure) {
        let is_ours = matches!(failure.code, Code::IoError | Code::ServerFault | Code::BashStartFailed);
        let Some(cause) = failure.cause.as_ref().filter(|_| is_ours) else { return };
        let line = match self {
            Log::Off => return,
            Log::Text => format!("{tool} failed, {:?}: {}: {cause}", failure.code, failure.what),
            Log::Json => json!({
                "level": "error",
                "tool": tool,
                "code": format!("{:?}", failure.code),
                "about": failure.about,
                "message": failure.what,
                "cause": cause.to_string(),
            })
            .to_string(),
        };
        // Nobody may be reading the log, and that is no reason to fail a call.
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}
