//! Whether a text says that something failed and nothing else.

use super::passages;

/// The words of which a text consists that tells nothing: that it failed, that it was tried, and courtesies.
const EMPTY: &[&str] = &[
    "a",
    "able",
    "abort",
    "aborted",
    "aborting",
    "about",
    "action",
    "administrator",
    "again",
    "all",
    "an",
    "and",
    "any",
    "anything",
    "apologies",
    "appears",
    "argument",
    "arguments",
    "as",
    "assistance",
    "at",
    "attempt",
    "attempting",
    "bad",
    "be",
    "been",
    "broken",
    "but",
    "call",
    "called",
    "calling",
    "can",
    "can't",
    "cannot",
    "cause",
    "caused",
    "check",
    "code",
    "complete",
    "completed",
    "completing",
    "condition",
    "contact",
    "correct",
    "correctly",
    "could",
    "couldn't",
    "crash",
    "crashed",
    "deal",
    "details",
    "developer",
    "developers",
    "did",
    "didn't",
    "do",
    "docs",
    "documentation",
    "does",
    "doesn't",
    "done",
    "due",
    "during",
    "encountered",
    "ended",
    "error",
    "errors",
    "exception",
    "execute",
    "executed",
    "executing",
    "execution",
    "exit",
    "exited",
    "fail",
    "failed",
    "fails",
    "failure",
    "fatal",
    "fetch",
    "fetching",
    "finish",
    "finished",
    "finishing",
    "fix",
    "for",
    "found",
    "further",
    "generic",
    "getting",
    "given",
    "goes",
    "gone",
    "handle",
    "handler",
    "handling",
    "happen",
    "happened",
    "happening",
    "happens",
    "has",
    "have",
    "help",
    "hiccup",
    "i",
    "in",
    "incorrect",
    "information",
    "input",
    "inputs",
    "internal",
    "invalid",
    "invocation",
    "invoke",
    "invoked",
    "invoking",
    "is",
    "isn't",
    "issue",
    "it",
    "just",
    "kindly",
    "later",
    "log",
    "logs",
    "made",
    "malformed",
    "malfunction",
    "malfunctioned",
    "may",
    "message",
    "might",
    "moment",
    "more",
    "not",
    "now",
    "occurred",
    "occurs",
    "of",
    "off",
    "oh",
    "ok",
    "oops",
    "operation",
    "or",
    "our",
    "parameter",
    "parameters",
    "params",
    "passed",
    "perform",
    "performed",
    "performing",
    "please",
    "prevent",
    "prevented",
    "problem",
    "proceed",
    "process",
    "processed",
    "processing",
    "properly",
    "provided",
    "ran",
    "reason",
    "reasons",
    "reply",
    "request",
    "requested",
    "requests",
    "response",
    "result",
    "retry",
    "returned",
    "run",
    "running",
    "search",
    "see",
    "seems",
    "sent",
    "server",
    "server's",
    "side",
    "some",
    "somehow",
    "something",
    "somewhere",
    "soon",
    "sorry",
    "start",
    "status",
    "stopped",
    "submit",
    "submitted",
    "success",
    "successful",
    "successfully",
    "supplied",
    "support",
    "system",
    "team",
    "temporarily",
    "temporary",
    "terminated",
    "that",
    "the",
    "there",
    "this",
    "time",
    "to",
    "tool",
    "tools",
    "try",
    "trying",
    "uh",
    "unable",
    "understood",
    "unexpected",
    "unexpectedly",
    "unfortunately",
    "unhandled",
    "unknown",
    "unspecified",
    "unsuccessful",
    "us",
    "use",
    "using",
    "validate",
    "validation",
    "value",
    "values",
    "wait",
    "was",
    "wasn't",
    "we",
    "went",
    "were",
    "weren't",
    "when",
    "while",
    "whoops",
    "will",
    "with",
    "won't",
    "work",
    "worked",
    "working",
    "works",
    "would",
    "wrong",
    "wrongly",
    "yet",
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

/// Whether a message is so short that it may only give values back: to look for them takes longer than most rules.
pub fn may_give_back(message: &str) -> bool {
    const WORDS: usize = 12;
    message.split_ascii_whitespace().nth(WORDS).is_none()
}

/// Whether a message holds values of the call and besides them nothing but that something failed; `blank` is the message
/// with each byte of a value replaced by `fill`.
pub fn gives_back(blank: &str, fill: u8, tool: Option<&str>) -> bool {
    const FAILED: [&str; 20] = [
        "a",
        "an",
        "call",
        "calling",
        "error",
        "errors",
        "exception",
        "execute",
        "executing",
        "execution",
        "fail",
        "failed",
        "failure",
        "fatal",
        "in",
        "occurred",
        "running",
        "the",
        "tool",
        "while",
    ];
    let lower = blank.to_lowercase();
    let lower = tool.map_or(lower.clone(), |tool| lower.replace(&tool.to_lowercase(), " "));
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    blank.bytes().filter(|byte| *byte == fill).count() >= 2 && words.all(|word| FAILED.contains(&word))
}

/// Whether a text beside a message holds nothing at all: it is empty, or JSON without a word in it.
pub fn is_bare(text: &str) -> bool {
    !passages(text).iter().any(|passage| passage.text.contains(char::is_alphanumeric)) || is_empty_json(text)
}

fn is_empty_json(text: &str) -> bool {
    ["{}", "[]", "null"].contains(&text.trim())
}

fn is_number(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{is_bare, is_vague};

    #[test]
    fn data_without_a_word_are_bare() {
        for text in ["", " ", "{}", "[]", "null", " {} ", "--", "..."] {
            assert!(is_bare(text), "{text}");
        }
        for text in ["x", r#"{"path": "x"}"#, r#"["x"]"#, "nullable"] {
            assert!(!is_bare(text), "{text}");
        }
    }

    #[test]
    fn the_kind_of_an_error_and_its_number_say_nothing_of_it() {
        for text in [
            r#"{"type": "quota-exhausted", "detail": "It failed"}"#,
            r#"{"code": "QUOTA", "message": "error"}"#,
            "Error 500",
            "error: undefined",
            "It won't work",
            "[object Object]",
        ] {
            assert!(is_vague(text, None), "{text}");
        }
        for text in [r#"{"reason": "quota-exhausted", "detail": "It failed"}"#, "Error 5a", "", "..."] {
            assert!(!is_vague(text, None), "{text}");
        }
    }

    #[test]
    fn that_a_tool_is_unknown_or_was_not_found_is_not_vague() {
        for text in ["Unknown tool", "The tool was not found", "tool 9 not found"] {
            assert!(!is_vague(text, None), "{text}");
        }
        for text in ["The tool failed", "Unknown error"] {
            assert!(is_vague(text, None), "{text}");
        }
    }

    #[test]
    fn that_it_failed_is_vague_in_any_words() {
        for text in [
            "Error",
            "An error occurred.",
            "Something went wrong. Please try again.",
            "Invalid request parameters",
            "Input validation failed",
            "Error 500: the request failed",
            "Failed to execute tool 'convert'.",
            r#"{"type": "VALIDATION", "message": "bad input", "recoverable": true}"#,
        ] {
            assert!(is_vague(text, Some("convert")), "{text}");
        }
    }

    #[test]
    fn a_value_alone_does_not_say_what_was_wrong_with_it() {
        let gives_back =
            |text: &str| super::gives_back(&text.replace("/nope", "#####"), b'#', Some("git_status"));
        for text in
            ["/nope", "'/nope'.", "Error executing tool git_status: /nope", "git_status failed: /nope"]
        {
            assert!(gives_back(text), "{text}");
        }
        for text in [
            "Error",
            "",
            "Invalid: /nope",
            "No /nope",
            "Failed to read /nope",
            "/nope: not found",
            "Error: /x",
        ] {
            assert!(!gives_back(text), "{text}");
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
