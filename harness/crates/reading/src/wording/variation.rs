//! Finds the parts of a reply that change with the value that was sent, by comparison with the reply to the
//! same call with another value.
//!
//! The main type is [`Variation`]. An echo may be altered beyond recognition: upper case, a resolved path, a
//! number that lost digits. The other reply shows what it corresponds to. A part that changes by itself, such
//! as a time or an address, resembles neither value and does not count.

use std::ops::Range;

use serde_json::Value;

use super::passages;

/// At most this many words of a text are compared.
const WORDS: usize = 1_000;
/// Texts that share this many consecutive characters are not similar by accident.
const SHARED: usize = 3;
/// At most this many bytes between two altered words belong to the echo too.
const GAP: usize = 4;

/// The values that differ between a call and its twin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variation {
    /// Pairs of values in lower case, without their common beginning and end.
    values: Vec<(String, String)>,
}

impl Variation {
    /// The differences between the arguments of two calls.
    pub fn between(arguments: &Value, twin: &Value) -> Self {
        let mut variation = Self::default();
        variation.collect(arguments, twin);
        variation
    }

    /// The ranges of a text with the values, altered or not, found by comparison with the twin's text: in
    /// order, on character boundaries.
    pub fn spans(&self, text: &str, twin: &str) -> Vec<Range<usize>> {
        let mut spans: Vec<Range<usize>> = Vec::new();
        for (span, other) in differing(text, twin) {
            if !self.relates(&text[span.clone()], &twin[other]) {
                continue;
            }
            match spans.last_mut() {
                Some(last) if is_gap(&text[last.end..span.start]) => last.end = span.end,
                _ => spans.push(span),
            }
        }
        spans
    }

    /// The altered forms of the values in a text, and in each of its strings if it is JSON.
    pub fn echoes(&self, text: &str, twin: &str) -> Vec<String> {
        let (ours, theirs) = (passages(text), passages(twin));
        if ours.len() != theirs.len() {
            return self.spans(text, twin).into_iter().map(|span| text[span].to_owned()).collect();
        }
        let pairs = std::iter::zip(ours, theirs);
        let found = pairs.flat_map(|(ours, theirs)| {
            let spans = self.spans(&ours.text, &theirs.text);
            spans.into_iter().map(|span| ours.text[span].to_owned()).collect::<Vec<_>>()
        });
        found.collect()
    }

    fn collect(&mut self, value: &Value, twin: &Value) {
        match (value, twin) {
            (Value::Array(items), Value::Array(others)) => {
                std::iter::zip(items, others).for_each(|(item, other)| self.collect(item, other));
            }
            (Value::Object(members), Value::Object(others)) => {
                for (name, member) in members {
                    if let Some(other) = others.get(name) {
                        self.collect(member, other);
                    }
                }
            }
            (value, twin) if value != twin => {
                let said = |value: &Value| match value {
                    Value::String(text) => text.to_lowercase(),
                    other => other.to_string(),
                };
                self.values.push(without_common_ends(&said(value), &said(twin)));
            }
            _ => {}
        }
    }

    /// Whether one text resembles a value, and the other one its counterpart.
    fn relates(&self, text: &str, twin: &str) -> bool {
        let (text, twin) = (text.to_lowercase(), twin.to_lowercase());
        self.values.iter().any(|(value, other)| shares(&text, value) && shares(&twin, other))
    }
}

/// Whether the text between two altered words contains no word.
fn is_gap(between: &str) -> bool {
    between.len() <= GAP && !between.contains(char::is_alphanumeric)
}

fn shares(text: &str, value: &str) -> bool {
    let borders: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    if borders.len() <= SHARED {
        return value.contains(text);
    }
    borders.windows(SHARED + 1).any(|window| value.contains(&text[window[0]..window[SHARED]]))
}

fn without_common_ends(left: &str, right: &str) -> (String, String) {
    let (ours, theirs): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let begin = std::iter::zip(&ours, &theirs).take_while(|(one, other)| one == other).count();
    let most = ours.len().min(theirs.len()) - begin;
    let end = std::iter::zip(ours.iter().rev(), theirs.iter().rev()).take(most);
    let end = end.take_while(|(one, other)| one == other).count();
    (ours[begin..ours.len() - end].iter().collect(), theirs[begin..theirs.len() - end].iter().collect())
}

/// The ranges in which two texts differ, each with its counterpart in the other text.
fn differing(text: &str, twin: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let (ours, theirs) = (words(text), words(twin));
    let is_same = |one: usize, other: usize| text[ours[one].clone()] == twin[theirs[other].clone()];
    let shorter = ours.len().min(theirs.len());
    let begin = (0..shorter).take_while(|at| is_same(*at, *at)).count();
    let end = (1..=shorter - begin).take_while(|at| is_same(ours.len() - at, theirs.len() - at)).count();
    let (rows, columns) = (begin..ours.len() - end, begin..theirs.len() - end);
    if rows.len() > WORDS || columns.len() > WORDS {
        return Vec::new();
    }
    // The length of the longest common subsequence from each pair of positions on.
    let width = columns.len() + 1;
    let mut longest = vec![0u16; (rows.len() + 1) * width];
    for row in (0..rows.len()).rev() {
        for column in (0..columns.len()).rev() {
            longest[row * width + column] = if is_same(begin + row, begin + column) {
                longest[(row + 1) * width + column + 1] + 1
            } else {
                longest[(row + 1) * width + column].max(longest[row * width + column + 1])
            };
        }
    }
    let span = |words: &[Range<usize>], from: usize, to: usize| words[from].start..words[to - 1].end;
    let mut found = Vec::new();
    let (mut row, mut column) = (0, 0);
    while column < columns.len() {
        let (first_row, first_column) = (row, column);
        while row < rows.len() && !is_same(begin + row, begin + column) {
            // Moves down if no common words are lost by that, and right only if there are common words left
            // there.
            let down = longest[(row + 1) * width + column] == longest[row * width + column];
            (row, column) = if down { (row + 1, column) } else { (row, column + 1) };
        }
        if row == rows.len() {
            column = columns.len();
        }
        if row > first_row && column > first_column {
            found.push((
                span(&ours, begin + first_row, begin + row),
                span(&theirs, begin + first_column, begin + column),
            ));
        }
        (row, column) = (row + 1, column + 1);
    }
    found
}

/// A text's words, and each other character alone.
fn words(text: &str) -> Vec<Range<usize>> {
    let word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut within = false;
    for (at, letter) in text.char_indices() {
        let end = at + letter.len_utf8();
        match found.last_mut() {
            Some(last) if within && word(letter) => last.end = end,
            _ => found.push(at..end),
        }
        within = word(letter);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;
    use serde_json::json;

    /// The values of two calls, a reply to each, and the echoes in the first one.
    #[derive(serde::Deserialize)]
    struct Case {
        why: String,
        values: [Value; 2],
        texts: [String; 2],
        echoes: Vec<String>,
    }

    #[test]
    fn the_echoes_of_each_pair_of_replies_are_those_of_its_line() {
        for line in include_str!("variation/cases.jsonl").lines() {
            let Case { why, values: [one, other], texts: [text, twin], echoes } =
                serde_json::from_str(line).expect("a line is a case");
            let variation = Variation::between(&json!({ "v": one }), &json!({ "v": other }));
            assert_eq!(variation.echoes(&text, &twin), echoes, "{why}: {text}");
        }
    }

    #[test]
    fn a_text_of_too_many_altered_words_tells_nothing() {
        let text = |word: &str, times: usize| format!("{word} ").repeat(times);
        let variation = Variation::between(&json!("missing"), &json!("tpzzpun"));
        assert!(!variation.spans(&text("missing", 400), &text("tpzzpun", 400)).is_empty());
        assert!(variation.spans(&text("missing", 600), &text("tpzzpun", 600)).is_empty());
        assert!(variation.spans("missing", &text("tpzzpun", 600)).is_empty());
    }

    #[test]
    fn however_long_two_replies_are_what_differs_within_them_is_compared() {
        let around = |word: &str| format!("{0}{word}{0}", " as before".repeat(800));
        let variation = Variation::between(&json!("missing"), &json!("tpzzpun"));
        let (text, twin) = (around(" MISSING"), around(" TPZZPUN"));
        assert_eq!(variation.echoes(&text, &twin), ["MISSING"]);
        let altered = |word: &str, last: &str| format!("{}{last}", format!("{word} ").repeat(499) + word);
        let (text, twin) = (altered("missing", "!"), altered("tpzzpun", "?"));
        assert_eq!(words(&text).len(), WORDS);
        assert!(!variation.spans(&text, &twin).is_empty());
        assert!(variation.spans(&format!("{text} {text}"), "tpzzpun").is_empty());
    }

    #[test]
    fn of_what_two_texts_share_in_several_ways_the_longest_is_left_out() {
        assert_eq!(differing("-++!", "+-+?"), [(3..4, 3..4)]);
        assert_eq!(differing("+!+-", "-+?+"), [(1..2, 2..3)]);
    }

    #[test]
    fn what_both_calls_sent_is_no_variation() {
        let variation = Variation::between(&json!({"a": "same", "b": 1}), &json!({"a": "same", "b": 1}));
        assert_eq!(variation, Variation::default());
    }

    proptest! {
        /// The common parts of each text occur in both, after parts that only one of them has, and no sign
        /// occurs twice.
        #[test]
        fn stretches_that_differ_are_found_between_what_two_texts_share(
            parts in proptest::collection::vec((0u32..4, 0u32..4), 1..12),
            shared_end in proptest::bool::ANY,
        ) {
            let sign = |block: u32, at: usize, of: u32| char::from_u32(block + at as u32 * 4 + of);
            let (mut text, mut twin) = (String::new(), String::new());
            let mut expected = Vec::new();
            for (at, (ours, theirs)) in parts.iter().enumerate() {
                let begins = (text.len(), twin.len());
                text.extend((0..*ours).filter_map(|of| sign(0x2200, at, of)));
                twin.extend((0..*theirs).filter_map(|of| sign(0x2300, at, of)));
                if *ours > 0 && *theirs > 0 {
                    expected.push((begins.0..text.len(), begins.1..twin.len()));
                }
                if shared_end || at + 1 < parts.len() {
                    text.extend(sign(0x2190, at, 0));
                    twin.extend(sign(0x2190, at, 0));
                }
            }
            prop_assert_eq!(differing(&text, &twin), expected);
        }

        #[test]
        fn any_two_texts_are_compared_on_character_borders(text in "(?s).{0,60}", twin in "(?s).{0,60}", value in ".{0,20}") {
            let variation = Variation::between(&json!([value, 1]), &json!([twin, 2]));
            let text = format!("{text}{value}");
            let mut end = 0;
            for span in variation.spans(&text, &twin) {
                prop_assert!(span.start >= end && text.get(span.clone()).is_some_and(|part| !part.is_empty()));
                end = span.end;
            }
        }
    }
}
