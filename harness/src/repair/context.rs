//! What is known about a call besides the message that refused it.
//!
//! The main type is [`RepairContext`].

use std::ops::Range;

use serde_json::Value;

use crate::generate::texts;

/// What is known about a refused call besides the message.
#[derive(Debug, Clone, Copy)]
pub(super) struct RepairContext<'a> {
    /// The names of all parameters of the tool.
    pub(super) parameters: &'a [&'a str],
    /// The names of all tools.
    pub(super) tools: &'a [&'a str],
    /// The name of the called tool.
    pub(super) called: &'a str,
    /// The values of its parameters that were sent.
    pub(super) sent: &'a Value,
    /// What the caller intended, if known.
    pub(super) meant: Option<&'a Value>,
    /// Whether the message says what to do.
    pub(super) advises: bool,
}

impl RepairContext<'_> {
    /// Whether this text was sent as the whole value of a parameter.
    pub(super) fn has_sent(&self, text: &str) -> bool {
        let mut is_sent = false;
        texts(self.sent, &mut |sent| is_sent |= sent == text);
        is_sent
    }

    /// Whether these words of a message are the caller's own: they stand within a text that was sent.
    pub(super) fn is_in_sent(&self, message: &str, words: &Range<usize>) -> bool {
        let mut is_sent = false;
        let holds = |(start, sent): (usize, &str)| start <= words.start && words.end <= start + sent.len();
        texts(self.sent, &mut |sent| {
            is_sent |= sent.len() > words.len() && message.match_indices(sent).any(holds);
        });
        is_sent && !words.is_empty()
    }
}
