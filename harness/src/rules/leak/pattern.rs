//! The ways in which the inside of a server shows, as data: a file of patterns for each rule, raw errors by language.
//!
//! The main type is [`Pattern`]. It knows nothing of how texts are searched.

use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::finding::Level;

/// The files, each with the id of the rule that its patterns break. Of two leaks that are equally sure the rule that stands first wins.
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

/// The place of a rule in the order in which they win.
pub(super) fn rank(rule: &str) -> Option<usize> {
    FILES.iter().position(|(known, _)| *known == rule)
}

/// A file of patterns.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// What they are known from.
    #[cfg_attr(not(test), expect(dead_code, reason = "it stands above the patterns for their reader"))]
    source: String,
    pattern: Vec<Pattern>,
}

/// One way in which the inside shows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pattern {
    /// What it is called, once in its file.
    #[cfg_attr(not(test), expect(dead_code, reason = "it names the pattern for its reader and its test"))]
    pub(super) id: String,
    /// Whose words they are, to stand in a finding: "the error text of Go's `os` package".
    pub(super) says: String,
    /// The language that it gives away.
    pub(super) language: Language,
    /// The expression, over bytes, without Unicode classes. In what is searched, each byte of an echo is 0x1a.
    pub(super) expression: String,
    /// Where it counts.
    pub(super) place: Place,
    /// How sure it is that nobody meant to say this.
    pub(super) confidence: Confidence,
    /// Texts that it must find.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    pub(super) examples: Vec<String>,
    /// Similar texts that it must not find.
    #[cfg_attr(not(test), expect(dead_code, reason = "the examples are for the reader and the test"))]
    pub(super) counter_examples: Vec<String>,
}

/// Where in a message a pattern counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Place {
    /// Wherever it stands: a tell-tale.
    Anywhere,
    /// At the beginning, or behind words that hold no value ("Failed to write file: ").
    Start,
    /// As the whole of it, but for wrappers that say nothing ("Error: ").
    Alone,
    /// Wherever it stands; of a text that is JSON also its own notation is searched, not only its strings.
    Structure,
}

/// How sure it is that a text is the server's inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Confidence {
    /// It repeats what a sentence of the server's own has said already.
    Weak,
    /// A sentence of the server's own may hold the like.
    Low,
    /// Nobody writes this to a caller.
    High,
}

impl Confidence {
    /// The level of a finding of this confidence, where it is not the rule's own.
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

/// The language, or the kind of program, that a text gives away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Language {
    /// Several print the like.
    Any,
    Cpp,
    Database,
    DotNet,
    /// Git, of which a server may be a wrapper.
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
