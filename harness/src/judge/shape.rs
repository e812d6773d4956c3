//! What a reply looks like, cheaply: two replies of one shape are judged alike, so that the rules need to see one of them.
//!
//! The main type is [`Shape`]. The bytes of the reply are compared but for its id, and but for the values that were
//! sent, in whose places marks stand: whether a text is the caller's own word or the server's is part of the shape.

use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use memchr::{memchr_iter, memchr2, memmem};
use serde_json::Value;

/// A shorter text counts only between quotation marks: it would be found everywhere.
const SHORTEST: usize = 3;
/// At most this many values of one call are looked for.
const MOST_VALUES: usize = 32;
/// Of a longer value the beginning will do: servers cut what is long.
const BEGINNING: usize = 48;
/// Of a text of this many bytes its length is looked for, too.
const COUNTED: usize = 100;
/// At most this many bytes of a call are looked through.
const MOST_BYTES: usize = 256 * 1024;
/// A reply of this many bytes is looked through without preparations.
const SHORT: usize = 1_024;
/// At most this many bytes of a reply are compared; a longer one has its length compared too.
const COMPARED: usize = 64 * 1024;

/// What a reply looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Shape(u64);

/// The values of a call, as they stand in a line of JSON.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sent {
    /// The arguments as JSON, and after them how long their texts are.
    printed: String,
    /// The lists and objects among them, as they stand in a text within JSON.
    quoted: String,
    /// The longest ones first: of two that overlap it is the caller's word.
    values: Vec<Found>,
}

/// One value.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Found {
    /// The letters of a text, in `printed`.
    Text(Range<usize>),
    /// A list or an object, in `quoted`.
    Nested(Range<usize>),
    /// A number, or how long a text is, in `printed`.
    Number(Range<usize>),
}

impl Sent {
    /// The values of these arguments.
    pub(crate) fn new(arguments: &Value) -> Self {
        Self::of_printed(arguments.to_string())
    }

    /// The values of arguments given as JSON text, which is parsed only if it has unusual escapes.
    pub(crate) fn of_text(arguments: &str) -> Self {
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
        // Where the lists and objects begin that stand around, the arguments themselves left out.
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

    /// A text with its quotation marks, and how long it is.
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

    /// Quotes what stands within a list or an object.
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

/// Where the token ends that begins here in a text of JSON.
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
        // Between tokens nothing but ASCII stands, if it is JSON.
        _ => at + 1 + rest[1..].iter().take_while(|byte| **byte & 0xc0 == 0x80).count(),
    }
}

/// Whether what stood before this was a key.
fn is_key(after: &[u8]) -> bool {
    after.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

/// How many bytes and letters a text has that is written as JSON writes it.
fn lengths(written: &str) -> (usize, usize) {
    let (mut bytes, mut letters) = (0, 0);
    let mut rest = written.chars();
    while let Some(letter) = rest.next() {
        letters += 1;
        bytes += letter.len_utf8();
        // What is escaped is one letter of ASCII.
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

    /// What stands in its place. A number's size is seen: hints name bounds.
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

    /// Whether it stands by itself here, where that is asked of it.
    fn stands_alone(&self, value: &str, before: &str, after: &str) -> bool {
        let (before, after) = (before.as_bytes(), after.as_bytes());
        match self {
            Self::Text(_) if value.len() < SHORTEST => {
                before.last().is_some_and(|byte| b"'\"`".contains(byte))
                    && after.first().is_some_and(|byte| b"'\"`\\".contains(byte))
            }
            Self::Text(_) | Self::Nested(_) => value.len() >= SHORTEST,
            Self::Number(_) => {
                // A long number is found by chance nowhere, a short one within words and names.
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
    /// Whether every byte of a reply of this length counts.
    pub(crate) fn sees_all(length: usize) -> bool {
        length <= COMPARED
    }

    /// The shape of a reply with this id to a call with these values. `circumstances` tells apart what is judged differently
    /// though the bytes are the same: the tool, and what its call was for.
    pub(crate) fn new(line: &[u8], length: usize, id: i64, sent: &Sent, circumstances: &impl Hash) -> Self {
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

/// The length, where it says more than the bytes that are compared.
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

/// The text around the id.
fn without_id(text: &str, id: i64) -> (&str, &str) {
    let member = format!("\"id\":{id}");
    let found = memmem::find(text.as_bytes(), member.as_bytes());
    let found = found.or_else(|| text.rfind(&format!("\"id\": {id}")));
    match found {
        Some(at) => (&text[..at], &text[(at + member.len()).min(text.len())..]),
        None => (text, ""),
    }
}

/// What stands in the place of the id.
const ID: [u8; 2] = [0xfd, 0];

/// A part of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'t> {
    /// The server's own words.
    Words(&'t str),
    /// A value that was sent.
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

/// Finds one value in words.
enum Seeker<'s> {
    /// Where its first letter stands, the others are compared.
    Letters(&'s [u8]),
    Ready(Box<memmem::Finder<'s>>),
}

impl<'s> Seeker<'s> {
    /// For words that are short all together, nothing is made ready: that would take longer than to look through them.
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

/// Parts words at each place where a value stands, or the beginning of a long one.
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

/// What is looked for of a value.
fn beginning(value: &str) -> &str {
    &value[..value.floor_char_boundary(BEGINNING)]
}

#[cfg(test)]
mod tests;
