//! A text without what differs between two calls: what the caller sent, names, folders and numbers become marks.
//!
//! The main type is [`MaskedText`]. It remembers where each character stood in the text as it was, and knows nothing of
//! features.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

/// So many characters of a text are read.
const LONGEST: usize = 1500;
/// A shorter value may stand anywhere by chance.
const SHORTEST_VALUE: usize = 2;
/// So much of a value at the end of a text, in bytes, is its beginning and no chance.
const CUT_OFF: usize = 20;

/// What stands in place of something that is masked. Texts are lower-cased, so that no text has one of the letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    Value,
    Parameter,
    Tool,
    Folder,
}

impl Mark {
    fn text(self) -> &'static str {
        match self {
            Self::Value => " V ",
            Self::Parameter => " P ",
            Self::Tool => " T ",
            Self::Folder => "/D",
        }
    }
}

/// What a reply may repeat of its call.
#[derive(Debug, Clone, Default)]
pub struct Sent(BTreeSet<(Reverse<usize>, Mark, String)>);

impl Sent {
    /// A value that the caller sent, in a form in which a reply may print it.
    #[must_use]
    pub fn value(self, value: impl Into<String>) -> Self {
        let value = value.into();
        if value.len() < SHORTEST_VALUE { self } else { self.with(Mark::Value, value) }
    }

    /// The name of a parameter.
    #[must_use]
    pub fn parameter(self, name: impl Into<String>) -> Self {
        self.with(Mark::Parameter, name.into())
    }

    /// The name of the tool that was called.
    #[must_use]
    pub fn tool(self, name: impl Into<String>) -> Self {
        self.with(Mark::Tool, name.into())
    }

    /// The path of a folder of the run, or what stands for it in a corpus.
    #[must_use]
    pub fn folder(self, path: impl Into<String>) -> Self {
        self.with(Mark::Folder, path.into())
    }

    fn with(mut self, mark: Mark, text: String) -> Self {
        if !text.trim().is_empty() {
            self.0.insert((Reverse(text.len()), mark, text));
        }
        self
    }

    /// The longest thing sent that the text repeats at a place, and the length there.
    fn at(&self, text: &str, place: usize) -> Option<(Mark, usize)> {
        let rest = &text[place..];
        self.0.iter().find_map(|(_, mark, sent)| {
            let length = if rest.starts_with(sent.as_str()) {
                sent.len()
            } else if rest.len() >= CUT_OFF && sent.starts_with(rest) {
                rest.len()
            } else {
                return None;
            };
            let end = place + length;
            (!splits_word(text, place) && !splits_word(text, end)).then_some((*mark, length))
        })
    }
}

/// Whether a place is inside a word or a number.
fn splits_word(text: &str, place: usize) -> bool {
    let is_of_word =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = text.as_bytes();
    place > 0 && is_of_word(bytes.get(place - 1)) && is_of_word(bytes.get(place))
}

/// A text with marks in place of what differs between two calls.
#[derive(Debug, Clone)]
pub struct MaskedText {
    /// Its characters, each with the place where it, or what it stands for, begins in the text as it was.
    characters: Vec<(char, usize)>,
    /// The length of what was read.
    end: usize,
}

impl MaskedText {
    /// The text with what was sent, and every number, replaced.
    pub fn new(text: &str, sent: &Sent) -> Self {
        let mut masked = Self { characters: Vec::new(), end: 0 };
        let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(place, _)| place);
        let text = &text[..end];
        while let Some(character) = text[masked.end..].chars().next() {
            let place = masked.end;
            if let Some((mark, length)) = sent.at(text, place) {
                masked.characters.extend(mark.text().chars().map(|character| (character, place)));
                masked.end += length;
            } else if character.is_numeric() {
                masked.characters.push(('0', place));
                let rest = text[place..].trim_start_matches(char::is_numeric);
                masked.end = text.len() - rest.len();
            } else {
                masked.characters.extend(character.to_lowercase().map(|lower| (lower, place)));
                masked.end += character.len_utf8();
            }
        }
        masked
    }

    /// The masked characters.
    pub(crate) fn characters(&self) -> impl ExactSizeIterator<Item = char> {
        self.characters.iter().map(|(character, _)| *character)
    }

    /// Where some of the masked characters stand in the text as it was.
    pub(crate) fn span(&self, characters: &Range<usize>) -> Range<usize> {
        let place = |at: usize| self.characters.get(at).map_or(self.end, |(_, place)| *place);
        place(characters.start)..place(characters.end).max(place(characters.start))
    }
}

impl std::fmt::Display for MaskedText {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.characters().try_for_each(|character| write!(formatter, "{character}"))
    }
}

#[cfg(test)]
mod tests {
    use super::{MaskedText, Sent};

    fn sent() -> Sent {
        Sent::default()
            .value("red")
            .value("red apples")
            .value("7")
            .parameter("count")
            .tool("buy")
            .folder("/srv/x")
    }

    #[test]
    fn what_was_sent_is_masked_the_longest_first() {
        let masked = |text: &str| MaskedText::new(text, &sent()).to_string();
        assert_eq!(masked("No 'red apples' in /srv/x/basket"), "no ' V ' in /D/basket");
        assert_eq!(masked("buy: count is 12.50"), " T :  P  is 0.0");
        assert_eq!(masked("缺少count"), "缺少 P ");
    }

    #[test]
    fn a_part_of_a_word_is_not_masked() {
        assert_eq!(MaskedText::new("Filtered, counted", &sent()).to_string(), "filtered, counted");
    }

    #[test]
    fn a_value_that_is_cut_off_at_the_end_is_masked() {
        let long = Sent::default().value("b".repeat(100));
        let text = format!("too long: {}", "b".repeat(30));
        assert_eq!(MaskedText::new(&text, &long).to_string(), "too long:  V ");
    }

    #[test]
    fn every_character_knows_its_place() {
        let text = "No red apples: ÄÖ 12";
        let masked = MaskedText::new(text, &sent());
        let place = |part: &str| {
            let shown = masked.to_string();
            let start = shown[..shown.find(part).expect("it is there")].chars().count();
            &text[masked.span(&(start..start + part.chars().count()))]
        };
        assert_eq!(place(" V "), "red apples");
        assert_eq!(place("äö 0"), "ÄÖ 12");
    }
}
