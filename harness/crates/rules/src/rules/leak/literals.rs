//! Finds which of many plain strings occur in a text.
//!
//! The main type is [`Literals`]. Of each string one window of four bytes is kept, of a short string two bytes,
//! and bit tables tell for each position in a text whether such a window may begin there. The tables are built
//! in a moment, while building an automaton for the same strings takes longer than a short run, and searching
//! them is faster.

use super::needle::{EITHER_CASE, Needle};
use super::rarity::rarest;

/// The size of a window, in bytes.
const WINDOW: usize = 4;
/// The size of a window for a shorter string, in bytes.
const PAIR: usize = 2;
/// The base-two logarithm of the number of 64-bit words in the table of windows.
const WORD_BITS: u32 = 12;
/// The number of words in the table of pairs, which has a bit for each pair.
const PAIR_WORDS: usize = 1 << 10;

/// A set of strings to find.
pub(super) struct Literals {
    strings: Vec<Needle>,
    /// Which windows may occur: the first three bytes select the word, the last one the bit.
    windows: Box<[u64; 1 << WORD_BITS]>,
    /// Which pairs may occur.
    pairs: Box<[u64; PAIR_WORDS]>,
    /// The start of each word's entries in `long`.
    words: Vec<usize>,
    /// The strings with a window, sorted by its word: the window, the string's index, and the window's offset
    /// in the string.
    long: Vec<(u32, usize, usize)>,
    /// The shorter strings, sorted by their pair: the pair, the string's index, and the pair's offset in the
    /// string.
    short: Vec<(u32, usize, usize)>,
}

impl Literals {
    /// The set of these strings; an empty string is never found.
    pub(super) fn new(strings: Vec<Needle>) -> Self {
        let (mut long, mut short) = (Vec::new(), Vec::new());
        for (index, string) in strings.iter().enumerate() {
            let bytes = string.bytes();
            match bytes.len() {
                0 => {}
                1 => (0..=u8::MAX).for_each(|next| {
                    short.extend(spellings(bytes).map(|first| (first | u32::from(next) << 8, index, 0)));
                }),
                length if length < WINDOW => {
                    let (start, pair) = rarest(bytes, PAIR);
                    short.extend(spellings(pair).map(|pair| (pair, index, start)));
                }
                _ => {
                    let (start, window) = rarest(bytes, WINDOW);
                    long.extend(spellings(window).map(|window| (window, index, start)));
                }
            }
        }
        long.sort_unstable_by_key(|(window, index, _)| (word(*window), *window, *index));
        short.sort_unstable();
        let mut windows = Box::new([0; 1 << WORD_BITS]);
        let mut pairs = Box::new([0; PAIR_WORDS]);
        let mut words = vec![0; (1 << WORD_BITS) + 1];
        for (window, ..) in &long {
            windows[word(*window)] |= 1 << bit(*window);
            words[word(*window) + 1] += 1;
        }
        (1..words.len()).for_each(|at| words[at] += words[at - 1]);
        short.iter().for_each(|(pair, ..)| pairs[*pair as usize >> 6] |= 1 << (pair & 63));
        Self { strings, windows, pairs, words, long, short }
    }

    /// Calls `meet` for every occurrence of a string, with its index and end.
    pub(super) fn each(&self, text: &[u8], mut meet: impl FnMut(usize, usize)) {
        for (at, window) in text.windows(WINDOW).enumerate() {
            let window = u32::from_le_bytes([window[0], window[1], window[2], window[3]]);
            if self.may_begin(window) {
                self.compare(text, at, window, &mut meet);
            }
        }
        // The windows of the last bytes are padded; the padding matches no string.
        for at in text.len().saturating_sub(WINDOW - 1)..text.len() {
            let byte = |offset: usize| text.get(at + offset).copied().unwrap_or_default();
            let window = u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)]);
            if self.may_begin(window) {
                self.compare(text, at, window, &mut meet);
            }
        }
    }

    fn may_begin(&self, window: u32) -> bool {
        // Both tables are combined, because the processor predicts the combined result better than each one.
        let in_windows = self.windows[word(window)] >> bit(window);
        (in_windows | self.in_pairs(window)) & 1 == 1
    }

    /// The lowest bit tells whether a string may begin with the window's first two bytes.
    fn in_pairs(&self, window: u32) -> u64 {
        let pair = pair(window);
        self.pairs[pair as usize >> 6] >> (pair & 63)
    }

    #[inline(never)]
    fn compare(&self, text: &[u8], at: usize, window: u32, meet: &mut impl FnMut(usize, usize)) {
        let mut met = |index: usize, offset: usize| {
            let start = at.checked_sub(offset);
            if let Some(end) = start.and_then(|start| self.strings[index].end(text, start)) {
                meet(index, end);
            }
        };
        let word = word(window);
        let of_word = &self.long[self.words[word]..self.words[word + 1]];
        let same = of_word.iter().filter(|(other, ..)| *other == window);
        same.for_each(|(_, index, offset)| met(*index, *offset));
        if self.in_pairs(window) & 1 == 1 {
            let pair = pair(window);
            let from = self.short.partition_point(|(other, ..)| *other < pair);
            let same = self.short[from..].iter().take_while(|(other, ..)| *other == pair);
            same.for_each(|(_, index, offset)| met(*index, *offset));
        }
    }
}

/// Every spelling of these bytes of a string in upper and lower case, the first byte lowest.
fn spellings(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let either: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] & EITHER_CASE != 0).collect();
    (0..1_usize << either.len()).map(move |capitals| {
        let mut window = [0; WINDOW];
        for (place, byte) in window.iter_mut().zip(bytes) {
            *place = byte & !EITHER_CASE;
        }
        let is_capital = |number: usize| capitals >> number & 1 == 1;
        let chosen = either.iter().enumerate().filter(|(number, _)| is_capital(*number));
        chosen.for_each(|(_, at)| window[*at].make_ascii_uppercase());
        u32::from_le_bytes(window)
    })
}

fn pair(window: u32) -> u32 {
    window & 0xffff
}

/// The upper bits of a product that depends on each of the first three bytes.
fn word(window: u32) -> usize {
    ((window << 8).wrapping_mul(0x9e37_79b1) >> (u32::BITS - WORD_BITS)) as usize
}

/// These bits of the last byte distinguish letters, digits and signs.
fn bit(window: u32) -> u32 {
    (window >> 24 & 0x1f) | (window >> 25 & 0x20)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A needle in which capitals stand for letters in either case.
    fn needle(string: &str) -> Needle {
        string.bytes().fold(Needle::default(), |needle, byte| match byte {
            b'A'..=b'Z' => needle.and(&Needle::either_case(byte)),
            _ => needle.and(&Needle::exact(&[byte]).expect("it is ASCII")),
        })
    }

    fn met(strings: &[&str], text: &str) -> Vec<(usize, usize)> {
        let mut met = Vec::new();
        let literals = Literals::new(strings.iter().map(|string| needle(string)).collect());
        literals.each(text.as_bytes(), |index, end| met.push((index, end)));
        met.sort_unstable();
        met
    }

    #[test]
    fn a_string_is_met_at_both_ends_of_a_text_and_once_each_time() {
        assert_eq!(met(&["ENOENT", "AT LINE", "{", "=>"], "enoent At Line"), [(0, 6), (1, 14)]);
        assert_eq!(met(&["ENOENT", "AT LINE", "{", "=>"], "{ =>{"), [(2, 1), (2, 5), (3, 4)]);
        assert_eq!(met(&["abcd", "bcd", "d", ""], "abcd"), [(0, 4), (1, 4), (2, 4)]);
        assert_eq!(met(&["abcd", "ab"], "abc"), [(1, 2)]);
        assert_eq!(met(&["ok(", "Ok("], "Ok( ok("), [(0, 7), (1, 3), (1, 7)]);
        assert_eq!(met(&[""], "a\0\0"), []);
    }

    proptest! {
        #[test]
        fn what_is_met_is_what_a_plain_search_finds(
            strings in proptest::collection::vec("[a-cA-C :{]{1,6}", 1..12),
            text in "[a-cA-C :{\u{e4}]{0,40}",
        ) {
            let mut plain = Vec::new();
            for (index, string) in strings.iter().enumerate() {
                let own = needle(string);
                let ends = (0..text.len()).filter_map(|start| own.end(text.as_bytes(), start));
                plain.extend(ends.map(|end| (index, end)));
            }
            let words: Vec<&str> = strings.iter().map(String::as_str).collect();
            prop_assert_eq!(met(&words, &text), plain);
        }
    }
}
