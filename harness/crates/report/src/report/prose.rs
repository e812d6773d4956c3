//! Sentences within a frame: escaped, and wrapped between words.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::escape;

/// A longer sentence is cut: a server may have put the content of a file into what a rule quotes.
const LONGEST: usize = 900;

/// One sentence of ours, in which the server's words may occur.
pub(super) fn sentence(text: &str) -> String {
    escape::line_within(text, LONGEST)
}

/// The lines of a text, each with at most this many columns; only a longer word is split.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
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
            _ => lines.extend(pieces(word, columns)),
        }
    }
    lines
}

/// The same, with at most this many lines, of which the last one then ends in `…`.
pub(super) fn wrapped_within(text: &str, columns: usize, most: usize) -> Vec<String> {
    let mut lines = wrapped(text, columns);
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            while last.width() + 1 > columns {
                last.pop();
            }
            last.push('…');
        }
    }
    lines
}

/// A text split every so many columns, regardless of words: for calls, which have few spaces.
pub fn pieces(text: &str, columns: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut width = 0;
    for char in text.chars() {
        let of_char = char.width().unwrap_or(0);
        if width + of_char > columns {
            pieces.push(String::new());
            width = 0;
        }
        width += of_char;
        if let Some(piece) = pieces.last_mut() {
            piece.push(char);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_broken_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
    }

    #[test]
    fn a_word_that_is_too_long_is_split() {
        assert_eq!(wrapped("a abcdefghij b", 5), ["a", "abcde", "fghij", "b"]);
    }

    #[test]
    fn text_beyond_the_last_line_is_cut() {
        assert_eq!(wrapped_within("one two three", 7, 1), ["one tw…"]);
        assert_eq!(wrapped_within("one two", 7, 1), ["one two"]);
    }
}
