//! The patterns of internals, as data: a file for each rule, and raw errors by language.
//!
//! The main type is [`Pattern`]. It knows nothing of how texts are searched.

use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::finding::Level;

/// The files, each with the id of the rule that its patterns break. Of two equally sure leaks, the rule listed
/// first wins.
static FILES: &[(&str, &str)] = &[
    ("leak/stack-trace", include_str!("patterns/stack_trace.toml")),
    ("leak/panic", include_str!("patterns/panic.toml")),
    ("leak/secret", include_str!("patterns/secret.toml")),
    ("leak/validation-dump", include_str!("patterns/validation_dump.toml")),
    ("leak/memory-address", include_str!("patterns/memory_address.toml")),
    ("leak/format-accident", include_str!("patterns/format_accident.toml")),
    ("leak/debug-format", include_str!("patterns/debug_format.toml")),
    ("leak/source-location", include_str!("patterns/source_location.toml")),
    ("leak/runtime-error", include_str!("patterns/runtime_error/go.toml")),
    ("leak/runtime-error", include_str!("patterns/runtime_error/rust.toml")),
    ("leak/runtime-error", include_str!("patterns/runtime_error/node.toml")),
    ("leak/runtime-error", include_str!("patterns/runtime_error/python.toml")),
    ("leak/runtime-error", include_str!("patterns/runtime_error/jvm.toml")),
    ("leak/runtime-error", include_str!("patterns/runtime_error/dotnet.toml")),
    ("leak/runtime-error", include_str!("patterns/runtime_error/cpp.toml")),
    ("leak/runtime-error", include_str!("patterns/runtime_error/scripts.toml")),
    ("leak/runtime-error", include_str!("patterns/runtime_error/database.toml")),
    ("leak/runtime-error", include_str!("patterns/runtime_error/command.toml")),
    ("leak/runtime-error", include_str!("patterns/runtime_error/git.toml")),
    ("leak/runtime-error", include_str!("patterns/runtime_error/system.toml")),
    ("leak/runtime-error", include_str!("patterns/runtime_error/library.toml")),
    ("leak/runtime-error", include_str!("patterns/runtime_error/python_library.toml")),
    ("leak/runtime-error", include_str!("patterns/runtime_error/node_library.toml")),
    ("leak/runtime-error", include_str!("patterns/runtime_error/usage.toml")),
    ("leak/internal-path", include_str!("patterns/internal_path.toml")),
    ("leak/surroundings", include_str!("patterns/surroundings.toml")),
];

/// Every pattern, each with the id of the rule that it breaks.
pub(super) static PATTERNS: LazyLock<Vec<(&'static str, Pattern)>> = LazyLock::new(|| {
    let read = |text: &str| toml::from_str::<File>(text).expect("a test reads every file").pattern;
    FILES.iter().flat_map(|&(rule, text)| read(text).into_iter().map(move |one| (rule, one))).collect()
});

/// The position of a rule in the order of precedence.
pub(super) fn rank(rule: &str) -> Option<usize> {
    FILES.iter().position(|(known, _)| *known == rule)
}

/// A file of patterns.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// How the patterns are known.
    #[cfg_attr(not(test), expect(dead_code, reason = "it stands above the patterns for their reader"))]
    source: String,
    pattern: Vec<Pattern>,
}

/// A pattern for one kind of internals.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pattern {
    /// Its id, unique in its file.
    pub(super) id: String,
    /// What its words are, for a finding: "the error text of Go's `os` package".
    pub(super) says: String,
    /// The language that it reveals.
    pub(super) language: Language,
    /// The regular expression, over bytes, without Unicode classes. In the searched text each byte of an echo
    /// is 0x1a.
    pub(super) expression: String,
    /// Where in a message it counts.
    pub(super) place: Place,
    /// How sure it is that nobody meant to say this.
    pub(super) confidence: Confidence,
    /// Texts that it must match.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    pub(super) examples: Vec<String>,
    /// Similar texts that it must not match.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    pub(super) counter_examples: Vec<String>,
}

/// Where in a message a pattern counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Place {
    /// Anywhere: nobody else writes this.
    Anywhere,
    /// At the beginning, or after words without a value ("Failed to write file: ").
    Start,
    /// As the whole message, apart from wrappers that say nothing ("Error: ").
    Alone,
    /// Anywhere; in a JSON text its notation is searched too, not only its strings.
    Structure,
}

/// How sure it is that a text shows internals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Confidence {
    /// It repeats what a sentence of the server has already said.
    Weak,
    /// A sentence of the server might contain something similar.
    Low,
    /// Nobody writes this for a caller.
    High,
}

impl Confidence {
    /// The level of a finding with this confidence, if it is not that of the rule.
    pub(super) fn level(self) -> Option<Level> {
        match self {
            Self::Weak => Some(Level::Note),
            Self::Low => Some(Level::Should),
            Self::High => None,
        }
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Weak => "repeated",
            Self::Low => "likely",
            Self::High => "certain",
        })
    }
}

/// The language, or kind of program, that a text reveals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Language {
    /// Several languages print this.
    Any,
    Cpp,
    Database,
    DotNet,
    /// Git, which a server may wrap.
    Git,
    Go,
    Jvm,
    Node,
    Perl,
    Php,
    Python,
    Ruby,
    Rust,
    Shell,
}

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Any => "any language",
            Self::Cpp => "C or C++",
            Self::Database => "a database",
            Self::DotNet => ".NET",
            Self::Go => "Go",
            Self::Jvm => "Java or Kotlin",
            Self::Node => "JavaScript",
            Self::Perl => "Perl",
            Self::Php => "PHP",
            Self::Python => "Python",
            Self::Ruby => "Ruby",
            Self::Rust => "Rust",
            Self::Git | Self::Shell => "a shell or a command",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_file_of_patterns_is_read_and_says_what_they_are_known_from() {
        for (rule, text) in FILES {
            let file: File = toml::from_str(text).unwrap_or_else(|error| panic!("{rule}: {error}"));
            assert!(!file.source.is_empty() && !file.pattern.is_empty(), "{rule}");
            let ids: BTreeSet<&str> = file.pattern.iter().map(|pattern| pattern.id.as_str()).collect();
            assert_eq!(ids.len(), file.pattern.len(), "an id stands twice in a file of {rule}: {ids:?}");
            for pattern in &file.pattern {
                let is_whole = !pattern.examples.is_empty() && !pattern.counter_examples.is_empty();
                assert!(is_whole && !pattern.says.is_empty(), "{} of {rule}", pattern.id);
            }
        }
    }

    #[test]
    fn every_file_of_patterns_is_listed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules/leak/patterns");
        for folder in [folder.clone(), folder.join("runtime_error")] {
            for entry in fs::read_dir(&folder).expect("it is there").flatten() {
                if entry.path().extension().is_some_and(|end| end == "toml") {
                    let text = fs::read_to_string(entry.path()).expect("a file of patterns");
                    assert!(FILES.iter().any(|(_, known)| *known == text), "{}", entry.path().display());
                }
            }
        }
    }
}
