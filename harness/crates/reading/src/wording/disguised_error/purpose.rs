//! The purpose of a tool by its name; the words are data in `purposes.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::document::entries;
use crate::names::name_words;

/// A group of tools with the same purpose.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    id: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "it stands beside the words for their reader"))]
    says: String,
    /// Parts of names, one of which occurs anywhere in the tool's name.
    #[serde(default)]
    parts: String,
    /// Words, one of which is a word of the tool's name.
    #[serde(default)]
    words: String,
    /// Names of tools in the group.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    examples: Vec<String>,
    /// Similar names that are not in it.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    counter_examples: Vec<String>,
}

static GROUPS: LazyLock<Vec<Group>> = LazyLock::new(|| entries(include_str!("purposes.toml")));

/// Whether a tool checks something, so that a negative result is an answer.
pub(super) fn checks(tool: &str) -> bool {
    is_of("checks", tool)
}

/// Whether a tool searches or checks something, so that a missing thing is an answer.
pub fn seeks(tool: &str) -> bool {
    is_of("seeks", tool) || checks(tool)
}

/// Whether a tool changes a thing that it names, so that nothing was done if this does not exist. For a tool
/// that removes things it may be the answer.
pub(super) fn changes(tool: &str) -> bool {
    is_of("changes", tool)
}

/// Whether a tool passes on texts by others, or the output of a program, which may begin in any way.
pub(super) fn retells(tool: &str) -> bool {
    is_of("retells", tool)
}

fn is_of(id: &str, tool: &str) -> bool {
    GROUPS.iter().find(|group| group.id == id).is_some_and(|group| group.has(tool))
}

impl Group {
    fn has(&self, tool: &str) -> bool {
        let whole = tool.to_ascii_lowercase();
        self.parts.split_whitespace().any(|part| whole.contains(part))
            || !self.words.is_empty()
                && name_words(tool)
                    .iter()
                    .any(|word| self.words.split_whitespace().any(|known| known == word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tool_does_its_name_says() {
        for group in GROUPS.iter() {
            let is_whole = !group.examples.is_empty() && !group.counter_examples.is_empty();
            assert!(is_whole && !group.says.is_empty(), "{}", group.id);
            for tool in &group.examples {
                assert!(group.has(tool), "{}: {tool}", group.id);
            }
            for tool in &group.counter_examples {
                assert!(!group.has(tool), "{}: {tool}", group.id);
            }
        }
    }

    #[test]
    fn every_question_has_its_group() {
        let ids: Vec<&str> = GROUPS.iter().map(|group| group.id.as_str()).collect();
        assert_eq!(ids, ["checks", "seeks", "changes", "retells"]);
    }
}
