//! What a reply tells of a command's start and of its end.

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

/// The numbers that a text gives for exit statuses: the first one within a few words behind `exit`, `code`, `status`.
pub fn statuses(text: &str) -> Vec<i64> {
    static STATUS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)(?:exit(?:ed)?|code|status|returncode)[^0-9\n-]{0,40}?(?P<number>-?[0-9]{1,10})(?:[^0-9]|$)",
        )
    });
    STATUS.captures_iter(text).filter_map(|found| found["number"].parse().ok()).collect()
}
