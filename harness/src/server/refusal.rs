//! Why a server did not begin a session, in words.

use crate::exchange::Outcome;
use crate::pattern;

/// How much of a line is quoted, in characters.
const LONGEST_QUOTE: usize = 200;

/// Why the first request led to no session, in words.
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

/// A cause with what the server printed about it on standard output and standard error.
pub(super) fn with_output(cause: &str, noise: &[String], stderr: &str) -> String {
    let cause = with_address(cause, noise, stderr);
    with_stderr(&with_noise(&cause, noise), stderr)
}

/// How a cause says that the server serves HTTP.
pub(crate) const SERVES_HTTP: &str = "It seems to serve HTTP";

/// The line with which the server says where it serves HTTP.
pub(super) fn address<'l>(noise: &'l [String], stderr: &'l str) -> Option<&'l str> {
    let mut lines = noise.iter().map(String::as_str).chain(stderr.lines());
    lines.find(|line| pattern!("state/serves-http").is_match(line))
}

/// A cause with what is the matter if the server serves HTTP: a line that it printed names its address.
fn with_address(cause: &str, noise: &[String], stderr: &str) -> String {
    let Some(line) = address(noise, stderr) else { return cause.to_owned() };
    let line: String = line.trim().chars().take(LONGEST_QUOTE).collect();
    format!(
        "{cause}\n{SERVES_HTTP}: it printed \"{line}\". mcp-errconf talks to servers over standard input and \
         output: start it with its stdio transport (often `--stdio` or `--transport stdio`)."
    )
}

/// A cause with the first lines of standard output that are not messages: they often show what was started
/// instead.
fn with_noise(cause: &str, noise: &[String]) -> String {
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

/// A cause with the end of the server's standard error. If the line that says what went wrong stands further
/// up, it is added: Go and Node print stack frames after it.
fn with_stderr(cause: &str, stderr: &str) -> String {
    const TAIL: usize = 8;
    let lines: Vec<&str> = stderr.trim_end().lines().collect();
    if lines.is_empty() {
        return cause.to_owned();
    }
    let (above, end) = lines.split_at(lines.len().saturating_sub(TAIL));
    let tells = |line: &&&str| pattern!("failure/fatal-line").is_match(line);
    let told = above
        .iter()
        .rfind(tells)
        .filter(|_| !end.iter().any(|line| pattern!("failure/fatal-line").is_match(line)));
    let told = told.map(|line| {
        let line: String = line.chars().take(LONGEST_QUOTE).collect();
        format!("\nIts standard error says:\n  {line}")
    });
    format!("{cause}{}\nIts standard error ends with:\n  {}", told.unwrap_or_default(), end.join("\n  "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_is_no_message_is_quoted_and_the_rest_is_counted() {
        let noise = ["ready on port 80".to_owned(), "ready".to_owned(), "ready".to_owned()];
        let message = with_noise("it did not answer", &noise);
        assert!(message.starts_with("it did not answer\n"), "{message}");
        assert!(message.ends_with("this line (2 more lines like it):\n  ready on port 80"), "{message}");
        assert_eq!(with_noise("it did not answer", &[]), "it did not answer");
    }

    #[test]
    fn a_server_that_serves_http_is_recognised_by_the_address_that_it_prints() {
        let check = |line: &str, is_http: bool| {
            for told in [
                with_address("it did not answer", &[line.to_owned()], ""),
                with_address("it did not answer", &[], &format!("starting\n{line}\n")),
            ] {
                assert_eq!(
                    told.contains(&format!("It seems to serve HTTP: it printed \"{line}\"")),
                    is_http,
                    "{told}"
                );
            }
        };
        check("Server listening on http://127.0.0.1:8766/mcp", true);
        check("INFO:     Uvicorn running on http://127.0.0.1:8765 (Press CTRL+C to quit)", true);
        check("MCP Streamable HTTP Server listening on port 3000", true);
        check("notes server running on stdio", false);
        check("see http://127.0.0.1/docs", false);
        check("error: no report of a run", false);
    }

    #[test]
    fn the_line_that_tells_what_went_wrong_is_quoted_from_above_its_frames() {
        let frames: String = (0..9).map(|frame| format!("    at step {frame}\n")).collect();
        for line in [
            "panic: no implementation available",
            "TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension \".ts\"",
            "thread 'main' (7) panicked at src/main.rs:3:5:",
            "Exception in thread \"main\" java.lang.IllegalStateException: no key",
        ] {
            let told = with_stderr("it ended", &format!("starting\n{line}\n{frames}"));
            let quoted =
                format!("it ended\nIts standard error says:\n  {line}\nIts standard error ends with:\n  ");
            assert!(told.starts_with(&quoted) && told.ends_with("at step 8"), "{told}");
        }
        for stderr in [
            format!("ready\n{frames}"),
            format!("ImportError: no a\n{frames}ImportError: no b\n"),
            "panic: no\n".to_owned(),
            format!("Exception in thread Thread-3 (run):\n{frames}"),
        ] {
            assert!(!with_stderr("it ended", &stderr).contains("says:"), "{stderr}");
        }
        assert_eq!(with_stderr("it ended", " \n"), "it ended");
    }
}
