//! The words that servers use for the roles and their parameters, as data: `vocabulary.toml`, read on first
//! use.
//!
//! The main type is [`Vocabulary`]. Names of parameters are in lower case, without separators between words.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Role;

/// The contents of the file. A block must match its `examples` and none of its `counter_examples`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(test), expect(dead_code, reason = "`source` is for the reader and the test"))]
pub(super) struct Vocabulary<'a> {
    source: &'a str,
    /// Words for things that are not files of this machine.
    #[serde(borrow)]
    elsewhere: Vec<&'a str>,
    #[serde(borrow)]
    role: Vec<RoleWords<'a>>,
    #[serde(borrow)]
    parameter: Vec<Names<'a>>,
    /// The values of a selector that choose a role.
    #[serde(borrow)]
    value: Vec<Names<'a>>,
    /// Names of a parameter that selects what a tool does.
    #[serde(borrow)]
    pub(super) selector: Names<'a>,
    /// Names of a parameter that takes an address without the service's base.
    #[serde(borrow)]
    pub(super) relative: Names<'a>,
    /// Names of an array with the first and the last line.
    #[serde(borrow)]
    pub(super) range: Names<'a>,
    /// Names of a flag that makes a pattern a regular expression.
    #[serde(borrow)]
    pub(super) regex_flag: Names<'a>,
    /// Names for an old and a new text that belong together.
    #[serde(borrow)]
    pair: Names<'a, (&'a str, &'a str)>,
}

/// The words in a tool's name that speak for a role or against it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(test), expect(dead_code, reason = "`says` and the examples are for the reader and the test"))]
pub(super) struct RoleWords<'a> {
    roles: Vec<Role>,
    says: &'a str,
    /// One of these words is enough, or else one each of `verbs` and `nouns`.
    #[serde(borrow, default)]
    pub(super) telling: Vec<&'a str>,
    #[serde(borrow, default)]
    pub(super) verbs: Vec<&'a str>,
    #[serde(borrow, default)]
    pub(super) nouns: Vec<&'a str>,
    /// None of these words may occur.
    #[serde(borrow)]
    pub(super) foreign: Vec<&'a str>,
    /// None of these words may occur in the first sentence of the description; if not given, those of
    /// `elsewhere`.
    #[serde(borrow)]
    foreign_sentence: Option<Vec<&'a str>>,
    #[serde(borrow)]
    examples: Vec<&'a str>,
    #[serde(borrow)]
    counter_examples: Vec<&'a str>,
}

/// Names that servers use for one thing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
pub(super) struct Names<'a, N = &'a str> {
    /// The role's own name for it.
    #[serde(default)]
    name: &'a str,
    /// The roles to which this applies; all if empty.
    #[serde(default)]
    roles: Vec<Role>,
    names: Vec<N>,
    examples: Vec<N>,
    counter_examples: Vec<N>,
}

/// The vocabulary.
pub(super) static VOCABULARY: LazyLock<Vocabulary<'static>> =
    LazyLock::new(|| toml::from_str(include_str!("vocabulary.toml")).expect("a test reads the file"));

/// The tools' names for a role's parameter, the most telling first.
pub(super) fn parameter(role: Role, parameter: &str) -> &'static [&'static str] {
    let mut blocks = VOCABULARY.parameter.iter().filter(|block| block.name == parameter);
    blocks.find(|block| block.is_of(role)).map_or(&[], |block| &block.names)
}

/// The values of a selector that choose this role.
pub(super) fn selected(role: Role) -> &'static [&'static str] {
    VOCABULARY.value.iter().find(|block| block.is_of(role)).map_or(&[], |block| &block.names)
}

/// The words for a role; `None` if no tool can play it.
pub(super) fn words(role: Role) -> Option<&'static RoleWords<'static>> {
    VOCABULARY.role.iter().find(|block| block.roles.contains(&role))
}

/// Pairs of names for an old and a new text, the most telling first.
pub(super) fn pairs() -> &'static [(&'static str, &'static str)] {
    &VOCABULARY.pair.names
}

impl RoleWords<'static> {
    /// The words that must not occur in the first sentence of a tool's description.
    pub(super) fn foreign_sentence(&self) -> &[&'static str] {
        self.foreign_sentence.as_ref().unwrap_or(&VOCABULARY.elsewhere)
    }
}

impl Names<'_> {
    /// Whether a name, in lower case and without separators, is one of these.
    pub(super) fn contain(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    fn is_of(&self, role: Role) -> bool {
        self.roles.is_empty() || self.roles.contains(&role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::names::name_words;
    use crate::roles::slot::plain;

    /// Checks that a block matches its own examples and none of the others'.
    fn check<T: std::fmt::Debug>(block: &str, knows: impl Fn(&T) -> bool, examples: &[T], others: &[T]) {
        assert!(!examples.is_empty() && !others.is_empty(), "{block}");
        for name in examples {
            assert!(knows(name), "{block}: {name:?}");
        }
        for name in others {
            assert!(!knows(name), "{block}: {name:?}");
        }
    }

    #[test]
    fn every_roles_words_know_its_examples_and_spare_the_others() {
        assert!(!VOCABULARY.source.is_empty());
        for block in &VOCABULARY.role {
            let knows = |tool: &&str| {
                let name = name_words(tool);
                let any = |known: &[&str]| name.iter().any(|word| known.contains(&word.as_str()));
                let composed = any(&block.verbs) && (any(&block.nouns) || block.nouns.is_empty());
                !any(&block.foreign) && (any(&block.telling) || composed)
            };
            assert!(!block.says.is_empty());
            check(block.says, knows, &block.examples, &block.counter_examples);
        }
        for role in Role::PLAYED {
            assert_eq!(
                VOCABULARY.role.iter().filter(|block| block.roles.contains(&role)).count(),
                1,
                "{role}"
            );
        }
    }

    #[test]
    fn every_block_of_names_knows_its_examples_and_spares_the_others() {
        let Vocabulary { parameter, value, selector, relative, range, regex_flag, pair, .. } = &*VOCABULARY;
        for block in parameter.iter().chain(value).chain([selector, relative, range, regex_flag]) {
            let knows = |name: &&str| block.contain(&plain(name));
            check(block.names[0], knows, &block.examples, &block.counter_examples);
        }
        let knows = |(old, new): &(&str, &str)| pairs().contains(&(&*plain(old), &*plain(new)));
        check("pair", knows, &pair.examples, &pair.counter_examples);
    }

    #[test]
    fn every_parameter_of_every_role_has_names() {
        for role in Role::PLAYED {
            let own = role.parameters().iter().filter(|name| !["old", "new"].contains(name));
            for name in own {
                assert!(!parameter(role, name).is_empty(), "{role}: {name}");
            }
        }
    }
}
