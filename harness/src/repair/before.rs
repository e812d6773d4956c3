//! Finds the tool that a message says must be called first.
//!
//! The main function is [`first`].

use std::ops::Range;

use crate::pattern;
use crate::roles::{Binding, Role};
use crate::wording::mention::stands_in;

/// The tool that must be called first, and the position of the words that say so.
pub(super) fn first<'t>(
    text: &str,
    called: &str,
    tools: &[&'t str],
    bindings: &'t [Binding],
) -> Option<(&'t str, Range<usize>)> {
    let order = pattern!("order/first").find(text)?;
    let named = tools.iter().filter(|tool| **tool != called).filter_map(|tool| named_at(text, tool));
    // At one position the longest name counts: `create` is only a part of `create_session`.
    let named = named.max_by_key(|(tool, at)| (tool.len(), std::cmp::Reverse(at.start)));
    named.or_else(|| {
        let role = of_deed(text)?;
        let binding = bindings.iter().find(|binding| binding.role == role && binding.tool != called)?;
        Some((binding.tool.as_str(), order.range()))
    })
}

/// The position at which a text speaks of a tool as one to call.
fn named_at<'t>(text: &str, tool: &'t str) -> Option<(&'t str, Range<usize>)> {
    let at = text.match_indices(tool).map(|(at, _)| at..at + tool.len()).find(|at| {
        let word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
        !text[..at.start].ends_with(word) && !text[at.end..].starts_with(word)
    })?;
    if !stands_in(text, tool) {
        return None;
    }
    let (before, after) = (&text[..at.start], &text[at.end..]);
    let is_distinct = tool.contains(['_', '-', '.']) || tool.chars().skip(1).any(char::is_uppercase);
    let before = before.trim_end_matches(['\'', '"', '`', ' ']).to_ascii_lowercase();
    let before = before.strip_suffix(" the").unwrap_or(&before).trim_end();
    let is_called = ["use", "using", "call", "calling", "run", "running", "invoke", "via", "with", "try"]
        .iter()
        .any(|verb| before.ends_with(verb));
    let is_tool = after.trim_start_matches(['\'', '"', '`', ' ', '(', ')']).starts_with("tool");
    let marked = text[..at.start].ends_with(['`', '\'', '"']);
    (is_distinct && (is_called || is_tool || marked) || is_called && (is_tool || marked))
        .then_some((tool, at))
}

/// The role that must be played first, if the message describes the action: "read the file first".
fn of_deed(text: &str) -> Option<Role> {
    pattern!("order/read-first").is_match(text).then_some(Role::Read)
}
