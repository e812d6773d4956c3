//! Why a recording cannot be read.

/// A recording that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {cause}")]
pub struct ReadError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong, and what is expected.
    pub cause: String,
}

impl ReadError {
    pub(super) fn new(line: usize, cause: impl Into<String>) -> Self {
        Self { line, cause: cause.into() }
    }
}

/// The message of a JSON error with only the column as its position.
pub(super) fn json_cause(error: &serde_json::Error) -> String {
    if error.is_eof() {
        let column = error.column();
        return format!(
            "the line ends in the middle of its JSON (column {column}): was the recording truncated?"
        );
    }
    let words = error.to_string();
    match words.rsplit_once(" at line ") {
        Some((cause, _)) if error.column() > 0 => format!("{cause} (column {})", error.column()),
        _ => words,
    }
}
