//! How much of a value a text shows from one place on, in any notation.
//!
//! The main type is [`Walk`]. A value is a row of [`Token`]s: a string is one, a list or an object is the row of
//! its names and plain values. What languages print between them (brackets, commas, quotation marks, type names)
//! is passed over.

use std::cell::Cell;
use std::ops::Range;

use super::super::border::closes_quotation;
use super::is_cut_mark;
use super::notation::{Case, ESCAPES, in_case, length_of, resolved};
use crate::words;

/// A plain part of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Token {
    /// A string.
    Text(String),
    /// The name of a member.
    Name(String),
    /// What is shown in one of a few words: a number or null, true and false.
    Words(Vec<String>),
}

/// What a text shows of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reach {
    /// Where it ends in the text.
    pub(super) end: usize,
    /// How many characters of the value it shows.
    pub(super) letters: usize,
    /// How many tokens it shows to their end.
    pub(super) tokens: usize,
    /// Whether it shows the value to its end.
    pub(super) is_whole: bool,
}

impl Reach {
    /// The one of two that shows more.
    fn or(self, other: Self) -> Self {
        if (other.letters, other.end) > (self.letters, self.end) { other } else { self }
    }
}

/// A shorter value is not searched in another case, because it may be an ordinary word.
const WORTH: usize = 8;

/// Between the parts of a printed list or object.
const BETWEEN: &str = "[]{}():,;=>'\"`<&";

/// Where something is printed that belongs to no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    Before,
    Between,
    Behind,
}

/// Compares a text with values, within a budget that keeps this linear.
pub(super) struct Walk<'t> {
    text: &'t str,
    /// The characters in the text with which an escape may begin.
    escapes: Vec<char>,
    budget: Cell<usize>,
    /// The last gap in front of a first token.
    before: Cell<Before>,
}

/// What is printed in front of a first token.
#[derive(Debug, Clone, Copy, Default)]
struct Before {
    at: usize,
    end: usize,
    /// How many brackets it opens.
    depth: i32,
}

impl<'t> Walk<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        /// Steps for each byte of the text, and at least.
        const STEPS: usize = 200;
        const LEAST: usize = 100_000;
        let is_used = |escape: &char| *escape == '\\' || text.contains(*escape);
        let escapes = ESCAPES.into_iter().filter(is_used).collect();
        Self { text, escapes, budget: Cell::new(LEAST + STEPS * text.len()), before: Cell::default() }
    }

    pub(super) fn is_exhausted(&self) -> bool {
        self.budget.get() == 0
    }

    /// What is shown from here on of a string, in the case that shows most of it.
    pub(super) fn text(&self, value: &str, at: usize) -> Reach {
        let mut best = self.in_case(value, at, Case::Same);
        if !best.is_whole && value.len() >= WORTH && self.differs_in_case(value, at) {
            best = best.or(self.in_case(value, at, Case::Lower)).or(self.in_case(value, at, Case::Upper));
        }
        if !best.is_whole && best.letters > 0 {
            best.end = self.behind_a_cut_escape(best.end);
        }
        best
    }

    fn in_case(&self, value: &str, at: usize, case: Case) -> Reach {
        let (plain, sent) = self.plain(value, at, case);
        if plain.is_whole {
            return plain;
        }
        let begin = Reach { end: at, letters: 0, tokens: 0, is_whole: false };
        // Without an escape the value may still have lost a character.
        let escaped = self.escapes.iter().map(|escape| {
            // What is shown as it is need not be compared again.
            let is_plain = !self.text[at..plain.end].contains([*escape, '\'']);
            let (from, left) = if is_plain { (plain, &value[sent..]) } else { (begin, value) };
            self.escaped(left, from, case, *escape)
        });
        escaped.fold(plain, Reach::or)
    }

    /// Where an escape ends that was cut; the place itself if there is none.
    fn behind_a_cut_escape(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        let Some(begun) = rest.strip_prefix(ESCAPES) else { return at };
        let cut = begun
            .trim_start_matches(|letter: char| letter.is_ascii_alphanumeric() || "\\{#".contains(letter));
        let is_short = begun.len() - cut.len() < 10;
        if is_short && (cut.is_empty() || is_cut_mark(cut)) { self.text.len() - cut.len() } else { at }
    }

    /// What is shown from here on of a string that is not escaped, and how many bytes of the string that is.
    fn plain(&self, value: &str, at: usize, case: Case) -> (Reach, usize) {
        let rest = &self.text[at..];
        let budget = self.budget.get();
        // Most of what is shown is shown whole.
        if case == Case::Same && value.len() <= budget && rest.starts_with(value) {
            let letters = value.chars().count();
            self.budget.set(budget.saturating_sub(letters + 1));
            return (Reach { end: at + value.len(), letters, tokens: 1, is_whole: true }, value.len());
        }
        let pairs = std::iter::zip(value.chars(), rest.chars()).take(budget);
        let shared = pairs.take_while(|(sent, shown)| in_case(*sent, case) == *shown);
        let (letters, length, sent) = shared.fold((0, 0, 0), |(letters, length, sent), (one, shown)| {
            (letters + 1, length + shown.len_utf8(), sent + one.len_utf8())
        });
        self.budget.set(budget.saturating_sub(letters + 1));
        let is_whole = sent == value.len();
        (Reach { end: at + length, letters, tokens: usize::from(is_whole), is_whole }, sent)
    }

    /// What is shown of a string, with its letters in one case and escaped or not, if this much is shown of what stands
    /// before it.
    fn escaped(&self, value: &str, mut reach: Reach, case: Case, escape: char) -> Reach {
        for wanted in value.chars() {
            let Some(left) = self.budget.get().checked_sub(1) else { return reach };
            self.budget.set(left);
            let Some(length) = length_of(wanted, &self.text[reach.end..], case, escape) else { return reach };
            reach.end += length;
            reach.letters += 1;
        }
        Reach { tokens: 1, is_whole: true, ..reach }
    }

    /// Whether the first letter of a value that has another case stands here in that case.
    fn differs_in_case(&self, value: &str, at: usize) -> bool {
        let rest = &self.text[at..];
        rest.starts_with('\\')
            || std::iter::zip(value.chars(), rest.chars())
                .find(|(sent, shown)| sent != shown)
                .is_some_and(|(sent, shown)| sent.to_lowercase().eq(shown.to_lowercase()))
    }

    /// What is shown from here on of a row of tokens, from a place within the first one. Of a printed list or
    /// object it begins with the opening bracket and ends behind the closing one.
    pub(super) fn tokens(&self, tokens: &[Token], within: usize, at: usize, is_printed: bool) -> Reach {
        let mut reach = Reach { end: at, letters: 0, tokens: 0, is_whole: false };
        let mut depth = 0;
        for (number, token) in tokens.iter().enumerate() {
            let gap = match (number, is_printed) {
                (0, false) => at..at,
                (0, true) => {
                    let before = self.before(at);
                    depth = before.depth;
                    at..before.end
                }
                _ => reach.end..self.gap(reach.end, &mut depth, Gap::Between),
            };
            let between = gap.end;
            let part = self.token(token, if number == 0 { within } else { 0 }, gap);
            if part.letters == 0 && !part.is_whole {
                // The name of a type may be cut too.
                let cut =
                    self.text[between..].trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
                if number > 0 && is_cut_mark(cut) {
                    reach.end = self.text.len() - cut.len();
                }
                return reach;
            }
            let rest = &self.text[part.end..];
            let is_cut = || is_cut_mark(rest) || rest.trim().is_empty() || closes_quotation(rest);
            if number > 0 && !part.is_whole && part.letters < WORTH && !is_cut() {
                return reach;
            }
            reach.end = part.end;
            reach.letters += part.letters;
            if !part.is_whole {
                return reach;
            }
            reach.tokens += 1;
        }
        if depth > 0 {
            reach.end = self.gap(reach.end, &mut depth, Gap::Behind);
        }
        Reach { is_whole: depth <= 0, ..reach }
    }

    /// What is shown from here on of a row of tokens, from a place within a string on: only of that string unless
    /// more than one token follows it, because a word of the sentence may be the next one.
    pub(super) fn tail(&self, tokens: &[Token], within: usize, at: usize) -> Reach {
        const ROW: usize = 3;
        let row = self.tokens(tokens, within, at, false);
        if row.tokens >= ROW { row } else { self.tokens(&tokens[..1], within, at, false) }
    }

    /// What is shown of a token at the end of a gap, or within it if the token itself begins like a gap.
    fn token(&self, token: &Token, within: usize, gap: Range<usize>) -> Reach {
        let at_end = gap.end;
        match token {
            Token::Text(text) | Token::Name(text) if text.is_empty() => {
                // Between quotation marks there may be the name of a type: `"<string>"`.
                let shown = self.text[gap].replace('\\', "");
                let is_empty = ["\"\"", "''", "``"].iter().any(|marks| shown.contains(marks));
                let is_whole = is_empty || !shown.contains(['"', '\'', '`']);
                Reach { end: at_end, letters: 0, tokens: usize::from(is_whole), is_whole }
            }
            Token::Text(text) | Token::Name(text) => {
                let is_plain = text.starts_with(char::is_alphanumeric);
                let begin = if is_plain { gap.end } else { gap.start };
                let places = (begin..=gap.end).filter(|at| self.text.is_char_boundary(*at));
                let reaches = places.map(|at| self.text(&text[within..], at));
                reaches.max_by_key(|reach| reach.letters).unwrap_or(Reach {
                    end: at_end,
                    letters: 0,
                    tokens: 0,
                    is_whole: false,
                })
            }
            Token::Words(words) => {
                let rest = &self.text[at_end..];
                let ends = |word: &&String| !rest[word.len()..].starts_with(|c: char| c.is_alphanumeric());
                let fitting = words.iter().filter(|word| rest.starts_with(word.as_str())).filter(ends);
                if let Some(word) = fitting.max_by_key(|word| word.len()) {
                    let end = at_end + word.len();
                    return Reach { end, letters: word.len(), tokens: 1, is_whole: true };
                }
                let shared = |word: &String| {
                    std::iter::zip(word.bytes(), rest.bytes())
                        .take_while(|(word, shown)| word == shown)
                        .count()
                };
                let letters = words.iter().map(shared).max().unwrap_or(0);
                Reach { end: at_end + letters, letters, tokens: 0, is_whole: false }
            }
        }
    }

    /// What is printed from here on in front of a first token. In a row of brackets each begins such a gap, and all end
    /// at the same place: only what lies between two of them is read for the second.
    fn before(&self, at: usize) -> Before {
        let mut last = self.before.get();
        if last.at <= at && at < last.end {
            while last.at < at
                && let Some((letter, length)) = resolved(&self.text[last.at..])
            {
                last.depth -= bracket(letter);
                last.at += length;
            }
        }
        if last.at != at || at >= last.end {
            let mut depth = 0;
            let end = self.gap(at, &mut depth, Gap::Before);
            last = Before { at, end, depth };
        }
        self.before.set(last);
        last
    }

    /// Where what is printed between two tokens ends; or only what closes the open brackets.
    fn gap(&self, mut at: usize, depth: &mut i32, place: Gap) -> usize {
        let closing = place == Gap::Behind;
        let mut closed = at;
        while let Some((letter, length)) = resolved(&self.text[at..]) {
            if letter.is_ascii_alphabetic() && !closing {
                let rest = &self.text[at..];
                let word = words!("messages/printed-types").iter().find(|word| {
                    rest.strip_prefix(**word).is_some_and(|after| !after.starts_with(char::is_alphanumeric))
                });
                let Some(word) = word else { return at };
                at += word.len();
                continue;
            }
            match letter {
                '[' | '{' | '(' if closing => return closed,
                // The last bracket stands behind the last token.
                ']' | '}' | ')' if place == Gap::Between && *depth == 1 => return at,
                '[' | '{' | '(' | ']' | '}' | ')' => *depth += bracket(letter),
                '\\' => {}
                letter if letter.is_whitespace() || BETWEEN.contains(letter) => {}
                _ => return if closing { closed } else { at },
            }
            at += length;
            if matches!(letter, ']' | '}' | ')') {
                closed = at;
                if closing && *depth <= 0 {
                    return at;
                }
            }
        }
        if closing { closed } else { at }
    }
}

/// How many brackets a letter opens.
fn bracket(letter: char) -> i32 {
    match letter {
        '[' | '{' | '(' => 1,
        ']' | '}' | ')' => -1,
        _ => 0,
    }
}

/// Where the name of a type that is printed before a bracket begins: `map[a:1]`, `Object {"a": 1}`.
pub(super) fn type_before(before: &str) -> usize {
    let words = before.trim_end_matches(' ');
    let found = words!("messages/printed-types")
        .iter()
        .find(|word| words.strip_suffix(**word).is_some_and(|lead| !lead.ends_with(char::is_alphanumeric)));
    found.map_or(before.len(), |word| words.len() - word.len())
}
