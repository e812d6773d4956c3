//! What a reply says about the start and the end of a command.

use std::sync::LazyLock;

use regex::Regex;

use crate::expression::expression;

/// Whether a text says that a command was started; another tool reports how it ends.
pub fn says_started(text: &str) -> bool {
    static STARTED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:process|command|session|task|job) (?:was |has been )?started\b|\bstarted (?:with|as) (?:pid|process|session|task|job)\b",
        )
    });
    STARTED.is_match(text)
}

/// The exit statuses that a text gives: numbers within a few words after `exit`, `code` or `status`.
pub fn statuses(text: &str) -> Vec<i64> {
    static STATUS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)(?:exit(?:ed)?|code|status|returncode)[^0-9\n-]{0,40}?(?P<number>-?[0-9]{1,10})(?:[^0-9]|$)",
        )
    });
    STATUS.captures_iter(text).filter_map(|found| found["number"].parse().ok()).collect()
}
