//! What a tool is there for, by its name; `purposes.toml` has the words as data.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::wording::mention::name_words;

/// Tools that are there for the same.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    id: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "it stands beside the words for their reader"))]
    says: String,
    /// One of these stands anywhere in the tool's name.
    #[serde(default)]
    parts: String,
    /// One of these is a word of the tool's name.
    #[serde(default)]
    words: String,
    /// Tools that are of the group.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    examples: Vec<String>,
    /// Similar ones that are not.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    counter_examples: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[cfg_attr(not(test), expect(dead_code, reason = "it is for the reader and the test"))]
    source: String,
    group: Vec<Group>,
}

static FILE: LazyLock<File> =
    LazyLock::new(|| toml::from_str(include_str!("purposes.toml")).expect("a test reads the file"));

/// Whether a tool checks something: that it is wrong is an answer.
pub(super) fn checks(tool: &str) -> bool {
    is_of("checks", tool)
}

/// Whether a tool seeks or checks something: that it is not there is an answer.
pub(super) fn seeks(tool: &str) -> bool {
    is_of("seeks", tool) || checks(tool)
}

/// Whether a tool changes a thing that it names: that this is not there is why nothing came of the call. Of one that removes
/// things it may be the answer.
pub(super) fn changes(tool: &str) -> bool {
    is_of("changes", tool)
}

/// Whether a tool hands on texts that others wrote, or that a program printed: those may begin in any way.
pub(super) fn retells(tool: &str) -> bool {
    is_of("retells", tool)
}

fn is_of(id: &str, tool: &str) -> bool {
    FILE.group.iter().find(|group| group.id == id).is_some_and(|group| group.has(tool))
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
        assert!(!FILE.source.is_empty());
        for group in &FILE.group {
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
        let ids: Vec<&str> = FILE.group.iter().map(|group| group.id.as_str()).collect();
        assert_eq!(ids, ["checks", "seeks", "changes", "retells"]);
    }
}
