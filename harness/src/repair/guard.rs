//! Which parts of a message may be sent back: names, numbers and words, but nothing that could be executed,
//! opened or connected to.
//!
//! The main type is [`Guard`]. The message comes from the server under test, which might ask for anything.

use serde_json::Value;

use crate::generate::{Fence, TextUse, is_harmless};
use crate::json::texts;
use crate::pattern;
use crate::words;

/// The largest number that is taken over from a message.
const LARGEST: f64 = 1_000_000.0;

/// Decides which texts of a message are harmless to send.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) fence: Fence,
    pub(super) upstream: Option<String>,
    /// The repository in the workspace that the server may be started for.
    pub(super) repository: String,
}

impl Guard {
    /// Whether a text of a message may be sent as a value.
    pub(super) fn takes(&self, text: &str, reading: TextUse) -> bool {
        let is_of_ours = self.upstream.as_ref().is_some_and(|upstream| text == upstream);
        if is_of_ours {
            return true;
        }
        let is_harmful =
            |word: &str| words!("messages/shown-harmful").contains(&word.to_ascii_lowercase().as_str());
        let is_written_so =
            pattern!("example/plain").is_match(text) || pattern!("example/spaced").is_match(text);
        is_written_so
            && !text.contains("://")
            && !text.contains('@')
            && !pattern!("example/host").is_match(text)
            && !text.split(|letter: char| !letter.is_alphanumeric()).any(is_harmful)
            && (!text.starts_with('/') || self.is_path_of_ours(text))
            && self.fence.allows(text, reading)
    }

    /// Whether an example in a message, of several words or lines, may be sent.
    pub(super) fn takes_shown(&self, text: &str, reading: TextUse) -> bool {
        self.takes(text, reading)
            || reading == TextUse::Text && is_harmless(text) && self.fence.allows(text, reading)
    }

    fn is_path_of_ours(&self, text: &str) -> bool {
        text.starts_with('/') && self.fence.allows(text, TextUse::Path)
    }

    /// Whether a value made here may be sent: its paths and addresses must be our own.
    pub(super) fn passes(&self, value: &Value, reading: TextUse) -> bool {
        texts(value).all(|text| {
            let is_of_ours =
                self.upstream.as_ref().is_some_and(|upstream| text.starts_with(upstream.as_str()));
            is_of_ours || text == self.repository || self.fence.allows(text, reading)
        })
    }

    /// Whether a number of a message may be sent.
    pub(super) fn takes_number(number: f64) -> bool {
        number.is_finite() && number.abs() <= LARGEST
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Class;

    fn check(text: &str, is_taken: bool) {
        let guard = Guard {
            fence: Fence::around("/w/c", Class::Read),
            upstream: Some("http://127.0.0.1:4000".into()),
            repository: String::new(),
        };
        assert_eq!(guard.takes(text, TextUse::Text), is_taken, "{text}");
    }

    #[test]
    fn names_and_dates_are_taken_from_a_message() {
        for text in [
            "length",
            "2024-01-31",
            "2024-01-31 12:00:00",
            "owner/repo",
            "*/5 * * * *",
            "en_US",
            "#ff0000",
            "1.5",
            "/w/c/notes.txt",
            "http://127.0.0.1:4000",
            "UTC+2",
            "notes.txt",
            "+49 30123456",
        ] {
            check(text, true);
        }
    }

    #[test]
    fn nothing_is_taken_that_could_be_executed_opened_or_reached() {
        for text in [
            "rm -rf /",
            "rm",
            "DROP TABLE users",
            "delete-all",
            "$(id)",
            "a;b",
            "a|b",
            "`id`",
            "--force",
            "a b",
            "/etc/passwd",
            "../up",
            "~/x",
            "https://example.com/",
            "http://127.0.0.1:4001",
            "example.com",
            "example.com/x",
            "10.0.0.1",
            "localhost:80",
            "a@b.c",
            "file:///etc/passwd",
            "a\nb",
            "",
        ] {
            check(text, false);
        }
        let guard =
            Guard { fence: Fence::around("/w/c", Class::Read), upstream: None, repository: String::new() };
        assert!(guard.takes_shown("id: x\nrule:\n  pattern: y", TextUse::Text));
        assert!(!guard.takes_shown("id: x\nrule:\n  pattern: y", TextUse::Path));
        assert!(!guard.takes_shown("run: rm x\nrule: y", TextUse::Text));
        assert!(Guard::takes_number(20.0));
        assert!(!Guard::takes_number(1e12));
    }
}
