//! One way in which the inside of a server shows, as data.
//!
//! The main type is [`Pattern`]. It knows nothing of how texts are searched.

use std::fmt;

use crate::finding::Level;

/// One way in which the inside shows.
pub(crate) struct Pattern {
    /// The language that it gives away.
    pub(super) language: Language,
    /// Whose words they are, to stand in a finding: "the error text of Go's `os` package".
    pub(super) tells: &'static str,
    /// The expression, over bytes, without Unicode classes. In what is searched, each byte of an echo is 0x1a.
    pub(super) regex: &'static str,
    /// Where it counts.
    pub(super) place: Place,
    /// How sure it is that nobody meant to say this.
    pub(super) confidence: Confidence,
    /// Texts that it must find.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "they stand beside the expression for its reader and its test")
    )]
    pub(super) hits: &'static [&'static str],
    /// Similar texts that it must not find.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "they stand beside the expression for its reader and its test")
    )]
    pub(super) misses: &'static [&'static str],
}

/// Where in a message a pattern counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Confidence {
    /// It repeats what a sentence of the server's own has said already.
    Hint,
    /// A sentence of the server's own may hold the like.
    Low,
    /// Nobody writes this to a caller.
    High,
}

impl Confidence {
    /// The level of a finding of this confidence, where it is not the rule's own.
    pub(super) fn level(self) -> Option<Level> {
        match self {
            Self::Hint => Some(Level::Note),
            Self::Low => Some(Level::Should),
            Self::High => None,
        }
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Hint => "it says the same twice",
            Self::Low => "likely",
            Self::High => "certain",
        })
    }
}

/// The language, or the kind of program, that a text gives away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// Several print the like.
    Any,
    Cpp,
    Database,
    DotNet,
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
            Self::Shell => "a shell or a command",
        })
    }
}
