//! A TOML file as text, as values with their positions, and as the type that it is read into.
//!
//! The main type is `Document`. Every mistake in a file becomes a [`LoadError`]: file, line, column, cause, and
//! the nearest valid word. This module knows nothing of cases or contracts.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A mistake in a file written by the user or by us: a case, a contract, a configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {cause}", self.place())]
pub struct LoadError {
    /// The file, as it was named.
    pub file: String,
    /// Line and column, both from 1, the column in characters; `None` for the file as a whole.
    pub position: Option<(usize, usize)>,
    /// What is wrong and what to write instead.
    pub cause: String,
}

impl LoadError {
    /// `FILE:LINE:COLUMN`, or the file alone.
    pub fn place(&self) -> String {
        match self.position {
            Some((line, column)) => format!("{}:{line}:{column}", self.file),
            None => self.file.clone(),
        }
    }

    /// A mistake of the file as a whole.
    pub fn whole(file: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { file: file.into(), position: None, cause: cause.into() }
    }
}

/// A valid TOML file, whatever it contains.
pub struct Document<'t> {
    file: &'t str,
    text: &'t str,
    root: Spanned<DeTable<'t>>,
}

impl<'t> Document<'t> {
    /// Reads the text as TOML.
    pub fn parse(file: &'t str, text: &'t str) -> Result<Self, LoadError> {
        let root = DeTable::parse(text).map_err(|error| translate(file, text, &error))?;
        Ok(Self { file, text, root })
    }

    /// Reads it into a type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, LoadError> {
        toml::from_str(self.text).map_err(|error| translate(self.file, self.text, &error))
    }

    /// A mistake in the key at the end of a path of keys and array indices; if the path leads nowhere, in its
    /// longest part that exists.
    pub fn wrong_key(&self, path: &[&str], cause: impl Into<String>) -> LoadError {
        self.wrong_span(self.find(path).0, cause)
    }

    /// A mistake in the value at the end of the path.
    pub fn wrong_value(&self, path: &[&str], cause: impl Into<String>) -> LoadError {
        self.wrong_span(self.find(path).1, cause)
    }

    /// Requires something of the value at the end of the path: if it does not hold, the cause is a mistake there.
    pub fn require<C: Into<String>>(
        &self,
        holds: bool,
        path: &[&str],
        cause: impl FnOnce() -> C,
    ) -> Result<(), LoadError> {
        if holds { Ok(()) } else { Err(self.wrong_value(path, cause())) }
    }

    /// Requires something of the key at the end of the path.
    pub fn require_key<C: Into<String>>(
        &self,
        holds: bool,
        path: &[&str],
        cause: impl FnOnce() -> C,
    ) -> Result<(), LoadError> {
        if holds { Ok(()) } else { Err(self.wrong_key(path, cause())) }
    }

    /// A mistake at a position of the text, in bytes.
    pub(crate) fn wrong_span(&self, span: Range<usize>, cause: impl Into<String>) -> LoadError {
        let (line, column) = place(self.text, span.start);
        LoadError { file: self.file.to_owned(), position: Some((line, column)), cause: cause.into() }
    }

    /// The keys of the document itself, with their values.
    pub fn members(&self) -> impl Iterator<Item = (&str, &DeValue<'t>)> {
        self.root.get_ref().iter().map(|(key, value)| (&**key.get_ref(), value.get_ref()))
    }

    /// Every value of the document, including tables and arrays, with its position.
    pub fn values(&self) -> Vec<(Range<usize>, &DeValue<'t>)> {
        let mut values = Vec::new();
        self.root.get_ref().values().for_each(|value| collect(value, &mut values));
        values
    }

    /// The text at a position.
    pub fn source(&self, span: Range<usize>) -> &'t str {
        self.text.get(span).unwrap_or_default()
    }

    /// The positions of the key and the value at the end of the path.
    fn find(&self, path: &[&str]) -> (Range<usize>, Range<usize>) {
        let mut table = Some(self.root.get_ref());
        let mut items: Option<&[Spanned<DeValue<'t>>]> = None;
        let mut found = (self.root.span(), self.root.span());
        for step in path {
            let value = if let Some((key, value)) = table.and_then(|table| table.get_key_value(*step)) {
                found = (key.span(), value.span());
                value
            } else if let Some(value) = items.and_then(|items| items.get(step.parse::<usize>().ok()?)) {
                found = (value.span(), value.span());
                value
            } else {
                break;
            };
            table = value.get_ref().as_table();
            items = value.get_ref().as_array().map(|array| &**array);
        }
        found
    }
}

fn collect<'d, 't>(value: &'d Spanned<DeValue<'t>>, values: &mut Vec<(Range<usize>, &'d DeValue<'t>)>) {
    values.push((value.span(), value.get_ref()));
    match value.get_ref() {
        DeValue::Table(table) => table.values().for_each(|value| collect(value, values)),
        DeValue::Array(items) => items.iter().for_each(|value| collect(value, values)),
        _ => {}
    }
}

/// The entries of a file of our own that is a list of tables under one key, `[[pattern]]`. A test reads each such file.
pub fn entries<T: DeserializeOwned>(text: &str) -> Vec<T> {
    let lists: BTreeMap<String, Vec<T>> =
        toml::from_str(text).unwrap_or_else(|error| panic!("a file of this program is wrong: {error}"));
    lists.into_values().flatten().collect()
}

/// The word that a misspelt one most likely means; `None` if no word is similar.
pub fn nearest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let lower = word.to_lowercase();
    let distance = |known: &str| strsim::damerau_levenshtein(&lower, &known.to_lowercase());
    let bound = (lower.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|known| (distance(known), known))
        .filter(|(distance, _)| *distance <= bound)
        .min()
        .map(|(_, known)| known)
}

/// The end of a sentence on an unknown word: the nearest known one, or else all of them.
pub fn advice(word: &str, known: &[&str]) -> String {
    match (nearest(word, known.iter().copied()), known) {
        (Some(near), _) => format!(": did you mean `{near}`?"),
        (None, []) => ": there are none here".to_owned(),
        (None, _) => {
            let known: Vec<_> = known.iter().map(|word| format!("`{word}`")).collect();
            format!(": the known ones are {}", known.join(", "))
        }
    }
}

/// Line and column, both from 1, of an offset in a text.
fn place(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

fn translate(file: &str, text: &str, error: &toml::de::Error) -> LoadError {
    let (line, column) = place(text, error.span().map_or(0, |span| span.start));
    LoadError { file: file.to_owned(), position: Some((line, column)), cause: reword(error.message()) }
}

/// Rewords serde's messages in the terms of a TOML file.
fn reword(message: &str) -> String {
    for (prefix, noun) in [("unknown field ", "key"), ("unknown variant ", "value")] {
        if let Some(rest) = message.strip_prefix(prefix) {
            let mut words = rest.split('`').skip(1).step_by(2);
            let word = words.next().unwrap_or_default();
            let known: Vec<_> = words.collect();
            return format!("unknown {noun} `{word}`{}", advice(word, &known));
        }
    }
    if let Some(field) = message.strip_prefix("missing field ") {
        return format!("missing key {field}");
    }
    let terms = [
        ("invalid type: unit variant, expected newtype variant", "a value is missing: write { KEY = VALUE }"),
        ("wanted exactly 1 element, more than 1 element", "a table with exactly one key is required here"),
        ("wanted exactly 1 element, found 0 elements", "a table with exactly one key is required here"),
        ("wanted string or table", "a string or a table is required here"),
        ("invalid type: ", "wrong type: "),
        ("expected a sequence", "expected an array"),
        ("expected a map", "expected a table"),
        ("expected struct ", "expected a table for "),
        ("expected i64", "expected a whole number"),
        ("expected i32", "expected a whole number"),
        ("expected u64", "expected a whole number from 0"),
        ("expected u16", "expected a whole number from 0 to 65535"),
    ];
    let message = message.trim().replace('\n', " ");
    terms.iter().fold(message, |message, (from, to)| message.replace(from, to))
}

/// A TOML string.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            letter if letter.is_control() || is_format(letter) => {
                quoted.push_str(&format!("\\U{:08X}", u32::from(letter)));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether a character would change how a line is displayed.
fn is_format(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_count_from_one() {
        assert_eq!(place("a\näöx", 6), (2, 3));
        assert_eq!(place("", 7), (1, 1));
    }

    #[test]
    fn the_nearest_word_is_reported_and_a_far_one_is_not() {
        assert_eq!(nearest("requirments", ["title", "requirements"]), Some("requirements"));
        assert_eq!(nearest("Titel", ["title", "requirements"]), Some("title"));
        assert_eq!(nearest("banana", ["title", "requirements"]), None);
    }
}
