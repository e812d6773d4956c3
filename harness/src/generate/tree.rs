//! JSON text as a tree that preserves what JSON values lose.
//!
//! The main type is [`Tree`]: strings keep their escapes, valid or not, numbers their digits, and objects all
//! members including duplicate keys. It knows no schema.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Texts nested deeper than this are not read.
const DEPTH: usize = 1_200;

/// The size of an input, which minimizing lowers. Compared in the order of the fields.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// The number of values, including keys, arrays and objects.
    pub values: usize,
    /// The number of bytes in keys and strings.
    pub letters: usize,
    /// How large its numbers are, and how unusual its characters.
    pub weight: u128,
}

/// A JSON value as text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tree {
    /// `null`, `true`, `false`, a number, or anything else without quotation marks.
    Word(String),
    /// The text between quotation marks, with escapes as they are written.
    Text(String),
    List(Vec<Tree>),
    Members(Vec<(String, Tree)>),
}

impl Tree {
    /// Parses a text; `None` if brackets, commas and quotation marks do not match.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut reader = TreeReader { text, at: 0 };
        let tree = reader.value(DEPTH)?;
        reader.blank();
        (reader.at == text.len()).then_some(tree)
    }

    /// The tree as text, without white space.
    pub(super) fn written(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Word(word) => out.push_str(word),
            Self::Text(text) => {
                let _ = write!(out, "\"{text}\"");
            }
            Self::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Members(members) => {
                out.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    let _ = write!(out, "\"{key}\":");
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// An item, or a member's value.
    pub(super) fn child_mut(&mut self, index: usize) -> Option<&mut Self> {
        match self {
            Self::List(items) => items.get_mut(index),
            Self::Members(members) => members.get_mut(index).map(|(_, member)| member),
            Self::Word(_) | Self::Text(_) => None,
        }
    }

    /// The two ways in which servers may read it: with the first or the last of duplicate keys.
    pub(super) fn readings(&self) -> [Value; 2] {
        [self.read(DuplicateKey::First), self.read(DuplicateKey::Last)]
    }

    fn read(&self, twice: DuplicateKey) -> Value {
        match self {
            Self::Word(word) => serde_json::from_str(word).unwrap_or(Value::Null),
            Self::Text(text) => Value::String(unescaped(text)),
            Self::List(items) => items.iter().map(|item| item.read(twice)).collect(),
            Self::Members(members) => {
                let mut read = Map::new();
                for (key, member) in members {
                    let key = unescaped(key);
                    if twice == DuplicateKey::Last || !read.contains_key(&key) {
                        read.insert(key, member.read(twice));
                    }
                }
                Value::Object(read)
            }
        }
    }

    /// The size of the tree.
    pub(super) fn size(&self) -> Size {
        let mut size = Size::default();
        self.measure(&mut size);
        size
    }

    fn measure(&self, size: &mut Size) {
        size.values += 1;
        match self {
            Self::Word(word) => size.weight += word_weight(word),
            Self::Text(text) => {
                size.letters += text.len();
                size.weight += text.chars().map(letter_weight).sum::<u128>();
            }
            Self::List(items) => items.iter().for_each(|item| item.measure(size)),
            Self::Members(members) => {
                for (key, value) in members {
                    size.letters += key.len();
                    value.measure(size);
                }
            }
        }
    }
}

/// Which of two members with the same key counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DuplicateKey {
    First,
    Last,
}

/// The characters and escapes of a string, each as one piece; a surrogate pair is one piece too.
pub(super) fn units(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '\\' => escape_length(rest),
            letter => letter.len_utf8(),
        };
        let (unit, after) = rest.split_at(length);
        found.push(unit);
        rest = after;
    }
    found
}

/// The length in bytes of the escape at the beginning.
fn escape_length(text: &str) -> usize {
    let hexadecimal = |from: usize| {
        text.get(from..from + 4).is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
    };
    match text.as_bytes().get(1) {
        Some(b'u') if hexadecimal(2) => {
            let is_first = ["d8", "d9", "da", "db"].iter().any(|half| text[2..4].eq_ignore_ascii_case(half));
            let is_pair = is_first
                && text.get(6..8) == Some("\\u")
                && hexadecimal(8)
                && ["dc", "dd", "de", "df"].iter().any(|half| text[8..10].eq_ignore_ascii_case(half));
            if is_pair { 12 } else { 6 }
        }
        Some(_) => 1 + text[1..].chars().next().map_or(0, char::len_utf8),
        None => 1,
    }
}

/// A string unescaped; what cannot be read becomes U+FFFD.
fn unescaped(text: &str) -> String {
    let one =
        |unit: &str| serde_json::from_str(&format!("\"{unit}\"")).unwrap_or_else(|_| "\u{fffd}".to_owned());
    if text.contains('\\') { units(text).into_iter().map(one).collect() } else { text.to_owned() }
}

/// The weight of a character; 0 for a plain one.
pub(super) fn letter_weight(letter: char) -> u128 {
    match letter {
        'a' => 0,
        letter if letter.is_ascii_alphanumeric() => 1,
        letter if letter.is_ascii_graphic() => 2,
        _ => 3,
    }
}

/// The weight of a number; smaller and whole numbers weigh less.
pub(super) fn word_weight(word: &str) -> u128 {
    match word {
        "null" => 0,
        "false" => 1,
        "true" => 2,
        word => match word.parse::<i128>() {
            Ok(number) => number.unsigned_abs().saturating_mul(4) + 4 + u128::from(number < 0),
            Err(_) => {
                let far = word.parse::<f64>().unwrap_or(f64::INFINITY).abs().min(1e36);
                (far * 4.0) as u128 + 16 + word.len() as u128
            }
        },
    }
}

struct TreeReader<'t> {
    text: &'t str,
    at: usize,
}

impl TreeReader<'_> {
    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blank(&mut self) {
        while self.next().is_some_and(|byte| b" \t\r\n".contains(&byte)) {
            self.at += 1;
        }
    }

    fn takes(&mut self, byte: u8) -> bool {
        self.blank();
        let is_there = self.next() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn value(&mut self, depth: usize) -> Option<Tree> {
        let depth = depth.checked_sub(1)?;
        self.blank();
        match self.next()? {
            b'"' => self.quoted().map(Tree::Text),
            b'[' => self.between(b']', |reader| reader.value(depth)).map(Tree::List),
            b'{' => self.between(b'}', |reader| reader.member(depth)).map(Tree::Members),
            _ => self.word(),
        }
    }

    /// What stands between an opening and this closing bracket, separated by commas.
    fn between<T>(&mut self, close: u8, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.at += 1;
        let mut found = Vec::new();
        if self.takes(close) {
            return Some(found);
        }
        loop {
            found.push(one(self)?);
            if self.takes(close) {
                return Some(found);
            }
            if !self.takes(b',') {
                return None;
            }
        }
    }

    fn member(&mut self, depth: usize) -> Option<(String, Tree)> {
        self.blank();
        let key = self.quoted()?;
        if self.takes(b':') { Some((key, self.value(depth)?)) } else { None }
    }

    fn quoted(&mut self) -> Option<String> {
        if self.next()? != b'"' {
            return None;
        }
        let from = self.at + 1;
        let mut at = from;
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(at)? {
                b'"' => break,
                // An escaped character, above all a quotation mark, does not end the text.
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        self.at = at + 1;
        self.text.get(from..at).map(str::to_owned)
    }

    fn word(&mut self) -> Option<Tree> {
        let rest = &self.text[self.at..];
        let length =
            rest.find([',', ']', '}', ' ', '\t', '\r', '\n', '"', ':', '[', '{']).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| Tree::Word(rest[..length].to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_value_holds_is_kept() {
        for text in [
            r#"{"a":"\ud800","a":1e400,"b":[-0.0,{"c":[]}],"\x41":"\q"}"#,
            r#"[123456789012345678901234567890,"","\"\\",tru]"#,
            "{}",
        ] {
            assert_eq!(Tree::parse(text).map(|tree| tree.written()).as_deref(), Some(text));
        }
        assert_eq!(
            Tree::parse(" { \"a\" : [ 1 , 2 ] } ").map(|tree| tree.written()).as_deref(),
            Some(r#"{"a":[1,2]}"#)
        );
    }

    #[test]
    fn what_does_not_end_is_not_read() {
        for text in ["", "{", "[1", r#"{"a""#, r#"{"a":1,}"#, r#""a"#, r#""\"#, "1 2", &"[".repeat(100_000)] {
            assert_eq!(Tree::parse(text), None, "{}", &text[..text.len().min(20)]);
        }
    }

    #[test]
    fn fewer_values_then_shorter_texts_then_nearer_numbers_are_smaller() {
        let size = |text: &str| Tree::parse(text).map(|tree| tree.size());
        for (smaller, larger) in [
            ("{}", r#"{"a":null}"#),
            (r#"{"a":[1]}"#, r#"{"a":[1,1]}"#),
            (r#""aa""#, r#""aaa""#),
            (r#""aa""#, r#""zz""#),
            ("3", "-3"),
            ("-3", "4"),
            ("999999", "1000000"),
            ("9007199254740992", "9007199254740993"),
            ("2", "2.5"),
        ] {
            assert!(size(smaller) < size(larger), "{smaller} {larger}");
        }
    }
}
