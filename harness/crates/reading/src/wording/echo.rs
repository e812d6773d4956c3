//! The caller's words, in the forms in which they may come back in a reply.
//!
//! The main type is [`Echo`]. An echo is never a leak, whatever it says, and proves nothing about what the
//! server knows. Values come back altered (escaped, resolved, truncated), so every value is searched in all the
//! forms that servers were seen to use.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use serde_json::{Map, Number, Value};

use super::border::{closes_quotation, is_torn, opens_quotation};
use crate::exchange::Call;
use crate::placeholder::{Folders, backslashed, drive};

mod printed;

/// The byte that replaces each byte of an echo in [`Echo::blank`]: a control character that no message
/// contains.
pub const FILL: u8 = 0x1a;

/// At most this many forms are searched: a call with thousands of values is judged by the first ones.
const MOST_FORMS: usize = 2_000;

/// Lists and objects nested deeper than this are not searched as a whole, because each would be printed again
/// at every level.
const PRINTED_DEPTH: usize = 16;

/// A shorter form is recognised by its hash.
const SHORT: usize = 128;

/// A shorter value is not searched in lower case, because it may be an ordinary word.
const WORTH: usize = 8;
/// A longer form may be shown in part.
const LONG: usize = 40;

/// How many characters at each end identify a value shown without its middle.
const SHOWN: usize = 6;

/// At most this many parts of a long value are searched, which keeps the search linear.
const MOST_PARTS: usize = 100;
const LONGEST_PART: usize = 10_000;

/// The caller's own strings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Echo {
    forms: Vec<String>,
    /// The hashes of the short forms.
    known: HashSet<u64>,
    /// Strings of two characters that do not begin with a letter: `{}`, `%s`, `..`.
    signs: Vec<String>,
    /// Long strings, of which a server may show only the beginning or the end.
    long: Vec<String>,
}

impl Echo {
    /// The echo of a call: its arguments, and the folders that the harness gave to the server. Not the tool's
    /// name, which may be a word as ordinary as `read`.
    pub fn of(call: &Call, folders: &Folders) -> Self {
        Self::of_values(&call.arguments, folders).and_folders(folders)
    }

    /// Adds the folders that the harness gave to the server.
    #[must_use]
    pub fn and_folders(mut self, folders: &Folders) -> Self {
        for folder in [&folders.workspace, &folders.outside] {
            // As a whole: the last part of a folder's path, such as `outside`, may be the server's own word.
            self.push(folder.clone());
            self.push(backslashed(folder));
        }
        self.sorted()
    }

    /// The echo of arguments only: the folders are used to resolve paths, but are not part of the echo.
    pub fn of_values(arguments: &Value, folders: &Folders) -> Self {
        let mut echo = Self::default();
        echo.collect(arguments, folders, 0);
        echo.sorted()
    }

    /// Adds another string of the caller's, such as the content of a file.
    #[must_use]
    pub fn and(mut self, text: &str) -> Self {
        self.add(text, &Folders::default());
        self.sorted()
    }

    /// Adds altered forms of the caller's strings that were seen in replies; they are searched unchanged.
    #[must_use]
    pub fn and_altered(mut self, texts: impl IntoIterator<Item = String>) -> Self {
        texts.into_iter().for_each(|text| self.push(text));
        self.sorted()
    }

    /// Adds lines of a file that the caller has made, in the forms in which they may be quoted.
    #[must_use]
    pub fn and_lines<'l>(mut self, lines: impl IntoIterator<Item = &'l str>) -> Self {
        for line in lines {
            self.add(line.trim(), &Folders::default());
        }
        self.sorted()
    }

    /// Adds the braces of an empty object in the arguments, if they stand alone. A hint may contain such braces
    /// of its own.
    #[must_use]
    pub fn and_empty(mut self, arguments: &Value) -> Self {
        fn holds_empty(value: &Value) -> bool {
            let is_found = |value: &Value| value.as_object().is_some_and(Map::is_empty) || holds_empty(value);
            match value {
                Value::Array(items) => items.iter().any(is_found),
                Value::Object(members) => members.values().any(is_found),
                _ => false,
            }
        }
        if holds_empty(arguments) && !self.signs.iter().any(|sign| sign == "{}") {
            self.signs.push("{}".to_owned());
        }
        self
    }

    /// The ranges of a text with the caller's strings: in order, without overlap, on character boundaries.
    pub fn spans(&self, text: &str) -> Vec<Range<usize>> {
        let mut spans: Vec<Range<usize>> = Vec::new();
        // A searcher is built for each form, which is not worth it for a form longer than the text.
        for form in self.forms.iter().filter(|form| form.len() <= text.len()) {
            spans.extend(occurrences(text, form).filter(|span| stands_alone(text, span)));
        }
        for sign in &self.signs {
            spans.extend(occurrences(text, sign).filter(|span| is_set_off(text, span)));
        }
        for value in &self.long {
            spans.extend(beginnings(text, value));
            spans.extend(endings(text, value));
        }
        spans.extend(self.without_middle(text));
        spans.sort_by_key(|span| (span.start, span.end));
        spans.dedup();
        merged(spans)
    }

    /// The ranges of quoted values shown without their middle: `'abc...xyz'`. In an object the beginning and
    /// the end may come from different values.
    fn without_middle(&self, text: &str) -> Vec<Range<usize>> {
        let quotes = ['\'', '"', '`'];
        let marks = text.match_indices("...").chain(text.match_indices('\u{2026}')).take(MOST_PARTS);
        let mut spans = Vec::new();
        for (at, mark) in marks {
            let behind = at + mark.len();
            for quote in quotes {
                let begin = text[..at].rfind(quote).map_or(at, |quote| quote + 1);
                let end = text[behind..].find(quote).map_or(behind, |length| behind + length);
                let (head, tail) = (&text[begin..at], &text[behind..end]);
                let shown = head.len() + tail.len();
                let is_cut =
                    |form: &String| form.len() > shown && form.starts_with(head) && form.ends_with(tail);
                let is_one = shown >= SHOWN && self.forms.iter().any(is_cut);
                let begins = |form: &String| form.len() > head.len() && form.starts_with(head);
                if is_one || head.len() >= SHOWN && self.forms.iter().any(begins) {
                    spans.push(begin..at);
                }
                let ends = |form: &String| form.len() > tail.len() && form.ends_with(tail);
                if is_one || tail.len() >= SHOWN && self.forms.iter().any(ends) {
                    spans.push(behind..end);
                }
            }
        }
        spans
    }

    /// The text with every byte of an echo replaced by [`FILL`], so that offsets stay the same.
    pub fn blank(&self, text: &str) -> String {
        self.blank_beside(&Self::default(), text)
    }

    /// Blanks the text with what another echo finds as well.
    pub fn blank_beside(&self, more: &Self, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        for span in self.spans(text).into_iter().chain(more.spans(text)) {
            bytes[span].fill(FILL);
        }
        String::from_utf8(bytes).expect("spans lie on character borders")
    }

    fn collect(&mut self, value: &Value, folders: &Folders, depth: usize) {
        if self.forms.len() >= MOST_FORMS {
            return;
        }
        match value {
            Value::String(text) => self.add(text, folders),
            Value::Number(number) => numbers(number).into_iter().for_each(|form| self.push(form)),
            Value::Array(items) => items.iter().for_each(|item| self.collect(item, folders, depth + 1)),
            Value::Object(members) => {
                members.values().for_each(|member| self.collect(member, folders, depth + 1));
            }
            Value::Null | Value::Bool(_) => {}
        }
        if depth < PRINTED_DEPTH && (value.is_array() || value.is_object()) {
            // An argument may be truncated; the beginning of all arguments together also occurs in many hints.
            let may_be_cut = depth == 1 || depth == 0 && value.is_array();
            for form in
                [value.to_string(), printed::javascript(value), printed::python(value), printed::go(value)]
            {
                if may_be_cut && form.len() > LONG && !self.long.contains(&form) {
                    self.long.push(form.clone());
                }
                self.push(form);
            }
        }
    }

    fn add(&mut self, text: &str, folders: &Folders) {
        let is_sign = |text: &str| {
            text.len() == 2 && text.starts_with(|first: char| first.is_ascii_punctuation() && first != '_')
        };
        if is_sign(text) && !self.signs.iter().any(|sign| sign == text) {
            self.signs.push(text.to_owned());
        }
        // A server may compare without regard to case, and show what it compared.
        let is_small =
            !(WORTH..=LONGEST_PART).contains(&text.len()) || !text.contains(|c: char| c.is_ascii_uppercase());
        let small = (!is_small).then(|| text.to_lowercase());
        for form in forms(text, folders).into_iter().chain(small).chain(authority(text)) {
            if form.len() > LONG {
                self.long.push(form.clone());
            }
            self.push(form);
        }
    }

    fn push(&mut self, form: String) {
        if self.forms.len() >= MOST_FORMS || form.trim().is_empty() {
            return;
        }
        let is_new = match form.len() < SHORT {
            true => {
                let mut hasher = DefaultHasher::new();
                form.hash(&mut hasher);
                self.known.insert(hasher.finish())
            }
            // There are few long forms, and comparing two of them mostly means comparing their lengths.
            false => !self.forms.contains(&form),
        };
        if is_new {
            self.forms.push(form);
        }
    }

    fn sorted(mut self) -> Self {
        self.forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        self
    }
}

/// The part of an address before its path in the form that a client may rewrite it: encoded, shortened, with a
/// slash.
fn authority(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next().filter(|authority| !authority.is_empty())?;
    Some(format!("{scheme}://{authority}"))
}

/// The forms in which a number may come back: as sent, rounded to a float or a 64-bit integer, and with an
/// exponent.
fn numbers(number: &Number) -> Vec<String> {
    let mut forms = vec![number.to_string()];
    let Some(float) = number.as_f64() else { return forms };
    // Rust fills lost digits with zeros, like JavaScript.
    forms.extend([format!("{float}"), format!("{float:?}")]);
    // Python and Go write an exponent: "9.223372036854776e+18".
    let scientific = format!("{float:e}");
    if let Some((mantissa, exponent)) = scientific.split_once('e')
        && let Ok(exponent) = exponent.parse::<usize>()
        && exponent >= 6
    {
        forms.push(format!("{mantissa}e+{exponent:02}"));
    }
    // The nearest 64-bit integers, for languages that clamp.
    if float.abs() > 9.2e18 {
        forms.push(if float < 0.0 { i64::MIN.to_string() } else { i64::MAX.to_string() });
    }
    forms
}

/// The forms in which a string may come back.
pub fn forms(text: &str, folders: &Folders) -> Vec<String> {
    let mut forms = vec![text.to_owned(), text.trim().to_owned()];
    if text.contains('/') {
        forms.extend(path_forms(text, folders));
    }
    let mut forms = distinct(forms);
    for plain in forms.clone() {
        forms.extend(escaped(&plain));
    }
    distinct(forms)
}

/// Removes duplicate and empty forms.
fn distinct(forms: Vec<String>) -> Vec<String> {
    // There are only a few forms, and comparing two of them mostly means comparing their lengths.
    let mut once: Vec<String> = Vec::with_capacity(forms.len());
    for form in forms {
        if !form.is_empty() && !once.contains(&form) {
            once.push(form);
        }
    }
    once
}

/// A path resolved, relative to the workspace, and its last part.
fn path_forms(path: &str, folders: &Folders) -> Vec<String> {
    let is_absolute = path.starts_with('/') || drive(path).is_some();
    let absolute = if is_absolute { path.to_owned() } else { format!("{}/{path}", folders.workspace) };
    let mut parts: Vec<&str> = Vec::new();
    for part in absolute.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let root = if drive(&absolute).is_some() { "" } else { "/" };
    let resolved = format!("{root}{}", parts.join("/"));
    let mut forms = Vec::new();
    let inside = resolved.strip_prefix(&folders.workspace).and_then(|tail| tail.strip_prefix('/'));
    forms.extend(inside.filter(|_| !folders.workspace.is_empty()).map(str::to_owned));
    forms.extend(parts.last().map(|part| (*part).to_owned()));
    forms.push(resolved);
    if drive(&absolute).is_some() {
        forms.push(path.to_owned());
        forms.extend(forms.clone().iter().map(|form| form.replace('/', "\\")));
    }
    forms
}

/// A string as JSON, Rust, Go, Python and a shell write it, and its forms with a NUL removed or cut off.
fn escaped(text: &str) -> Vec<String> {
    let mut forms = Vec::new();
    let special =
        |byte: u8| byte.is_ascii_control() || matches!(byte, b'"' | b'\'' | b'\\' | b'`') || !byte.is_ascii();
    if !text.bytes().any(special) {
        return forms;
    }
    let json = Value::String(text.to_owned()).to_string();
    let json = json[1..json.len() - 1].to_owned();
    let twice = Value::String(json.clone()).to_string();
    forms.push(twice[1..twice.len() - 1].to_owned());
    forms.push(json);
    let rust = format!("{text:?}");
    forms.push(rust[1..rust.len() - 1].to_owned());
    forms.push(hexadecimal(text, '"'));
    forms.push(hexadecimal(text, '\''));
    forms.push(text.replace('\'', "'\\''"));
    forms.push(text.replace('\'', "\\'"));
    forms.push(text.replace('\\', "\\\\"));
    if text.contains('\0') {
        for instead in ["", "\\0", "\\x00", "\\u0000", "^@", "\u{2400}", "\u{fffd}", " "] {
            forms.push(text.replace('\0', instead));
        }
        forms.extend(text.split('\0').filter(|part| part.len() > 3).map(str::to_owned));
    }
    forms
}

/// A string with control characters as `\x00`, and `\` and one kind of quotation mark escaped.
fn hexadecimal(text: &str, quote: char) -> String {
    let mut out = String::with_capacity(text.len());
    // Unescaped runs are copied whole, because values of many kilobytes consist mostly of these.
    let may_need = |byte: &u8| byte.is_ascii_control() || *byte == b'\\' || !byte.is_ascii();
    let mut rest = text;
    loop {
        let bytes = rest.as_bytes();
        let end = bytes.iter().position(|byte| may_need(byte) || char::from(*byte) == quote);
        let (copied, left) = rest.split_at(end.unwrap_or(rest.len()));
        out.push_str(copied);
        let mut chars = left.chars();
        match chars.next() {
            None => break,
            Some('\n') => out.push_str("\\n"),
            Some('\t') => out.push_str("\\t"),
            Some('\r') => out.push_str("\\r"),
            Some('\\') => out.push_str("\\\\"),
            Some(c) if c == quote => out.extend(['\\', c]),
            Some(c) if c.is_control() => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            Some(c) => out.push(c),
        }
        rest = chars.as_str();
    }
    out
}

fn occurrences<'t>(text: &'t str, form: &'t str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices(form).map(|(start, part)| start..start + part.len())
}

/// Whether a match stands alone: `a` is no echo within `at`, and one or two characters must be in quotation
/// marks.
fn stands_alone(text: &str, span: &Range<usize>) -> bool {
    let (before, inner, after) = (&text[..span.start], &text[span.clone()], &text[span.end..]);
    if span.len() < 3 {
        return opens_quotation(before) && closes_quotation(after);
    }
    span.len() >= 16 || !is_torn(before, inner, after)
}

/// Whether only spaces and punctuation surround it.
fn is_set_off(text: &str, span: &Range<usize>) -> bool {
    let before = text[..span.start].chars().next_back();
    let after = text[span.end..].chars().next();
    before.is_none_or(|c| c.is_whitespace() || "(:=".contains(c))
        && after.is_none_or(|c| c.is_whitespace() || "),:;!?".contains(c))
}

/// The ranges with the first characters of a long value, at least 20.
fn beginnings<'t>(text: &'t str, value: &'t str) -> impl Iterator<Item = Range<usize>> {
    let head = value.char_indices().nth(20).map_or(value, |(end, _)| &value[..end]);
    let found = occurrences(text, head).take(MOST_PARTS).map(move |span| {
        let pairs = text[span.start..].chars().zip(value.chars()).take(LONGEST_PART);
        let shared = pairs.take_while(|(left, right)| left == right);
        let length: usize = shared.map(|(c, _)| c.len_utf8()).sum();
        span.start..span.start + length
    });
    // Another path may begin in the same way, so a path counts only if it is visibly truncated.
    let is_path = value.starts_with('/') && !value.contains('\n');
    found.filter(move |span| {
        let is_cut = ["...", "\u{2026}"].iter().any(|mark| text[span.end..].starts_with(mark));
        !is_path || is_cut
    })
}

/// The ranges with the last characters of a long value, at least 20.
fn endings<'t>(text: &'t str, value: &'t str) -> impl Iterator<Item = Range<usize>> {
    let tail = value.char_indices().nth_back(19).map_or(value, |(start, _)| &value[start..]);
    occurrences(text, tail).take(MOST_PARTS).map(move |span| {
        let pairs = text[..span.end].chars().rev().zip(value.chars().rev()).take(LONGEST_PART);
        let shared = pairs.take_while(|(left, right)| left == right);
        let length: usize = shared.map(|(c, _)| c.len_utf8()).sum();
        span.end - length..span.end
    })
}

fn merged(spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for span in spans {
        match out.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => out.push(span),
        }
    }
    out
}

#[cfg(test)]
mod tests;
