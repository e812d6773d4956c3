//! Sentences within a frame: escaped, and broken between words so that a long one stays readable.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

use crate::escape;

/// Where lines are broken. Not the terminal's width: the report is the same wherever it is written.
pub(super) const COLUMNS: usize = 110;

/// A sentence longer than this is cut: a server may have put a file's content into what a rule quotes.
const LONGEST: usize = 900;

/// One sentence of ours, in which words of the server may stand.
pub(super) fn sentence(text: &str) -> String {
    escape::line_within(text, LONGEST)
}

/// The lines of a text, each of at most so many columns where its words allow.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    text.split('\n').flat_map(|line| wrapped_line(line, columns)).collect()
}

fn wrapped_line(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in escape::line(text).split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Some names in a row; those beyond `most` are counted.
pub(super) fn listed<'n>(names: impl IntoIterator<Item = &'n str>, most: usize) -> String {
    let names: Vec<_> = names.into_iter().collect();
    let shown = names.iter().take(most).map(|name| escape::line_within(name, 80)).collect::<Vec<_>>();
    match names.len().saturating_sub(most) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A number with its noun.
pub(super) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A paragraph that hangs from its first line's beginning.
pub(super) fn paragraph(shown: &mut String, beginning: &str, text: &str) {
    for (index, line) in wrapped(text, COLUMNS - beginning.len()).iter().enumerate() {
        let margin = if index == 0 { beginning } else { "" };
        let _ = writeln!(shown, "{margin:<width$}{line}", width = beginning.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_broken_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
    }

    #[test]
    fn a_word_that_is_too_long_has_a_line_of_its_own() {
        assert_eq!(wrapped("a abcdefghij b", 5), ["a", "abcdefghij", "b"]);
    }

    #[test]
    fn names_beyond_the_limit_are_counted() {
        assert_eq!(listed(["a", "b", "c"], 2), "a, b and 1 more");
        assert_eq!(listed(["a", "b"], 2), "a, b");
    }
}
