//! Compiles our own regular expressions, each when a text first may match it.
//!
//! The main type is [`Expression`]. In a run, compiling costs more than searching, mostly because of the Unicode tables for
//! `\w`, `\d`, `\s` and `\b`. The words searched here are English, so these classes mean ASCII. The caller's values may be
//! in any script: expressions for masking these, and patterns of servers and users, are compiled unchanged.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use regex::{Captures, Match, Regex};
use regex_syntax::hir::{Hir, HirKind};

/// An expression in which `\w`, `\d`, `\s` and `\b` mean ASCII. It is compiled when a text first contains one of the strings
/// that every match contains: most texts of a short run have none of them.
#[derive(Debug)]
pub struct Expression {
    source: String,
    regex: OnceLock<Regex>,
    /// In lower case; `None` if no strings are certain.
    required: OnceLock<Option<Vec<String>>>,
    /// How many texts had none of the strings. After some, searching the compiled expression is cheaper.
    spared: AtomicU32,
}

/// After this many texts without a required string an expression is compiled all the same.
const SPARED: u32 = 24;

impl Expression {
    /// The expression with this source.
    pub fn new(source: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            regex: OnceLock::new(),
            required: OnceLock::new(),
            spared: AtomicU32::new(0),
        }
    }

    /// The compiled expression, unless the text cannot match it.
    fn for_text(&self, text: &str) -> Option<&Regex> {
        if let Some(regex) = self.regex.get() {
            return Some(regex);
        }
        if self.spared.load(Ordering::Relaxed) < SPARED
            && let Some(required) = self.required.get_or_init(|| required_by(&self.source))
        {
            let lower = text.to_ascii_lowercase();
            if !required.iter().any(|string| lower.contains(string.as_str())) {
                self.spared.fetch_add(1, Ordering::Relaxed);
                return None;
            }
        }
        Some(self.compiled())
    }

    /// The compiled expression.
    pub fn compiled(&self) -> &Regex {
        self.regex.get_or_init(|| expression(&self.source))
    }

    /// Whether it matches somewhere in the text.
    pub fn is_match(&self, text: &str) -> bool {
        self.for_text(text).is_some_and(|regex| regex.is_match(text))
    }

    /// The first match.
    pub fn find<'t>(&self, text: &'t str) -> Option<Match<'t>> {
        self.for_text(text)?.find(text)
    }

    /// Every match.
    pub fn find_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = Match<'t>> {
        self.for_text(text).into_iter().flat_map(move |regex| regex.find_iter(text))
    }

    /// The groups of the first match.
    pub fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.for_text(text)?.captures(text)
    }

    /// The groups of every match.
    pub fn captures_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = Captures<'t>> {
        self.for_text(text).into_iter().flat_map(move |regex| regex.captures_iter(text))
    }

    /// The text with every match replaced.
    pub fn replace_all<'t>(&self, text: &'t str, with: impl regex::Replacer) -> Cow<'t, str> {
        self.for_text(text).map_or(Cow::Borrowed(text), |regex| regex.replace_all(text, with))
    }

    /// What stands between the matches.
    pub fn split<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        self.compiled().split(text)
    }
}

/// Strings in lower case of which every match contains one, apart from case; `None` if nothing is certain.
fn required_by(source: &str) -> Option<Vec<String>> {
    // Without the flag a letter is one literal and not a class of two.
    let plain = ascii(source)
        .replace("(?i)", "")
        .replace("(?ix)", "(?x)")
        .replace("(?is)", "(?s)")
        .replace("(?i:", "(?:");
    let hir = regex_syntax::parse(&plain).ok()?;
    required(&hir).filter(|strings| strings.iter().all(|string| string.trim().len() > 1))
}

fn required(hir: &Hir) -> Option<Vec<String>> {
    match hir.kind() {
        // The text is searched in lower case by ASCII alone.
        HirKind::Literal(literal) if literal.0.is_ascii() => {
            Some(vec![String::from_utf8_lossy(&literal.0).to_ascii_lowercase()])
        }
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub),
        HirKind::Alternation(choices) => {
            Some(choices.iter().map(required).collect::<Option<Vec<_>>>()?.concat())
        }
        HirKind::Concat(row) => row.iter().filter_map(required).max_by_key(|strings| {
            let shortest = strings.iter().map(|string| string.trim().len()).min();
            (shortest.map(|length| length.min(4)), std::cmp::Reverse(strings.len()))
        }),
        _ => None,
    }
}

/// An expression in which `\w`, `\d`, `\s` and `\b` mean ASCII.
pub fn expression(source: &str) -> Regex {
    Regex::new(&ascii(source)).expect("the expression is well-formed")
}

/// The expression with its classes written out.
fn ascii(source: &str) -> String {
    let mut written = String::with_capacity(source.len() * 2);
    let mut letters = source.chars();
    let mut depth = 0_usize;
    while let Some(letter) = letters.next() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if letter != '\\' {
            written.push(letter);
            continue;
        }
        let escaped = letters.next().unwrap_or('\\');
        let members = match escaped.to_ascii_lowercase() {
            'w' => "0-9A-Za-z_",
            'd' => "0-9",
            's' => r"\t-\r\x20",
            _ if escaped == 'b' && depth == 0 => {
                written.push_str(r"(?-u:\b)");
                continue;
            }
            _ => {
                written.extend(['\\', escaped]);
                continue;
            }
        };
        match depth {
            // By itself the class holds both cases of its letters, and looking for more takes long.
            0 if escaped.is_ascii_uppercase() => written.extend(["(?-i:[^", members, "])"]),
            0 => written.extend(["(?-i:[", members, "])"]),
            _ if escaped.is_ascii_uppercase() => written.extend(["[^", members, "]"]),
            _ => written.push_str(members),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_written_out_inside_brackets_and_outside() {
        assert_eq!(ascii(r"\b\w+[\w.-]\d"), r"(?-u:\b)(?-i:[0-9A-Za-z_])+[0-9A-Za-z_.-](?-i:[0-9])");
        assert_eq!(ascii(r"[^\s\]]\s\[\S\\w"), r"[^\t-\r\x20\]](?-i:[\t-\r\x20])\[(?-i:[^\t-\r\x20])\\w");
        assert_eq!(ascii(r"\D[\W_]"), r"(?-i:[^0-9])[[^0-9A-Za-z_]_]");
    }

    #[test]
    fn what_is_matched_stays_whole_beside_other_scripts() {
        let found = expression(r"(?i)\bpath [\w.-]{1,20}").find("für path größe").map(|found| found.as_str());
        assert_eq!(found, Some("path gr"));
    }

    #[test]
    fn every_match_contains_a_required_string() {
        for (source, strings) in [
            (r"(?i)\bUn(?:known|expected) \w+", Some(vec!["known", "expected"])),
            (r"(?i)(?:a b|\d+) of", Some(vec![" of"])),
            (r"(?:'a'|\w+)+", None),
            (r"x?", None),
        ] {
            let strings = strings.map(|strings| strings.into_iter().map(str::to_owned).collect());
            assert_eq!(required_by(source), strings, "{source}");
        }
    }

    #[test]
    fn an_expression_is_compiled_when_a_text_may_match() {
        let unknown = Expression::new(r"(?i)\bunknown (\w+)");
        assert!(!unknown.is_match("no such file") && unknown.captures_iter("x").next().is_none());
        assert!(unknown.regex.get().is_none());
        assert_eq!(unknown.captures("An UNKNOWN word").map(|found| found[1].to_owned()), Some("word".into()));
        assert_eq!(unknown.replace_all("known", "-"), "known");
    }
}
