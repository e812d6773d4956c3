//! Replies that tell the start of a command and not its end.

use std::sync::LazyLock;

use regex::Regex;

use crate::expression::expression;

/// Whether a text says that a command was started: how it ends is told by another tool, later.
pub fn says_started(text: &str) -> bool {
    static STARTED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:process|command|session|task|job) (?:was |has been )?started\b|\bstarted (?:with|as) (?:pid|process|session|task|job)\b",
        )
    });
    STARTED.is_match(text)
}
