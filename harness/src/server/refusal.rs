//! Why a server did not begin a session, in words.

use crate::exchange::Outcome;

/// How much of a line is quoted, in characters.
const LONGEST_QUOTE: usize = 200;

/// Why the first request gave no session, in words.
pub(super) fn refusal(method: &str, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Result(_) => format!("its answer to `{method}` is of no known kind"),
        Outcome::InputRequired(_) => format!("it answered `{method}` by asking for input"),
        Outcome::Error(error) => {
            format!("it refused `{method}` with error {}: {}", error.code, error.message)
        }
        Outcome::Malformed(malformed) => {
            format!("its answer to `{method}` is not a valid message: {}", malformed.how)
        }
        Outcome::Oversized(oversized) => {
            format!("its answer to `{method}` is a line of {} bytes", oversized.bytes)
        }
        Outcome::NoReply { waited_ms, .. } => {
            format!("it did not answer `{method}` within {} s", waited_ms / 1000)
        }
        Outcome::Ended(exit) => format!("it ended before answering `{method}`: {exit}"),
    }
}

/// A cause with the first of the lines on standard output that are no messages: they often tell what was started instead.
pub(super) fn with_noise(cause: &str, noise: &[String]) -> String {
    let Some(first) = noise.first() else { return cause.to_owned() };
    let first: String = first.chars().take(LONGEST_QUOTE).collect();
    let more = match noise.len() - 1 {
        0 => String::new(),
        more => format!(" ({more} more lines like it)"),
    };
    format!(
        "{cause}\nIts standard output must contain only JSON-RPC messages, but it contains this \
         line{more}:\n  {first}"
    )
}

/// A cause with the end of what the server said on standard error.
pub(super) fn with_stderr(cause: &str, stderr: &str) -> String {
    let lines: Vec<&str> = stderr.trim_end().lines().collect();
    if lines.is_empty() {
        return cause.to_owned();
    }
    let tail = lines[lines.len().saturating_sub(8)..].join("\n  ");
    format!("{cause}\nIts standard error ends with:\n  {tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_is_no_message_is_quoted_and_the_rest_is_counted() {
        let noise = ["ready on port 80".to_owned(), "ready".to_owned(), "ready".to_owned()];
        let told = with_noise("it did not answer", &noise);
        assert!(told.starts_with("it did not answer\n"), "{told}");
        assert!(told.ends_with("this line (2 more lines like it):\n  ready on port 80"), "{told}");
        assert_eq!(with_noise("it did not answer", &[]), "it did not answer");
    }
}
