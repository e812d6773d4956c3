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

    #[test]
    fn a_name_is_taken_and_nothing_that_could_be_executed_opened_or_reached() {
        let cases: std::collections::BTreeMap<String, Vec<String>> =
            toml::from_str(include_str!("guard/cases.toml")).expect("it is TOML");
        let guard = Guard {
            fence: Fence::around("/w/c", Class::Read),
            upstream: Some("http://127.0.0.1:4000".into()),
            repository: String::new(),
        };
        for (verdict, texts) in cases {
            for text in texts {
                assert_eq!(guard.takes(&text, TextUse::Text), verdict == "taken", "{text}");
            }
        }
        let guard = Guard { upstream: None, ..guard };
        assert!(guard.takes_shown("id: x\nrule:\n  pattern: y", TextUse::Text));
        assert!(!guard.takes_shown("id: x\nrule:\n  pattern: y", TextUse::Path));
        assert!(!guard.takes_shown("run: rm x\nrule: y", TextUse::Text));
        assert!(Guard::takes_number(20.0));
        assert!(!Guard::takes_number(1e12));
    }
}
