//! Which of many plain strings a text holds, letters compared without case.
//!
//! The main type is [`Literals`]. Of each string one window of four bytes is kept, and a table of bits tells for each
//! place of a text whether such a window may end there. That is made in a moment, where an automaton for the same strings
//! takes longer than a short run, and it is searched as fast.

/// So many bytes of a string are looked for first.
const WINDOW: usize = 4;
/// The table of windows has two to this many bits.
const BITS: u32 = 17;
/// So many buckets, as a power of two, hold the windows that are to be compared.
const BUCKET_BITS: u32 = 12;

/// Strings to be found.
pub(super) struct Literals {
    /// In lower case.
    strings: Vec<Vec<u8>>,
    /// Where windows of four bytes may end, by their hash.
    windows: Vec<u64>,
    /// Where the windows of each bucket begin in the next list.
    buckets: Vec<usize>,
    /// The windows themselves by their bucket, each with its string and how far behind the string's start it ends.
    long: Vec<(u32, usize, usize)>,
    /// Where the shorter strings may end, by two bytes.
    pairs: Vec<u64>,
    /// The shorter strings, by their last byte.
    short: Vec<(u8, usize)>,
}

impl Literals {
    /// Of these strings; an empty one is never met.
    pub(super) fn new(strings: &[String]) -> Self {
        let strings: Vec<Vec<u8>> =
            strings.iter().map(|string| string.to_ascii_lowercase().into_bytes()).collect();
        let mut windows = vec![0_u64; 1 << (BITS - 6)];
        let mut pairs = vec![0_u64; 1 << 10];
        let (mut long, mut short) = (Vec::new(), Vec::new());
        for (index, string) in strings.iter().enumerate() {
            if let Some((start, window)) = string.windows(WINDOW).enumerate().max_by_key(|(start, window)| {
                let rarity = window.iter().map(|byte| super::required::rarity(*byte)).sum::<usize>();
                (rarity, std::cmp::Reverse(*start))
            }) {
                let window = u32::from_be_bytes([window[0], window[1], window[2], window[3]]);
                set(&mut windows, hash(window));
                long.push((window, index, start + WINDOW));
            } else if let Some(last) = string.last() {
                let before: Vec<u8> = match string.len() {
                    1 => (0..=u8::MAX).collect(),
                    length => vec![string[length - 2]],
                };
                before
                    .iter()
                    .for_each(|first| set(&mut pairs, usize::from(*first) << 8 | usize::from(*last)));
                short.push((*last, index));
            }
        }
        long.sort_unstable_by_key(|(window, ..)| bucket(hash(*window)));
        short.sort_unstable();
        let mut buckets = vec![0; (1 << BUCKET_BITS) + 1];
        long.iter().for_each(|(window, ..)| buckets[bucket(hash(*window)) + 1] += 1);
        (1..buckets.len()).for_each(|at| buckets[at] += buckets[at - 1]);
        Self { strings, windows, buckets, long, pairs, short }
    }

    /// Tells every string that a text holds, each time: its index, and where it ends or, of a longer one, where the
    /// window does that gave it away.
    pub(super) fn each(&self, text: &[u8], mut meet: impl FnMut(usize, usize)) {
        let mut window = 0_u32;
        for (at, byte) in text.iter().enumerate() {
            window = window << 8 | u32::from(byte.to_ascii_lowercase());
            let hash = hash(window);
            if is_set(&self.windows, hash) {
                let bucket = bucket(hash);
                let range = self.buckets[bucket]..self.buckets[bucket + 1];
                for (_, index, end) in self.long[range].iter().filter(|(other, ..)| *other == window) {
                    if let Some(start) = (at + 1).checked_sub(*end)
                        && self.stands(*index, text, start)
                    {
                        meet(*index, at + 1);
                    }
                }
            }
            if is_set(&self.pairs, (window & 0xffff) as usize) {
                let last = byte.to_ascii_lowercase();
                let from = self.short.partition_point(|(other, _)| *other < last);
                for (_, index) in self.short[from..].iter().take_while(|(other, _)| *other == last) {
                    if let Some(start) = (at + 1).checked_sub(self.strings[*index].len())
                        && self.stands(*index, text, start)
                    {
                        meet(*index, at + 1);
                    }
                }
            }
        }
    }

    fn stands(&self, index: usize, text: &[u8], start: usize) -> bool {
        let string = &self.strings[index];
        text.get(start..start + string.len()).is_some_and(|part| part.eq_ignore_ascii_case(string))
    }
}

/// The upper bits of a product: every byte of the window has a say in them.
fn hash(window: u32) -> usize {
    (window.wrapping_mul(0x9e37_79b1) >> (u32::BITS - BITS)) as usize
}

fn bucket(hash: usize) -> usize {
    hash >> (BITS - BUCKET_BITS)
}

fn set(bits: &mut [u64], at: usize) {
    bits[at >> 6] |= 1 << (at & 63);
}

fn is_set(bits: &[u64], at: usize) -> bool {
    bits[at >> 6] >> (at & 63) & 1 == 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn met(strings: &[&str], text: &str) -> Vec<usize> {
        let strings: Vec<String> = strings.iter().map(|string| (*string).to_owned()).collect();
        let mut met = Vec::new();
        Literals::new(&strings).each(text.as_bytes(), |index, _| met.push(index));
        met.sort_unstable();
        met.dedup();
        met
    }

    #[test]
    fn a_string_is_met_at_both_ends_of_a_text_and_whatever_its_case() {
        assert_eq!(met(&["enoent", "at line", "{", "=>"], "ENOENT at Line"), [0, 1]);
        assert_eq!(met(&["enoent", "at line", "{", "=>"], "{ =>"), [2, 3]);
        assert_eq!(met(&["abcd", "bcd", "d", ""], "abcd"), [0, 1, 2]);
        assert_eq!(met(&["abcd"], "abc"), [0_usize; 0]);
    }

    proptest! {
        #[test]
        fn what_is_met_is_what_a_plain_search_finds(
            strings in proptest::collection::vec("[a-c :{]{1,6}", 1..12),
            text in "[a-cA-C :{\u{e4}]{0,40}",
        ) {
            let lower = text.to_ascii_lowercase();
            let plain: Vec<usize> =
                (0..strings.len()).filter(|index| lower.contains(&strings[*index])).collect();
            let words: Vec<&str> = strings.iter().map(String::as_str).collect();
            prop_assert_eq!(met(&words, &text), plain);
        }
    }
}
