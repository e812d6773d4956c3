//! A plain string to look for in a text.
//!
//! The main type is [`Needle`]. Each letter matches one case or both, and the byte before the string may be
//! restricted to a set.

/// A string of ASCII.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Needle {
    bytes: Bytes,
    before: Option<ByteSet>,
}

/// A letter that matches both cases is stored in lower case with this bit, which is unused in ASCII.
pub(super) const EITHER_CASE: u8 = 0x80;

/// The bytes of a string, in place unless there are many: while a search is prepared, needles are made and dropped by the
/// ten thousand.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Bytes {
    /// The first of these bytes; the others are zero.
    Few([u8; FEW], u8),
    Many(Vec<u8>),
}

/// The most bytes that are stored in place.
const FEW: usize = 30;

impl Bytes {
    fn new(head: &[u8], tail: &[u8]) -> Self {
        let length = head.len() + tail.len();
        if length > FEW {
            return Self::Many([head, tail].concat());
        }
        let mut bytes = [0; FEW];
        bytes[..head.len()].copy_from_slice(head);
        bytes[head.len()..length].copy_from_slice(tail);
        Self::Few(bytes, length as u8)
    }

    fn as_slice(&self) -> &[u8] {
        match self {
            Self::Few(bytes, length) => &bytes[..usize::from(*length)],
            Self::Many(bytes) => bytes,
        }
    }
}

impl Default for Bytes {
    fn default() -> Self {
        Self::Few([0; FEW], 0)
    }
}

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct ByteSet([u64; 4]);

impl Needle {
    /// A needle of exactly these bytes; `None` if they are not ASCII.
    pub(super) fn exact(bytes: &[u8]) -> Option<Self> {
        bytes.is_ascii().then(|| Self { bytes: Bytes::new(bytes, &[]), before: None })
    }

    /// A needle of one letter in either case.
    pub(super) fn either_case(letter: u8) -> Self {
        Self { bytes: Bytes::new(&[letter.to_ascii_lowercase() | EITHER_CASE], &[]), before: None }
    }

    /// An empty needle that must follow one of these bytes.
    pub(super) fn behind(bytes: &[u8]) -> Self {
        let mut set = [0; 4];
        bytes.iter().for_each(|byte| set[usize::from(byte >> 6)] |= 1 << (byte & 63));
        Self { bytes: Bytes::default(), before: Some(ByteSet(set)) }
    }

    /// This needle followed by `tail`, which must not restrict the byte before it.
    pub(super) fn and(&self, tail: &Self) -> Self {
        Self { bytes: Bytes::new(self.bytes(), tail.bytes()), before: self.before }
    }

    /// The bytes; a letter in either case is in lower case with [`EITHER_CASE`].
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    /// The end of the needle, if it occurs at this position of a text.
    pub(super) fn end(&self, text: &[u8], start: usize) -> Option<usize> {
        let end = start + self.bytes().len();
        let fits = |(own, byte): (&u8, &u8)| match own & EITHER_CASE {
            0 => own == byte,
            _ => own & !EITHER_CASE == byte.to_ascii_lowercase(),
        };
        let stands = self.bytes().iter().zip(text.get(start..end)?).all(fits);
        let follows = self.before.is_none_or(|set| start > 0 && set.holds(text[start - 1]));
        (stands && follows).then_some(end)
    }
}

impl ByteSet {
    fn holds(self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_needle_ends_where_its_letters_stand_in_their_cases_behind_what_must_precede_it() {
        let word = |text: &str| Needle::exact(text.as_bytes()).expect("it is ASCII");
        let ok = Needle::behind(b".").and(&word("O")).and(&Needle::either_case(b'K')).and(&word("("));
        for (text, end) in [
            (".OK(", Some(4)),
            (".Ok(x", Some(4)),
            (".ok(", None),
            (":OK(", None),
            (".OK", None),
            (".OK)", None),
            (".O\u{b}(", None),
        ] {
            assert_eq!(ok.end(text.as_bytes(), 1), end, "{text}");
        }
        assert_eq!(ok.end(b"OK(", 0), None, "nothing stands before it");
        assert_eq!(word("OK(").end(b"OK(", 0), Some(3));
        assert_eq!(Needle::exact("\u{e4}".as_bytes()), None);
    }
}
