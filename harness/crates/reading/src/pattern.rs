//! The patterns with which texts are read, as data: a file of `pattern/` for each kind of thing that a text says.
//!
//! The main type is [`Pattern`]; code refers to one as `pattern!("kind/id")`. What follows from a match is up to the module
//! that asks.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;

use crate::document::entries;
use crate::expression::Expression;

/// One way in which a text says something.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    id: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "it stands beside the expression for its reader"))]
    says: String,
    expression: String,
    /// Texts that it matches.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    examples: Vec<String>,
    /// Similar texts that it does not match.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    counter_examples: Vec<String>,
    #[serde(skip)]
    filled: OnceLock<Expression>,
}

impl Deref for Pattern {
    type Target = Expression;

    fn deref(&self) -> &Expression {
        self.filled.get_or_init(|| Expression::new(filled(&self.expression)))
    }
}

/// The pattern with this id, `kind/id`.
#[macro_export]
macro_rules! pattern {
    ($id:literal) => {{
        static PATTERN: std::sync::LazyLock<&'static $crate::pattern::Pattern> =
            std::sync::LazyLock::new(|| $crate::pattern::named($id));
        *PATTERN
    }};
}

/// The patterns of one kind, which are read when one of them is first needed.
struct Kind {
    name: &'static str,
    patterns: LazyLock<Vec<Pattern>>,
}

macro_rules! kinds {
    ($($name:literal)*) => {
        [$(Kind {
            name: $name,
            patterns: LazyLock::new(|| entries(include_str!(concat!("pattern/", $name, ".toml")))),
        }),*]
    };
}

static KINDS: [Kind; KIND_COUNT] =
    kinds!("answer" "bound" "cause" "example" "failure" "kind" "leak" "name" "order" "state" "text" "value");
const KIND_COUNT: usize = 12;

/// The pattern with this id; a test looks up every one that the sources name.
pub fn named(id: &str) -> &'static Pattern {
    let found = id.split_once('/').and_then(|(kind, id)| {
        let patterns = &KINDS.iter().find(|known| known.name == kind)?.patterns;
        patterns.iter().find(|pattern| pattern.id == id)
    });
    found.unwrap_or_else(|| panic!("there is no pattern `{id}`"))
}

/// An expression with the parts inserted that it refers to in braces.
pub(crate) fn filled(source: &str) -> String {
    static PARTS: LazyLock<BTreeMap<String, String>> =
        LazyLock::new(|| toml::from_str(include_str!("pattern/parts.toml")).expect("a test reads the file"));
    PARTS.iter().fold(source.to_owned(), |source, (name, part)| source.replace(&format!("{{{name}}}"), part))
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_pattern_matches_its_examples_and_none_of_its_counter_examples() {
        for kind in &KINDS {
            for pattern in kind.patterns.iter() {
                let id = format!("{}/{}", kind.name, pattern.id);
                assert!(!pattern.says.is_empty(), "{id}");
                assert!(!pattern.examples.is_empty() && !pattern.counter_examples.is_empty(), "{id}");
                for text in &pattern.examples {
                    assert!(pattern.is_match(text) && pattern.compiled().is_match(text), "{id}: {text}");
                }
                for text in &pattern.counter_examples {
                    assert!(!pattern.compiled().is_match(text), "{id}: {text}");
                }
            }
        }
    }

    /// The ids in the `pattern!` calls of a folder of sources.
    fn used(folder: &Path, ids: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).expect("it is there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                used(&path, ids);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).expect("a source");
                let calls = text.split("pattern!(\"").skip(1);
                ids.extend(calls.filter_map(|call| Some(call.split_once('"')?.0.to_owned())));
            }
        }
    }

    #[test]
    fn every_pattern_has_an_id_of_its_own_and_is_used() {
        let harness = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut ids = BTreeSet::new();
        for folder in ["src", "crates/reading/src/wording", "crates/rules/src", "crates/report/src"] {
            used(&harness.join(folder), &mut ids);
        }
        let known = KINDS
            .iter()
            .flat_map(|kind| kind.patterns.iter().map(|pattern| format!("{}/{}", kind.name, pattern.id)));
        let known: Vec<String> = known.collect();
        assert_eq!(known.iter().cloned().collect::<BTreeSet<_>>(), ids);
        assert_eq!(known.len(), ids.len(), "an id stands twice");
    }
}
