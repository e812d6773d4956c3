//! What stands in a file around the places that a failure is about, for the contracts that show it.
//!
//! The main type is [`Context`]. It is the file's own text, byte for byte and without line numbers; how it is shown is
//! the business of `contract`.

use std::cmp::Reverse;
use std::collections::BTreeSet;

/// How many lines are shown around one place.
const WINDOW: usize = 12;
/// How many places are shown.
const PLACES: usize = 5;
/// How much of the file's text is shown in all, in bytes of JSON: a reply is read by a model that pays for every word.
const TEXT: usize = 6 * 1024;

/// Parts of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// Where no place is certain: the lines around the likeliest one.
    pub excerpt: Option<String>,
    /// The places, in the file's order.
    pub spots: Vec<Spot>,
    /// How many more there are.
    pub more: usize,
}

/// One place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// From 1.
    pub line: usize,
    /// The lines around it.
    pub snippet: String,
}

impl Context {
    /// The lines around the one that has most words of the text that was sought; the first ones where none has any.
    pub fn near(sought: &str, text: &str) -> Self {
        let words = |text: &str| -> BTreeSet<String> {
            let words = text.split(|letter: char| !letter.is_alphanumeric());
            words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
        };
        let sought = words(sought);
        let shared = text.lines().map(|line| words(line).intersection(&sought).count());
        // Of lines that share as many, the first one.
        let likeliest = shared.enumerate().max_by_key(|(number, shared)| (*shared, Reverse(*number)));
        let line = likeliest.map_or(0, |(number, _)| number);
        Self { excerpt: Some(window(text, line, TEXT)), spots: Vec::new(), more: 0 }
    }

    /// Every place where a text begins, five at most.
    pub fn places_of(sought: &str, text: &str) -> Self {
        let starts: Vec<usize> = text.match_indices(sought).map(|(start, _)| start).collect();
        let shown = starts.iter().take(PLACES).map(|start| {
            let line = text[..*start].matches('\n').count();
            Spot { line: line + 1, snippet: window(text, line, TEXT / PLACES) }
        });
        Self { excerpt: None, spots: shown.collect(), more: starts.len().saturating_sub(PLACES) }
    }
}

/// The lines around one of them, by its number from 0; whole lines, as many as fit.
fn window(text: &str, line: usize, bytes: usize) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let last_first = lines.len().saturating_sub(WINDOW);
    let first = line.saturating_sub(WINDOW / 2).min(last_first);
    let mut first = first;
    let mut end = (first + WINDOW).min(lines.len());
    let size = |first: usize, end: usize| lines[first..end].iter().map(|line| size(line)).sum::<usize>();
    while size(first, end) > bytes && end - first > 1 {
        if end - 1 > line { end -= 1 } else { first += 1 }
    }
    within(&lines[first..end].concat(), bytes).to_owned()
}

/// How long a text is as JSON writes it, quotation marks left out.
fn size(text: &str) -> usize {
    let escaped = |letter: char| match letter {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        letter if letter.is_control() => 6,
        letter => letter.len_utf8(),
    };
    text.chars().map(escaped).sum()
}

/// So much of a text's beginning as is no longer than this.
fn within(text: &str, bytes: usize) -> &str {
    let mut left = bytes;
    let fits = |(_, letter): &(usize, char)| {
        let size = size(letter.encode_utf8(&mut [0; 4]));
        let fits = size <= left;
        left = left.saturating_sub(size);
        !fits
    };
    text.char_indices().find(fits).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(lines: usize) -> String {
        (1..=lines).map(|number| format!("line {number}\n")).collect()
    }

    #[test]
    fn a_window_holds_twelve_lines_and_fewer_where_the_file_ends() {
        for (lines, line, expected) in [(100, 50, 12), (100, 0, 12), (100, 99, 12), (5, 2, 5), (1, 0, 1)] {
            let text = numbered(lines);
            let shown = window(&text, line, TEXT);
            assert_eq!(shown.lines().count(), expected, "line {line} of {lines}");
            assert!(text.contains(&shown) && shown.contains(&format!("line {}\n", line + 1)), "{shown}");
        }
    }

    #[test]
    fn five_places_are_shown_with_their_lines_and_the_rest_is_counted() {
        let context = Context::places_of("line", &numbered(200));
        let lines: Vec<usize> = context.spots.iter().map(|spot| spot.line).collect();
        assert_eq!((lines, context.more), (vec![1, 2, 3, 4, 5], 195));
    }

    #[test]
    fn the_likeliest_line_is_the_first_that_shares_most_words() {
        let text = numbered(40).replace("line 33\n", "the green apple\n");
        let excerpt = Context::near("green pear", &text).excerpt.unwrap();
        assert!(excerpt.contains("the green apple\n") && excerpt.lines().count() == 12, "{excerpt}");
        let beginning = Context::near("zzz", &text).excerpt.unwrap();
        assert!(beginning.starts_with("line 1\n") && text.starts_with(&beginning), "{beginning}");
    }

    #[test]
    fn what_json_escapes_counts_as_it_is_written() {
        let text = "\u{1}\"\t\n".repeat(5000);
        let excerpt = Context::near("x", &text).excerpt.unwrap();
        assert!(serde_json::to_string(&excerpt).unwrap().len() <= TEXT + 2);
        assert_eq!((within("aäa", 2), within("aäa", 3), within("aäa", 4)), ("a", "aä", "aäa"));
    }

    #[test]
    fn long_lines_do_not_make_the_context_long() {
        let text = format!("{}\n", "ä".repeat(5000)).repeat(200);
        let context = Context::places_of("ää", &text);
        let size: usize = context.spots.iter().map(|spot| spot.snippet.len()).sum();
        assert!(size <= TEXT, "{size}");
        assert!(context.spots.iter().all(|spot| text.contains(&spot.snippet)));
    }
}
