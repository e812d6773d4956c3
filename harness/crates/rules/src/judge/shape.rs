//! A cheap fingerprint of a reply: replies of the same shape get the same verdict, so that the rules need to
//! judge only one of them.
//!
//! The main type is [`Shape`]. The shape is computed from the reply's bytes without its id, and with a mark in
//! place of each value that was sent: whether a text is the caller's or the server's is part of the shape.

use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use memchr::{memchr_iter, memchr2, memmem};
use serde_json::Value;

/// A shorter text is only recognised in quotation marks, because it would occur everywhere.
const SHORTEST: usize = 3;
/// At most this many values of one call are searched.
const MOST_VALUES: usize = 32;
/// Only the beginning of a longer value is searched, because servers truncate long texts.
const BEGINNING: usize = 48;
/// For a text of at least this many bytes, its length is searched as a number too.
const COUNTED: usize = 100;
/// At most this many bytes of a call are read.
const MOST_BYTES: usize = 256 * 1024;
/// A shorter reply is searched without building tables first.
const SHORT: usize = 1_024;
/// At most this many bytes of a reply are compared; for a longer one its length is compared too.
const COMPARED: usize = 64 * 1024;

/// The shape of a reply, as a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape(u64);

/// The values of a call in the forms in which they may occur in a line of JSON.
#[derive(Debug, Clone, Default)]
pub struct Sent {
    /// The arguments as JSON, followed by the lengths of their texts.
    printed: String,
    /// The lists and objects among them, escaped as in a JSON string.
    quoted: String,
    /// The values, the longest first, because of two that overlap the longer one counts.
    values: Vec<Found>,
}

/// A value to search for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Found {
    /// The characters of a text, as a range of `printed`.
    Text(Range<usize>),
    /// A list or an object, as a range of `quoted`.
    Nested(Range<usize>),
    /// A number, or the length of a text, as a range of `printed`.
    Number(Range<usize>),
}

impl Sent {
    /// The values of these arguments.
    pub fn new(arguments: &Value) -> Self {
        Self::of_printed(arguments.to_string())
    }

    /// The values of arguments given as JSON text, which is parsed only if it has unusual escapes.
    pub fn of_text(arguments: &str) -> Self {
        let escapes = |letter: &[u8]| memmem::find(arguments.as_bytes(), letter).is_some();
        let is_usual = !escapes(b"\\u") && !escapes(b"\\/");
        let read = || serde_json::from_str::<Value>(arguments).ok();
        match if is_usual { None } else { read() } {
            Some(value) => Self::new(&value),
            None => Self::of_printed(arguments.to_owned()),
        }
    }

    fn of_printed(printed: String) -> Self {
        let end = printed.len();
        let mut sent = Self { printed, quoted: String::new(), values: Vec::new() };
        let begin = usize::from(sent.printed.starts_with('{'));
        // The positions of the enclosing lists and objects, except the arguments object itself.
        let mut around: Vec<usize> = Vec::new();
        let mut at = begin;
        while at < end && sent.values.len() < MOST_VALUES && at <= MOST_BYTES {
            let first = sent.printed.as_bytes()[at];
            let token = at..token_end(&sent.printed.as_bytes()[..end], at);
            at = token.end;
            if matches!(first, b'[' | b'{') {
                around.push(sent.quoted.len());
            }
            if !around.is_empty() && !first.is_ascii_whitespace() {
                sent.quote(token.clone());
            }
            match first {
                b'"' if !is_key(&sent.printed.as_bytes()[at..end]) => sent.found_text(token),
                b'-' | b'0'..=b'9' => sent.values.push(Found::Number(token)),
                b']' | b'}' => {
                    let begin = around.pop();
                    sent.values.extend(begin.map(|begin| Found::Nested(begin..sent.quoted.len())));
                }
                _ => {}
            }
        }
        let Self { printed, quoted, values } = &mut sent;
        values.extend(around.into_iter().map(|begin| Found::Nested(begin..quoted.len())));
        values.sort_by_key(|value| std::cmp::Reverse(value.text(printed, quoted).len()));
        values.dedup_by(|one, other| one.text(printed, quoted) == other.text(printed, quoted));
        sent
    }

    /// Adds a text given with its quotation marks, and its length.
    fn found_text(&mut self, token: Range<usize>) {
        let letters = token.start + 1..token.end - 1;
        if letters.is_empty() || !self.printed[token].ends_with('"') {
            return;
        }
        self.values.push(Found::Text(letters.clone()));
        if letters.len() >= COUNTED {
            let (bytes, count) = lengths(&self.printed[letters]);
            for length in [bytes, count].into_iter().filter(|_| bytes >= COUNTED) {
                let begin = self.printed.len();
                let _ = write!(self.printed, "{length}");
                self.values.push(Found::Number(begin..self.printed.len()));
            }
        }
    }

    /// Adds a list or an object in escaped form.
    fn quote(&mut self, token: Range<usize>) {
        for part in self.printed[token].split_inclusive(['"', '\\']) {
            match part.strip_suffix(['"', '\\']) {
                Some(before) => {
                    self.quoted.push_str(before);
                    self.quoted.push('\\');
                    self.quoted.push_str(&part[before.len()..]);
                }
                None => self.quoted.push_str(part),
            }
        }
    }
}

/// The end of the JSON token that begins at this position.
fn token_end(text: &[u8], at: usize) -> usize {
    let rest = &text[at..];
    match rest[0] {
        b'"' => {
            let mut from = 1;
            while let Some(found) = rest.get(from..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
                from += found + 1;
                if rest[from - 1] == b'"' {
                    return at + from;
                }
                from += 1;
            }
            text.len()
        }
        b'-' | b'0'..=b'9' | b'a'..=b'z' => {
            let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
            at + rest.iter().take_while(|byte| goes_on(byte)).count()
        }
        // Only ASCII can stand between JSON tokens.
        _ => at + 1 + rest[1..].iter().take_while(|byte| **byte & 0xc0 == 0x80).count(),
    }
}

/// Whether the text before this was a key.
fn is_key(after: &[u8]) -> bool {
    after.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

/// The number of bytes and of characters of a text in JSON notation.
fn lengths(written: &str) -> (usize, usize) {
    let (mut bytes, mut letters) = (0, 0);
    let mut rest = written.chars();
    while let Some(letter) = rest.next() {
        letters += 1;
        bytes += letter.len_utf8();
        // Other escapes stand for a single ASCII character.
        if letter == '\\' && rest.next() == Some('u') {
            rest.nth(3);
        }
    }
    (bytes, letters)
}

impl Found {
    fn text<'t>(&'t self, printed: &'t str, quoted: &'t str) -> &'t str {
        match self {
            Self::Text(range) | Self::Number(range) => &printed[range.clone()],
            Self::Nested(range) => &quoted[range.clone()],
        }
    }

    /// The mark that replaces the value. It includes a number's size class, because hints state bounds.
    fn mark(&self, text: &str) -> [u8; 2] {
        match self {
            Self::Text(_) => [0xff, 0],
            Self::Nested(_) => [0xff, 1],
            Self::Number(_) => {
                let digits = text.bytes().filter(u8::is_ascii_digit).count().min(3) as u8;
                let sign = u8::from(text.starts_with('-'));
                [0xfe, 8 * sign + digits]
            }
        }
    }

    /// Whether the value stands alone here, if it is a value that must.
    fn stands_alone(&self, value: &str, before: &str, after: &str) -> bool {
        let (before, after) = (before.as_bytes(), after.as_bytes());
        match self {
            Self::Text(_) if value.len() < SHORTEST => {
                before.last().is_some_and(|byte| b"'\"`".contains(byte))
                    && after.first().is_some_and(|byte| b"'\"`\\".contains(byte))
            }
            Self::Text(_) | Self::Nested(_) => value.len() >= SHORTEST,
            Self::Number(_) => {
                // A long number does not occur by chance, but a short one may be part of words and names.
                let is_long = value.len() >= SHORTEST;
                let joins = |byte: &u8| match byte {
                    b'0'..=b'9' | b'.' => true,
                    b'a'..=b'z' | b'A'..=b'Z' | b'_' => !is_long,
                    _ => false,
                };
                let goes_on = match after {
                    [] | [b'.'] => false,
                    [b'.', next, ..] => next.is_ascii_digit(),
                    [next, ..] => joins(next),
                };
                !goes_on && !before.last().is_some_and(joins)
            }
        }
    }
}

impl Shape {
    /// Whether every byte of a reply of this length is compared.
    pub fn sees_all(length: usize) -> bool {
        length <= COMPARED
    }

    /// The shape of a reply with this id to a call with these values. `circumstances` is what else the verdict
    /// depends on: the tool, and the purpose of the call.
    pub fn new(line: &[u8], length: usize, id: i64, sent: &Sent, circumstances: &impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        circumstances.hash(&mut hasher);
        length_class(length).hash(&mut hasher);
        let compared = &line[..line.len().min(COMPARED)];
        match std::str::from_utf8(compared) {
            Ok(text) => hash_text(text, id, sent, &mut hasher),
            Err(_) => compared.hash(&mut hasher),
        }
        Self(hasher.finish())
    }
}

/// The length class, for replies that are not compared completely.
fn length_class(length: usize) -> usize {
    if length > COMPARED { length.ilog2() as usize } else { 0 }
}

fn hash_text(text: &str, id: i64, sent: &Sent, hasher: &mut DefaultHasher) {
    let (before, after) = without_id(text, id);
    for piece in pieces(vec![Piece::Words(before), Piece::Mark(ID), Piece::Words(after)], sent) {
        match piece {
            Piece::Words(words) => hasher.write(words.as_bytes()),
            Piece::Mark(mark) => hasher.write(&mark),
        }
    }
}

/// The text before and after the id.
fn without_id(text: &str, id: i64) -> (&str, &str) {
    let member = format!("\"id\":{id}");
    let found = memmem::find(text.as_bytes(), member.as_bytes());
    let found = found.or_else(|| text.rfind(&format!("\"id\": {id}")));
    match found {
        Some(at) => (&text[..at], &text[(at + member.len()).min(text.len())..]),
        None => (text, ""),
    }
}

/// The mark that replaces the id.
const ID: [u8; 2] = [0xfd, 0];

/// A part of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'t> {
    /// The server's own words.
    Words(&'t str),
    /// The mark of a value that was sent.
    Mark([u8; 2]),
}

impl Piece<'_> {
    fn length(&self) -> usize {
        match self {
            Self::Words(words) => words.len(),
            Self::Mark(_) => 0,
        }
    }
}

/// Searches words for one value.
enum Seeker<'s> {
    /// Finds the first byte and compares the rest.
    Letters(&'s [u8]),
    Ready(Box<memmem::Finder<'s>>),
}

impl<'s> Seeker<'s> {
    /// A seeker. For short words no table is built, because that would take longer than the search.
    fn new(sought: &'s [u8], is_short: bool) -> Self {
        match is_short {
            true => Self::Letters(sought),
            false => Self::Ready(Box::new(memmem::Finder::new(sought))),
        }
    }

    fn find(&self, words: &[u8]) -> Option<usize> {
        match self {
            Self::Ready(finder) => finder.find(words),
            Self::Letters(sought) => {
                let (first, others) = sought.split_first()?;
                memchr_iter(*first, words).find(|at| words[at + 1..].starts_with(others))
            }
        }
    }
}

fn pieces<'t>(mut pieces: Vec<Piece<'t>>, sent: &Sent) -> Vec<Piece<'t>> {
    let is_short = pieces.iter().map(Piece::length).sum::<usize>() <= SHORT;
    let mut parted = Vec::with_capacity(2 * pieces.len());
    for value in &sent.values {
        let sought = value.text(&sent.printed, &sent.quoted);
        let seeker = Seeker::new(beginning(sought).as_bytes(), is_short);
        for piece in pieces.drain(..) {
            match piece {
                Piece::Words(words) => part(words, value, sought, &seeker, &mut parted),
                Piece::Mark(_) => parted.push(piece),
            }
        }
        std::mem::swap(&mut pieces, &mut parted);
    }
    pieces
}

/// Splits words at each occurrence of a value, or of the beginning of a long one.
fn part<'t>(words: &'t str, value: &Found, sought: &str, seeker: &Seeker<'_>, parted: &mut Vec<Piece<'t>>) {
    let (mut begin, mut from) = (0, 0);
    while let Some(found) = seeker.find(&words.as_bytes()[from..]) {
        let at = from + found;
        let common =
            words[at..].bytes().zip(sought.bytes()).take_while(|(left, right)| left == right).count();
        let end = words.floor_char_boundary(at + common);
        if value.stands_alone(sought, &words[begin..at], &words[end..]) {
            let is_cut = u8::from(common < sought.len());
            let [kind, more] = value.mark(sought);
            parted.extend([Piece::Words(&words[begin..at]), Piece::Mark([kind, more + 64 * is_cut])]);
            (begin, from) = (end, end);
        } else {
            from = words.ceil_char_boundary(at + 1);
        }
    }
    parted.push(Piece::Words(&words[begin..]));
}

/// The part of a value that is searched.
fn beginning(value: &str) -> &str {
    &value[..value.floor_char_boundary(BEGINNING)]
}

#[cfg(test)]
mod tests;
