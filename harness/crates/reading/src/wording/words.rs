//! Words that say nothing specific about a call, as data: `words.toml`, parsed on first use.
//!
//! A word belongs here by its function (grammar, failure, any call, courtesy), not because of the texts in
//! which it was seen. Verbs and related words are given by their stem.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

/// Words with the same function.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    id: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "it stands beside the words for their reader"))]
    says: String,
    words: String,
    /// Words in the group.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    examples: Vec<String>,
    /// Similar words that are in no group.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    counter_examples: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    endings: String,
    group: Vec<Group>,
}

static FILE: LazyLock<File> =
    LazyLock::new(|| toml::from_str(include_str!("words.toml")).expect("a test reads the file"));

static GROUPS: LazyLock<BTreeMap<&'static str, HashSet<&'static str>>> = LazyLock::new(|| {
    let groups = FILE.group.iter();
    groups.map(|group| (group.id.as_str(), group.words.split_whitespace().collect())).collect()
});

static ENDINGS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| FILE.endings.split_whitespace().chain([""]).collect());

/// Whether a word, in lower case, says nothing specific about a call.
pub(super) fn is_empty(word: &str) -> bool {
    let one = word.strip_suffix('s').unwrap_or(word);
    let groups = &*GROUPS;
    is_of_grammar(word)
        || groups["courtesy"].contains(word)
        || groups["call"].contains(word)
        || groups["call"].contains(one)
        || is_of_failing(word.split('\'').next().unwrap_or(word))
        || word.strip_prefix("un").is_some_and(|rest| rest.len() > 3 && is_of_failing(rest))
}

/// Whether a word, in lower case, is a function word: an article, a pronoun, a preposition.
pub(super) fn is_of_grammar(word: &str) -> bool {
    GROUPS["grammar"].contains(word)
}

/// Whether a word is derived from a stem for failing, or for what a program does with a request.
fn is_of_failing(word: &str) -> bool {
    let stems = &GROUPS["failing"];
    let cuts = word.char_indices().map(|(at, _)| at).chain([word.len()]);
    cuts.filter(|at| *at > 1).any(|at| stems.contains(&word[..at]) && ENDINGS.contains(&word[at..]))
}

/// Whether a word is typical of English errors, though it may be specific.
pub(super) fn is_of_an_error(word: &str) -> bool {
    GROUPS["english"].contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_has_words_that_are_of_it_and_words_that_are_not() {
        for group in &FILE.group {
            let is_of_it = |word: &str| match group.id.as_str() {
                "english" => is_of_an_error(word),
                _ => is_empty(word),
            };
            assert!(
                !group.says.is_empty() && !group.examples.is_empty() && !group.counter_examples.is_empty(),
                "{}",
                group.id
            );
            for word in &group.examples {
                assert!(is_of_it(word), "{}: {word}", group.id);
            }
            for word in &group.counter_examples {
                assert!(!is_of_it(word), "{}: {word}", group.id);
            }
        }
    }

    #[test]
    fn no_word_stands_twice() {
        for group in &FILE.group {
            let count = group.words.split_whitespace().count();
            assert_eq!(count, GROUPS[group.id.as_str()].len(), "{}", group.id);
        }
    }
}
