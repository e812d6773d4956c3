//! Whether a text says that something failed and nothing else.

use super::passages;

/// The words of which a text consists that tells nothing: that it failed, that it was tried, and courtesies.
const EMPTY: &[&str] = &[
    "a",
    "action",
    "again",
    "all",
    "an",
    "and",
    "any",
    "argument",
    "arguments",
    "as",
    "at",
    "attempt",
    "attempting",
    "bad",
    "be",
    "been",
    "but",
    "call",
    "called",
    "calling",
    "can",
    "cannot",
    "check",
    "code",
    "complete",
    "completed",
    "contact",
    "could",
    "details",
    "did",
    "do",
    "docs",
    "documentation",
    "does",
    "due",
    "during",
    "encountered",
    "error",
    "errors",
    "exception",
    "execute",
    "executed",
    "executing",
    "execution",
    "fail",
    "failed",
    "fails",
    "failure",
    "fatal",
    "fetch",
    "fetching",
    "fix",
    "for",
    "found",
    "generic",
    "getting",
    "given",
    "handle",
    "handling",
    "happened",
    "has",
    "have",
    "help",
    "i",
    "in",
    "information",
    "input",
    "inputs",
    "internal",
    "invalid",
    "is",
    "issue",
    "it",
    "later",
    "made",
    "message",
    "more",
    "not",
    "occurred",
    "occurs",
    "of",
    "ok",
    "oops",
    "operation",
    "or",
    "our",
    "parameter",
    "parameters",
    "params",
    "perform",
    "performed",
    "performing",
    "please",
    "problem",
    "process",
    "processed",
    "processing",
    "request",
    "requested",
    "requests",
    "retry",
    "run",
    "running",
    "search",
    "see",
    "server",
    "server's",
    "side",
    "some",
    "something",
    "sorry",
    "start",
    "success",
    "support",
    "temporary",
    "that",
    "the",
    "there",
    "this",
    "to",
    "tool",
    "tools",
    "try",
    "trying",
    "unable",
    "understood",
    "unexpected",
    "unknown",
    "unspecified",
    "use",
    "using",
    "validation",
    "wait",
    "was",
    "went",
    "were",
    "when",
    "while",
    "with",
    "wrong",
    "you",
    "your",
];

/// Whether a message, its hints and data included, says nothing but that it failed. An empty one is not vague; the
/// name of the tool that was called adds nothing.
pub fn is_vague(message: &str, tool: Option<&str>) -> bool {
    /// What a program writes where it had nothing to write.
    const NOTHING: [&str; 7] = ["undefined", "null", "none", "nil", "<nil>", "nan", "[object object]"];
    let message = message.trim();
    let bare = message.trim_end_matches('.').to_ascii_lowercase();
    let bare = bare.strip_prefix("error: ").unwrap_or(&bare);
    if NOTHING.contains(&bare) {
        return true;
    }
    let found = passages(message);
    let texts = found.iter().filter(|passage| !passage.names_a_kind());
    let mut words = Vec::new();
    for passage in texts {
        let lower = passage.text.to_lowercase();
        let lower = tool.map_or(lower.clone(), |tool| lower.replace(&tool.to_lowercase(), " "));
        words.extend(
            lower
                .split(|c: char| !(c.is_alphanumeric() || c == '\''))
                .map(|word| word.trim_matches('\'').to_owned()),
        );
    }
    words.retain(|word| !word.is_empty());
    if words.is_empty() {
        return false;
    }
    // "Unknown tool" and "tool not found" say what was wrong.
    let has = |word: &str| words.iter().any(|other| other == word);
    let names_the_tool = has("tool") && (has("unknown") || has("found"));
    !names_the_tool && words.iter().all(|word| EMPTY.contains(&word.as_str()) || is_number(word))
}

fn is_number(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::is_vague;

    #[test]
    fn that_it_failed_is_vague_in_any_words() {
        for text in [
            "Error",
            "An error occurred.",
            "Something went wrong. Please try again.",
            "Invalid request parameters",
            "Input validation failed",
            "Failed to execute tool 'convert'.",
            r#"{"type": "VALIDATION", "message": "bad input", "recoverable": true}"#,
        ] {
            assert!(is_vague(text, Some("convert")), "{text}");
        }
    }

    #[test]
    fn what_a_program_writes_for_nothing_is_vague() {
        for text in ["undefined", "null", "None", "[object Object]", "Error: undefined"] {
            assert!(is_vague(text, Some("convert")), "{text}");
        }
        assert!(!is_vague("'path' is undefined", Some("convert")));
    }

    #[test]
    fn any_word_about_the_call_is_not_vague() {
        for text in [
            "path not found",
            "Unknown tool",
            "Missing arguments",
            "Too many rows.",
            "internal error, reference r-17",
            "[x]",
            "",
        ] {
            assert!(!is_vague(text, Some("convert")), "{text}");
        }
    }
}
