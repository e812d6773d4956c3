//! Bytes read as choices.
//!
//! The main type is [`Bytes`]. A choice takes one or a few bytes from the front, so that changing one byte
//! leaves the other choices as they are; when the bytes are used up, each choice is the first option.

/// The remaining bytes of an input.
#[derive(Debug)]
pub(crate) struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    /// All of it.
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// Whether no bytes are left.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => 0,
        }
    }

    /// A number below `end`, which must not be 0; uses one byte.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    /// One of the items.
    pub(crate) fn one<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        match items {
            [] => None,
            items => items.get(self.below(items.len())),
        }
    }

    /// Any integer; uses eight bytes.
    pub(crate) fn number(&mut self) -> i64 {
        i64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// A text: a length, then that many bytes, read as lossy UTF-8.
    pub(crate) fn text(&mut self) -> String {
        let length = usize::from(self.byte()).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }
}
