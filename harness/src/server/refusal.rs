//! Why a server did not begin a session, in words.

use crate::exchange::Outcome;

/// Why the first request gave no session, in words.
pub(super) fn refusal(method: &str, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Result(_) => format!("it answered `{method}` in no known way"),
        Outcome::InputRequired(_) => format!("it asks for input in answer to `{method}`"),
        Outcome::Error(error) => {
            format!("it refused `{method}` with error {}: {}", error.code, error.message)
        }
        Outcome::Malformed(malformed) => {
            format!("its answer to `{method}` is no valid message: {}", malformed.how)
        }
        Outcome::Oversized(oversized) => {
            format!("its answer to `{method}` is a line of {} bytes", oversized.bytes)
        }
        Outcome::NoReply { waited_ms, .. } => {
            format!("it did not answer `{method}` within {} s", waited_ms / 1000)
        }
        Outcome::Ended(exit) => format!("it ended before it answered `{method}`: {exit}"),
    }
}

/// A cause with the end of what the server said on standard error.
pub(super) fn with_stderr(cause: &str, stderr: &str) -> String {
    let lines: Vec<&str> = stderr.trim_end().lines().collect();
    if lines.is_empty() {
        return cause.to_owned();
    }
    let tail = lines[lines.len().saturating_sub(8)..].join("\n  ");
    format!("{cause}\nIts standard error ends:\n  {tail}")
}
