//! What is known about a call besides the message that refused it, and whether the message says what to do, for a caller who
//! knows the intended values.
//!
//! The main type is [`RepairContext`]. No message can say which file or text a caller wants: saying how to go on is enough, but
//! saying only that something is missing is not.

use std::ops::Range;

use serde_json::Value;

use crate::catalog::Tool;
use crate::json::texts;
use crate::pattern;
use crate::placeholder::Folders;
use crate::wording::Echo;
use crate::wording::hint::{Advice, Asked, advice};

use super::CalledTool;
use super::requested::RequestedChange;

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
        texts(self.sent).any(|sent| sent == text)
    }

    /// Whether a change can be made. Which existing thing is meant, only the message can tell: without advice on how to find
    /// it, such a change is not made.
    pub(super) fn can_make(&self, requested: &RequestedChange) -> bool {
        self.meant.is_none() || self.advises || !requested.is_of_what_exists()
    }

    /// Whether these words of a message are the caller's own: they stand within a text that was sent.
    pub(super) fn is_in_sent(&self, message: &str, words: &Range<usize>) -> bool {
        let holds = |(start, sent): (usize, &str)| start <= words.start && words.end <= start + sent.len();
        let is_within = |sent: &str| sent.len() > words.len() && message.match_indices(sent).any(holds);
        !words.is_empty() && texts(self.sent).any(is_within)
    }
}

/// Whether the refusal of a call with these values of the tool's parameters says what to do. A message in a
/// language that is not analysed never does.
pub(super) fn advises(known: &CalledTool<'_>, sent: &Value, text: &str) -> bool {
    if pattern!("order/place").is_match(text) {
        return true;
    }
    let folders = Folders { workspace: known.workspace.to_owned(), ..Folders::default() };
    let echo = Echo::of_values(sent, &folders);
    let parameters: Vec<&str> = known.tool.parameters().map(|(name, _)| name).collect();
    let required: Vec<&str> = Tool::required(known.tool).collect();
    let schemas: Vec<(&str, &Value)> = known.tool.parameters().collect();
    let tools: Vec<&str> = known.catalog.tools.iter().map(|tool| tool.name.as_str()).collect();
    let asked = Asked {
        echo: &echo,
        arguments: sent,
        tool: &known.tool.name,
        parameters: &parameters,
        schemas: &schemas,
        wrong: &[],
        required: &required,
        tools: &tools,
        workspace: known.workspace,
        condition: "",
    };
    advice(text, &asked) == Advice::Given
}
