//! How rare bytes and plain strings are in messages, prose, listings and code.
//!
//! The main function is [`worth`]. All figures are rough base-two logarithms: they only choose which strings
//! are searched, and do not change what is found.

use super::needle::{EITHER_CASE, Needle};

/// How useful it is to search for these strings: how rarely one of them occurs by chance, minus the cost. Zero
/// if one of them is so common that every text contains it.
pub(super) fn worth(needles: &[Needle]) -> f64 {
    const COMMON: u32 = 5;
    /// Strings rarer than this occur in no clean text, so that more rarity helps little.
    const RARE: f64 = 15.0;
    const HELPS: f64 = 0.25;
    const COST: f64 = 0.01;
    let rarity = |needle: &Needle| needle.bytes().iter().map(|byte| rarity(*byte)).sum::<u32>();
    if needles.iter().map(rarity).min().unwrap_or_default() < COMMON {
        return 0.0;
    }
    let mut sorted: Vec<&[u8]> = needles.iter().map(Needle::bytes).collect();
    sorted.sort_unstable();
    let seldom = -chance(&sorted, 0).log2();
    let counted = seldom.min(RARE) + HELPS * (seldom - RARE).max(0.0);
    (counted - COST * needles.len() as f64).max(f64::MIN_POSITIVE)
}

/// The probability that one of these sorted strings follows, from the byte at `depth` on; common beginnings count once.
fn chance(strings: &[&[u8]], depth: usize) -> f64 {
    let (mut together, mut all) = (0.0, 0.0);
    for group in strings.chunk_by(|left, right| left.get(depth) == right.get(depth)) {
        let tail = &group[0][depth..];
        if tail.is_empty() {
            return 1.0;
        }
        let first = alone(&tail[..1]);
        let (first, whole) = match group {
            [_] => (first, alone(tail)),
            _ => (first, first * chance(group, depth + 1)),
        };
        all += first;
        together += whole;
    }
    together / f64::max(all, 1.0)
}

/// The probability of one string.
fn alone(string: &[u8]) -> f64 {
    // A letter can be predicted from those before it, a digit cannot.
    let bits = |byte: &u8| rarity(*byte) + if byte.is_ascii_digit() { 2 } else { 0 };
    0.5_f64.powi(string.iter().map(bits).sum::<u32>() as i32)
}

/// Whether one of these bytes occurs in almost every text.
pub(super) fn is_everywhere(bytes: &[u8]) -> bool {
    bytes.iter().map(|byte| alone(&[*byte])).sum::<f64>() >= 1.0
}

/// How rare a byte is within meaningful text.
fn rarity(byte: u8) -> u32 {
    match byte & !EITHER_CASE {
        b' ' | b'.' | b',' | b':' | b'-' | b'/' => 1,
        b'q' | b'x' | b'z' => 3,
        b'a'..=b'z' | b'0'..=b'9' | b'_' => 2,
        b'\'' | b'"' | b'`' | b'\n' | b'\t' => 3,
        b'(' | b')' => 4,
        _ => 6,
    }
}

/// The rarest part of this size with its offset; a shorter string is returned whole.
pub(super) fn rarest(string: &[u8], size: usize) -> (usize, &[u8]) {
    let parts = string.windows(size).enumerate();
    let rarity = |part: &[u8]| part.iter().map(|byte| frequency(*byte)).sum::<u32>();
    parts.max_by_key(|(start, part)| (rarity(part), std::cmp::Reverse(*start))).unwrap_or((0, string))
}

/// The frequency of a byte among all bytes, ten times as fine.
fn frequency(byte: u8) -> u32 {
    /// The frequencies of letters in English words.
    const LETTERS: [u32; 26] = [
        36, 60, 52, 46, 30, 55, 56, 40, 38, 90, 70, 46, 54, 39, 37, 57, 99, 41, 40, 35, 52, 67, 54, 90, 57,
        99,
    ];
    match byte {
        EITHER_CASE.. => frequency(byte & !EITHER_CASE).saturating_sub(10),
        b'a'..=b'z' => LETTERS[usize::from(byte - b'a')],
        b' ' => 26,
        b'0'..=b'9' | b'.' | b',' | b'/' | b'-' | b'_' => 60,
        _ => 80,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth_of(strings: &[&str]) -> f64 {
        let needles = strings.iter().map(|string| Needle::exact(string.as_bytes()));
        worth(&needles.collect::<Option<Vec<_>>>().expect("they are ASCII"))
    }

    #[test]
    fn what_is_rarer_is_worth_more_and_what_is_common_nothing() {
        assert!(worth_of(&["{"]) > worth_of(&["line "]) - 5.0);
        assert!(worth_of(&["file {}", "path {}"]) > worth_of(&["file ", "path "]));
        assert!(worth_of(&["=> {"]) > worth_of(&["=>"]));
        assert_eq!(worth_of(&["no such file", ": "]), 0.0);
    }

    #[test]
    fn of_many_strings_that_say_no_more_than_few_the_few_are_worth_more() {
        let letters: Vec<String> = ('a'..='z').map(|letter| format!("{{{letter}")).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        assert!(worth_of(&["{"]) > worth_of(&letters));
        let capitals: Vec<String> = ('A'..='Z').map(|letter| format!("{{{letter}")).collect();
        let capitals: Vec<&str> = capitals.iter().map(String::as_str).collect();
        assert!(worth_of(&["{"]) < worth_of(&capitals));
        assert!(is_everywhere(b"abcdefgh") && !is_everywhere(b"012'\""));
    }

    #[test]
    fn the_rarest_part_of_a_string_is_the_first_of_its_kind() {
        assert_eq!(rarest(b"the file (x)", 2), (9, &b"(x"[..]));
        assert_eq!(rarest(b"((((((", 4), (0, &b"(((("[..]));
        assert_eq!(rarest(b"ab", 4), (0, &b"ab"[..]));
    }
}
