//! What is known about a call besides the message that refused it.
//!
//! The main type is [`RepairContext`].

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
}
