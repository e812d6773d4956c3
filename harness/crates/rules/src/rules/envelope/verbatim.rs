//! Whether a text is part of a file, byte for byte, and which lines it covers.
//!
//! The main type is [`Source`]. It knows nothing of replies.

use std::ops::RangeInclusive;

use crate::pattern;

/// The text of a file, split into lines.
pub(super) struct Source<'t> {
    text: &'t str,
    /// The offset of the beginning of each line.
    starts: Vec<usize>,
}

/// How a shown text relates to a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// It is part of the file; the lines that it covers, from 1, for each occurrence.
    Verbatim(Vec<RangeInclusive<u64>>),
    /// It is part of the file except for line numbers in front.
    Numbered,
    /// It is not part of the file.
    Otherwise,
}

impl<'t> Source<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let behind = text.match_indices('\n').map(|(at, _)| at + 1).filter(|at| *at < text.len());
        Self { text, starts: std::iter::once(0).chain(behind).collect() }
    }

    /// The number of lines.
    pub(super) fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// The number of the line, from 1, that contains this byte offset.
    fn line_at(&self, at: usize) -> u64 {
        self.starts.partition_point(|start| *start <= at) as u64
    }

    /// The lines in which a text occurs, one for each occurrence.
    pub(super) fn lines_of(&self, sought: &str) -> Vec<u64> {
        if sought.is_empty() {
            return Vec::new();
        }
        self.text.match_indices(sought).map(|(at, _)| self.line_at(at)).collect()
    }

    /// How a shown text relates to the file. A final line end and spaces before it may be cut off.
    pub(super) fn find(&self, shown: &str) -> Shown {
        let bare = shown.trim_end_matches(['\n', '\r']);
        // A window of empty lines has nothing else to compare.
        let bare = if bare.is_empty() { shown } else { bare };
        let mut places = Vec::new();
        let mut from = 0;
        while let Some(at) = self.text.get(from..).and_then(|rest| rest.find(bare)).map(|at| at + from) {
            let end = (at + bare.len()).saturating_sub(1);
            places.push(self.line_at(at)..=self.line_at(end));
            // Occurrences may overlap: each line can be the first of one.
            from = at + self.text[at..].chars().next().map_or(1, char::len_utf8);
        }
        if !places.is_empty() {
            return Shown::Verbatim(places);
        }
        match without_numbers(shown) {
            Some(plain) if self.text.contains(plain.trim_end_matches(['\n', '\r'])) => Shown::Numbered,
            _ => Shown::Otherwise,
        }
    }
}

/// The text without the number at the beginning of each line; `None` if a line has none.
fn without_numbers(text: &str) -> Option<String> {
    let mut plain = String::new();
    for line in text.lines() {
        let found = pattern!("text/line-number").find(line)?;
        plain.push_str(&line[found.end()..]);
        plain.push('\n');
    }
    (!plain.trim().is_empty()).then_some(plain)
}

/// Whether every line begins with a number that is one more than the one before.
pub(super) fn counts_lines(text: &str) -> bool {
    let numbers: Option<Vec<u64>> = text
        .lines()
        .map(|line| pattern!("text/line-number").captures(line)?.get(1)?.as_str().parse().ok())
        .collect();
    numbers.is_some_and(|numbers| {
        numbers.len() >= 3 && numbers.windows(2).all(|pair| pair[1] == pair[0].saturating_add(1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_file_is_found_with_its_lines_wherever_it_stands() {
        let source = Source::of("a\nb\na\nb\n");
        assert_eq!(source.line_count(), 4);
        assert_eq!(source.find("b\na\n"), Shown::Verbatim(vec![2..=3]));
        assert_eq!(source.find("a\nb"), Shown::Verbatim(vec![1..=2, 3..=4]));
        assert_eq!(source.find("c"), Shown::Otherwise);
        assert_eq!(source.lines_of("a\nb"), [1, 3]);
        assert_eq!(Source::of("ä\r\nö").find("ä\r\n"), Shown::Verbatim(vec![1..=1]));
    }

    #[test]
    fn numbers_in_front_of_the_lines_are_known_in_many_forms() {
        let source = Source::of("one\n  two\nthree\n");
        for text in [
            "1: one\n2:   two",
            "   1\tone\n   2\t  two",
            "1| one\n2|   two\n3| three",
            "  2\u{2192}  two",
            "L1: one",
        ] {
            assert_eq!(source.find(text), Shown::Numbered, "{text}");
        }
        assert!(counts_lines("7 a\n8 b\n9 c") && !counts_lines("7 a\n9 b\n11 c") && !counts_lines("a\nb\nc"));
    }
}
