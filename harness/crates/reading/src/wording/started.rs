//! What a reply says about the start and the end of a command.

use crate::pattern;

/// Whether a text says that a command was started; another tool reports how it ends.
pub fn says_started(text: &str) -> bool {
    pattern!("state/command-started").is_match(text)
}

/// The exit statuses that a text gives: numbers within a few words after `exit`, `code` or `status`.
pub fn statuses(text: &str) -> Vec<i64> {
    pattern!("state/exit-status")
        .captures_iter(text)
        .filter_map(|found| found["number"].parse().ok())
        .collect()
}
