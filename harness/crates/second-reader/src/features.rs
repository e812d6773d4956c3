//! What a model sees of a text: how often each n-gram of letters and of words occurs, by the n-gram's hash.
//!
//! The main type is [`Features`]. N-grams of 2 to 5 letters stay within a word and its borders; n-grams of 1 to 3 words
//! take every other character that is no space for a word of its own. Each kind has a table of the roots of the counts, and
//! the length of a table is 1.

use std::ops::Range;

use crate::masked_text::MaskedText;

/// The buckets of one kind of n-gram.
const BUCKETS: usize = 4096;
/// The buckets of both kinds.
pub(crate) const SIZE: usize = 2 * BUCKETS;
const LETTERS: Range<usize> = 2..6;
const WORDS: usize = 3;

/// The n-grams of a text: the buckets that are not empty, in order, and what is in them.
#[derive(Debug, Clone, PartialEq)]
pub struct Features(Vec<(u16, f32)>);

impl Features {
    /// The features of a text.
    pub fn of(text: &MaskedText) -> Self {
        let mut counts = vec![0_u16; SIZE];
        for_each_ngram(text, |bucket, _| counts[bucket] = counts[bucket].saturating_add(1));
        let mut features = Vec::new();
        for (table, counts) in counts.chunks(BUCKETS).enumerate() {
            let sum: f32 = counts.iter().map(|count| f32::from(*count)).sum();
            let filled = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            features.extend(filled.map(|(bucket, count)| {
                let bucket = u16::try_from(table * BUCKETS + bucket).expect("two tables have fewer buckets");
                (bucket, (f32::from(*count) / sum).sqrt())
            }));
        }
        Self(features)
    }

    /// Each bucket that is not empty with what is in it.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, f32)> {
        self.0.iter().map(|(bucket, value)| (usize::from(*bucket), *value))
    }
}

/// Calls a function with the bucket of each n-gram and with the characters that it consists of.
pub(crate) fn for_each_ngram(text: &MaskedText, mut found: impl FnMut(usize, Range<usize>)) {
    let characters: Vec<char> = text.characters().collect();
    let words = words(&characters);
    for spaced in &words {
        let padded = || {
            let inner = characters[spaced.clone()].iter().copied();
            std::iter::once(' ').chain(inner).chain(std::iter::once(' ')).enumerate()
        };
        for start in 0..=spaced.len() {
            let mut hash = Hash::new();
            for (at, character) in padded().skip(start).take(LETTERS.end - 1) {
                hash.add(character);
                let length = at - start + 1;
                if LETTERS.contains(&length) {
                    // The first character is the border before the word.
                    let from = (spaced.start + start).saturating_sub(1).max(spaced.start);
                    found(hash.bucket(), from..(spaced.start + at).min(spaced.end));
                }
            }
        }
    }
    let tokens: Vec<Range<usize>> = words.iter().flat_map(|word| tokens(&characters, word)).collect();
    for start in 0..tokens.len() {
        let mut hash = Hash::new();
        for token in tokens[start..].iter().take(WORDS) {
            characters[token.clone()].iter().for_each(|character| hash.add(*character));
            found(BUCKETS + hash.bucket(), tokens[start].start..token.end);
            hash.add(' ');
        }
    }
}

/// The parts between spaces.
fn words(characters: &[char]) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = 0;
    for part in characters.split(|character| character.is_whitespace()) {
        if !part.is_empty() {
            words.push(start..start + part.len());
        }
        start += part.len() + 1;
    }
    words
}

/// The words within a part: runs of Latin letters, and every other character by itself.
fn tokens(characters: &[char], part: &Range<usize>) -> Vec<Range<usize>> {
    let is_letter = |character: char| character.is_ascii_alphabetic() || character == '_';
    let mut tokens: Vec<Range<usize>> = Vec::new();
    for at in part.clone() {
        match tokens.last_mut() {
            Some(last) if is_letter(characters[at]) && is_letter(characters[at - 1]) => last.end = at + 1,
            _ => tokens.push(at..at + 1),
        }
    }
    tokens
}

/// FNV-1a, written out because the weights depend on it: no other hash may ever take its place.
struct Hash(u32);

impl Hash {
    fn new() -> Self {
        Self(0x811c_9dc5)
    }

    fn add(&mut self, character: char) {
        self.0 = (self.0 ^ u32::from(character)).wrapping_mul(0x0100_0193);
    }

    /// The upper bits depend on every character, the lower ones do not.
    fn bucket(&self) -> usize {
        (self.0.wrapping_mul(0x9e37_79b1) >> 20) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::{BUCKETS, Features, for_each_ngram};
    use crate::masked_text::{MaskedText, Sent};

    fn ngrams(text: &str) -> Vec<(bool, String)> {
        let masked = MaskedText::new(text, &Sent::default());
        let mut found = Vec::new();
        for_each_ngram(&masked, |bucket, characters| {
            found.push((bucket < BUCKETS, text[masked.span(&characters)].to_owned()));
        });
        found
    }

    #[test]
    fn letters_stay_within_a_word_and_its_borders() {
        let letters = ngrams("ab c").into_iter().filter(|(is_letters, _)| *is_letters);
        let letters: Vec<String> = letters.map(|(_, text)| text).collect();
        assert_eq!(letters, ["a", "ab", "ab", "ab", "ab", "b", "c", "c", "c"]);
    }

    #[test]
    fn words_are_runs_of_letters_or_single_characters() {
        let words = ngrams("no_x: 参数").into_iter().filter(|(is_letters, _)| !is_letters);
        let words: Vec<String> = words.map(|(_, text)| text).collect();
        let expected = ["no_x", "no_x:", "no_x: 参", ":", ": 参", ": 参数", "参", "参数", "数"];
        assert_eq!(words, expected);
    }

    #[test]
    fn the_hash_is_the_one_that_the_weights_were_trained_with() {
        let text = MaskedText::new("a", &Sent::default());
        let buckets: Vec<usize> = Features::of(&text).iter().map(|(bucket, _)| bucket).collect();
        assert_eq!(buckets, [932, 1630, 2670, 5829]);
    }
}
