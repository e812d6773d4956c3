//! The facts of a call that may come back in its reply: the caller's words, in every form in which a server may
//! print them.
//!
//! The main type is [`Echo`]. An echo is never a leak, whatever it says, and proves nothing about what the
//! server knows. No list of forms is made: the text is compared with the values character by character, each as it is or
//! escaped by JSON, a language, a shell, HTML or an address, in a list or object as any language prints it, and
//! cut at either end.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use serde_json::{Map, Number, Value};

use super::border::{closes_quotation, is_torn, opens_quotation};
use crate::exchange::Call;
use crate::placeholder::{Folders, backslashed, drive};

use notation::{beginnings, resolved};
use walk::{Reach, Token, Walk, type_before};

mod notation;
mod walk;

/// The byte that replaces each byte of an echo in [`Echo::blank`]: a control character that no message
/// contains.
pub const FILL: u8 = 0x1a;

/// At most this many values are searched: a call with thousands of them is judged by the first ones.
const MOST_VALUES: usize = 2_000;
/// At most this many parts of printed lists and objects are compared.
const MOST_TOKENS: usize = 20_000;

/// Lists and objects nested deeper than this are not searched as a whole.
const PRINTED_DEPTH: usize = 16;

/// A longer value may be shown in part.
const LONG: usize = 40;
/// So many characters of a long value identify it wherever they stand.
const UNMARKED: usize = 20;
/// So many identify a value in quotation marks that is visibly cut.
const QUOTED: usize = 6;
/// So many identify a value that is visibly cut, or one that is cut where its quotation or the text ends.
const MARKED: usize = 12;
const ENDED: usize = 8;

/// A run of so many characters is looked up to find the middle of a long value.
const RUN: usize = 8;
/// At most so many places of the same run in the values, and marks of a cut in a text, are tried.
const MOST_PLACES: usize = 4;
const MOST_CUTS: usize = 100;
/// Of a longer value only the beginning is searched for what a text may show of its middle.
const LONGEST: usize = 10_000;

/// How short a part of a value counts as an echo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parts {
    /// What can hardly be anything else: a message may also quote a value that resembles the sent one.
    Evident,
    /// Also what merely ends where a quotation or the text ends: for words that look like a leak.
    Any,
}

/// What was sent, as rows of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Text,
    /// Another path may begin in the same way.
    Path,
    /// A list or an object that is an argument, or an item of a list.
    Printed,
    /// All arguments together, whose beginning occurs in many hints, or what is within an argument.
    PrintedWhole,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Sent {
    tokens: Range<usize>,
    kind: Kind,
}

/// The caller's own words.
#[derive(Debug, Clone, Default)]
pub struct Echo {
    tokens: Vec<Token>,
    sent: Vec<Sent>,
    /// The rows of tokens that no other row contains.
    rows: Vec<Range<usize>>,
    /// The hashes of the strings, lists and objects that were added.
    known: HashSet<u64>,
    /// Strings of two characters that do not begin with a letter: `{}`, `%s`, `..`.
    signs: Vec<String>,
    index: OnceCell<Index>,
    /// The last text that was searched for [`Parts::Evident`], and what was found: many rules ask about one text.
    last: RefCell<Option<(String, Vec<Range<usize>>)>>,
}

/// Where to look in the values for what a text shows.
#[derive(Debug, Clone, Default)]
struct Index {
    /// The strings by their first character in lower case, sorted.
    first: Vec<(char, usize)>,
    /// The ASCII characters that may begin an echo.
    ascii: u128,
    /// Lists and objects.
    printed: Vec<usize>,
    /// The places of each run of characters in the long strings: the row, the token, the byte.
    runs: HashMap<u64, Vec<(usize, usize, usize)>>,
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
        for folder in [&folders.outside, &folders.workspace] {
            // As a whole: the last part of a folder's path, such as `outside`, may be the server's own word.
            self.push(folder.clone());
            self.push(backslashed(folder));
        }
        self
    }

    /// The echo of arguments only: the folders are used to resolve paths, but are not part of the echo. A string
    /// in place of the arguments is their text, which was not valid JSON.
    pub fn of_values(arguments: &Value, folders: &Folders) -> Self {
        let mut echo = Self::default();
        match arguments {
            Value::String(raw) => echo.add_raw(raw, folders),
            _ => echo.add_printed(arguments),
        }
        echo.collect(arguments, folders);
        echo
    }

    /// Adds another string of the caller's, such as the content of a file.
    #[must_use]
    pub fn and(mut self, text: &str) -> Self {
        self.add(text, &Folders::default());
        self
    }

    /// Adds altered forms of the caller's strings that were seen in replies; they are searched unchanged.
    #[must_use]
    pub fn and_altered(mut self, texts: impl IntoIterator<Item = String>) -> Self {
        texts.into_iter().for_each(|text| self.push(text));
        self
    }

    /// Adds lines of a file that the caller has made, in the forms in which they may be quoted.
    #[must_use]
    pub fn and_lines<'l>(mut self, lines: impl IntoIterator<Item = &'l str>) -> Self {
        for line in lines {
            self.add(line.trim(), &Folders::default());
        }
        self
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
            self.last.take();
        }
        self
    }

    /// The ranges of a text with the caller's words: in order, without overlap, on character boundaries.
    pub fn spans(&self, text: &str) -> Vec<Range<usize>> {
        if let Some((_, spans)) = self.last.borrow().as_ref().filter(|(last, _)| last == text) {
            return spans.clone();
        }
        let spans = self.parts(text, Parts::Evident);
        self.last.replace(Some((text.to_owned(), spans.clone())));
        spans
    }

    /// The same where the text looks like a leak: also parts of values that may be words of the server's own.
    pub fn spans_in_leak(&self, text: &str) -> Vec<Range<usize>> {
        self.parts(text, Parts::Any)
    }

    /// The text with every byte of an echo replaced by [`FILL`], so that offsets stay the same.
    pub fn blank(&self, text: &str) -> String {
        blanked(text, self.spans(text))
    }

    /// Blanks a text that looks like a leak, with what another echo finds as well.
    pub fn blank_in_leak(&self, more: &Self, text: &str) -> String {
        blanked(text, self.spans_in_leak(text).into_iter().chain(more.spans_in_leak(text)))
    }

    fn parts(&self, text: &str, parts: Parts) -> Vec<Range<usize>> {
        let mut spans: Vec<Range<usize>> = Vec::new();
        if !self.sent.is_empty() {
            let search = Searched { echo: self, index: self.index(), walk: Walk::of(text), text, parts };
            search.values(&mut spans);
            search.ends(&mut spans);
            search.middles(&mut spans);
        }
        for sign in &self.signs {
            let found = text.match_indices(sign).map(|(start, part)| start..start + part.len());
            spans.extend(found.filter(|span| is_set_off(text, span)));
        }
        spans.retain(|span| !span.is_empty());
        spans.sort_by_key(|span| (span.start, span.end));
        merged(spans)
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let mut index = Index::default();
            for (at, sent) in self.sent.iter().enumerate() {
                match (&self.tokens[sent.tokens.start], sent.kind) {
                    (_, Kind::Printed | Kind::PrintedWhole) => index.printed.push(at),
                    (Token::Text(text), _) => {
                        // A control character may be dropped, or be printed as an escape.
                        let first = text.chars().next();
                        let kept = text.chars().find(|letter| !letter.is_control());
                        let beginnings = first.into_iter().chain(kept.filter(|kept| first != Some(*kept)));
                        index.first.extend(beginnings.map(|letter| (lower(letter), at)));
                    }
                    (Token::Name(_) | Token::Words(_), _) => {}
                }
            }
            index.first.sort_unstable();
            for (first, _) in &index.first {
                let upper = first.to_uppercase().next().unwrap_or(*first);
                index.ascii |= [*first, upper]
                    .into_iter()
                    .filter(char::is_ascii)
                    .fold(0, |set, c| set | 1 << u32::from(c));
            }
            index.ascii |= b"\\%&'".iter().fold(0, |set, byte| set | 1 << byte);
            if !index.printed.is_empty() {
                index.ascii |= b"[{".iter().fold(0, |set, byte| set | 1 << byte);
            }
            self.index_runs(&mut index.runs);
            index
        })
    }

    fn index_runs(&self, runs: &mut HashMap<u64, Vec<(usize, usize, usize)>>) {
        let mut once = HashSet::new();
        for (row, tokens) in self.rows.iter().enumerate() {
            for token in tokens.clone() {
                let Token::Text(text) = &self.tokens[token] else { continue };
                if text.len() < UNMARKED || is_path(text) || !once.insert(text) {
                    continue;
                }
                let letters: Vec<(usize, char)> = text.char_indices().take(LONGEST).collect();
                for run in letters.windows(RUN) {
                    let places = runs.entry(hash(run.iter().map(|(_, letter)| *letter))).or_default();
                    if places.len() < MOST_PLACES {
                        places.push((row, token, run[0].0));
                    }
                }
            }
        }
    }

    fn collect(&mut self, value: &Value, folders: &Folders) {
        if self.sent.len() >= MOST_VALUES {
            return;
        }
        match value {
            Value::String(text) => self.add(text, folders),
            Value::Number(number) => numbers(number).into_iter().for_each(|form| self.push(form)),
            Value::Array(items) if items.is_empty() => self.push("[]".to_owned()),
            Value::Object(members) if members.is_empty() => self.push("{}".to_owned()),
            Value::Array(items) => items.iter().for_each(|item| self.collect(item, folders)),
            Value::Object(members) => {
                for (name, member) in members {
                    // No parameter has such a name.
                    if name
                        .contains(|letter: char| !(letter.is_ascii_alphanumeric() || "_-.".contains(letter)))
                    {
                        self.add(name, folders);
                    }
                    self.collect(member, folders);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Adds a list or an object with everything in it, as languages print it.
    fn add_printed(&mut self, value: &Value) {
        if !matches!(value, Value::Array(_) | Value::Object(_)) {
            return;
        }
        for is_sorted in [false, true].into_iter().take(if is_unsorted(value) { 2 } else { 1 }) {
            let start = self.tokens.len();
            self.print(value, 0, is_sorted);
            self.rows.push(start..self.tokens.len());
        }
    }

    fn print(&mut self, value: &Value, depth: usize, is_sorted: bool) {
        if self.tokens.len() >= MOST_TOKENS {
            return;
        }
        let start = self.tokens.len();
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.print(item, depth + 1, is_sorted)),
            Value::Object(members) => {
                let mut members: Vec<(&String, &Value)> = members.iter().collect();
                if is_sorted {
                    members.sort_by_key(|(name, _)| *name);
                }
                for (name, member) in members {
                    self.tokens.push(Token::Name(name.clone()));
                    self.print(member, depth + 1, is_sorted);
                }
            }
            plain => return self.tokens.push(printed(plain)),
        }
        let tokens = start..self.tokens.len();
        // A list of nothing but one other list is printed with it.
        let is_printed = self.sent.last().is_some_and(|last| last.tokens == tokens);
        if !tokens.is_empty() && depth < PRINTED_DEPTH && !is_printed {
            // An argument may be cut; the beginning of all arguments together also occurs in many hints.
            let may_be_cut = depth == 1 || depth == 0 && value.is_array();
            let kind = if may_be_cut { Kind::Printed } else { Kind::PrintedWhole };
            if self.known.insert(identity(&(kind, &self.tokens[tokens.clone()]))) {
                self.push_sent(tokens, kind);
            }
        }
    }

    /// Adds the text of arguments that are not valid JSON: as a whole, and each of its strings.
    fn add_raw(&mut self, raw: &str, folders: &Folders) {
        let mut row = Vec::new();
        let mut rest = raw;
        while let Some(at) =
            rest.find(|letter: char| letter == '"' || letter.is_alphanumeric() || letter == '-')
        {
            rest = &rest[at..];
            let Some(behind) = rest.strip_prefix('"') else {
                let end = rest.find(|letter: char| !(letter.is_alphanumeric() || "-+.".contains(letter)));
                let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
                row.push(
                    serde_json::from_str(word)
                        .map_or_else(|_| Token::Text(word.to_owned()), |value| printed(&value)),
                );
                rest = behind;
                continue;
            };
            let (inner, behind) = behind.split_at(end_of_string(behind));
            let text = unescaped(inner);
            rest = behind.strip_prefix('"').unwrap_or(behind);
            row.push(match rest.trim_start().starts_with(':') {
                true => Token::Name(text),
                false => {
                    self.add(&text, folders);
                    Token::Text(text)
                }
            });
        }
        if !row.is_empty() {
            let tokens = self.tokens.len()..self.tokens.len() + row.len();
            self.tokens.extend(row);
            self.rows.push(tokens.clone());
            self.push_sent(tokens, Kind::PrintedWhole);
        }
    }

    fn add(&mut self, text: &str, folders: &Folders) {
        let is_sign = |text: &str| {
            text.len() == 2 && text.starts_with(|first: char| first.is_ascii_punctuation() && first != '_')
        };
        if is_sign(text) && !self.signs.iter().any(|sign| sign == text) {
            self.signs.push(text.to_owned());
            self.last.take();
        }
        spellings(text, folders).into_iter().for_each(|spelling| self.push(spelling));
    }

    fn push(&mut self, text: String) {
        if self.sent.len() >= MOST_VALUES || text.trim().is_empty() {
            return;
        }
        if self.known.insert(identity(&text)) {
            let tokens = self.tokens.len()..self.tokens.len() + 1;
            let kind = if is_path(&text) { Kind::Path } else { Kind::Text };
            self.tokens.push(Token::Text(text));
            self.rows.push(tokens.clone());
            self.push_sent(tokens, kind);
        }
    }

    fn push_sent(&mut self, tokens: Range<usize>, kind: Kind) {
        self.sent.push(Sent { tokens, kind });
        // They are of what was there before.
        self.index.take();
        self.last.take();
    }
}

/// A search of one text for what was sent.
struct Searched<'e, 't> {
    echo: &'e Echo,
    index: &'e Index,
    walk: Walk<'t>,
    text: &'t str,
    parts: Parts,
}

impl Searched<'_, '_> {
    /// Values from their beginning on, whole or cut.
    fn values(&self, spans: &mut Vec<Range<usize>>) {
        let mut shown = 0;
        for (at, letter) in self.text.char_indices() {
            if letter.is_ascii() && self.index.ascii & (1 << u32::from(letter)) == 0 {
                continue;
            }
            if self.walk.is_exhausted() {
                return;
            }
            for first in distinct(beginnings(&self.text[at..]).map(lower)) {
                for sent in self.index.starting_with(first).filter(|sent| self.may_show(*sent, at)) {
                    let reach = self.read(sent, at);
                    spans.extend(self.accepted(sent, at, reach));
                }
                // What is within a list or an object that is shown belongs to it.
                if matches!(first, '[' | '{') && at >= shown {
                    for sent in &self.index.printed {
                        let reach = self.read(*sent, at);
                        let span = self.accepted(*sent, at, reach);
                        shown = span.as_ref().map_or(shown, |span| shown.max(span.end));
                        spans.extend(span);
                    }
                }
            }
        }
    }

    /// Whether a text may show enough of a string from a place on: quicker than to read it, and `false` for nearly all.
    fn may_show(&self, sent: usize, at: usize) -> bool {
        // In each notation these stand for themselves.
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/_-.:".contains(&byte);
        let Token::Text(value) = &self.echo.tokens[self.echo.sent[sent].tokens.start] else { return true };
        let mut pairs = std::iter::zip(value.bytes(), self.text[at..].bytes()).take(QUOTED);
        let other = pairs.find(|(sent, shown)| !is_plain(*shown) || !sent.eq_ignore_ascii_case(shown));
        other.is_none_or(|(sent, shown)| !is_plain(sent) || !is_plain(shown))
    }

    fn read(&self, sent: usize, at: usize) -> Reach {
        let Sent { tokens, kind } = &self.echo.sent[sent];
        match (&self.echo.tokens[tokens.start], kind) {
            (Token::Text(text), Kind::Text | Kind::Path) => self.walk.text(text, at),
            _ => self.walk.tokens(&self.echo.tokens[tokens.clone()], 0, at, true),
        }
    }

    /// The range of what is shown of a value from a place on, if that is enough to be an echo.
    fn accepted(&self, sent: usize, at: usize, reach: Reach) -> Option<Range<usize>> {
        let Sent { tokens, kind } = &self.echo.sent[sent];
        let is_printed = matches!(kind, Kind::Printed | Kind::PrintedWhole);
        let start = if is_printed { type_before(&self.text[..at]) } else { at };
        let span = start..reach.end;
        // The own object of a language that names its type: `NotFound { path: "a" }`.
        let is_typed = is_printed
            && self.text[start..].starts_with("{ ")
            && self.text[..start].split(' ').rfind(|word| !word.is_empty()).is_some_and(|word| {
                word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphanumeric)
            });
        if is_typed {
            return None;
        }
        if reach.is_whole {
            return (is_printed || stands_alone(self.text, &span)).then_some(span);
        }
        let (before, inner, rest) = (&self.text[..start], &self.text[span.clone()], &self.text[reach.end..]);
        // What is printed between the parts of a list counts too.
        let letters = if is_printed { reach.end - at } else { reach.letters };
        if reach.letters == 0 || letters < 16 && is_torn(before, inner, "") {
            return None;
        }
        let is_cut = is_cut_mark(rest);
        let is_ended = is_cut || rest.trim().is_empty() || self.parts == Parts::Any && closes_quotation(rest);
        let is_any = self.parts == Parts::Any;
        let marked = if is_printed || opens_quotation(before) { QUOTED } else { MARKED };
        let is_enough = match kind {
            Kind::Path => {
                is_cut && letters >= MARKED
                    || is_any && is_ended && letters >= UNMARKED && self.splits_a_name(tokens.start, reach)
            }
            Kind::Text | Kind::Printed => {
                is_cut && letters >= marked
                    || letters >= UNMARKED && (is_any || self.is_long(tokens.clone()))
                    || is_any && is_ended && letters >= ENDED
            }
            Kind::PrintedWhole => is_ended && letters >= ENDED || is_any && letters >= UNMARKED,
        };
        is_enough.then_some(span)
    }

    /// Whether a path is cut within a name: what ends with a name may be another path.
    fn splits_a_name(&self, token: usize, reach: Reach) -> bool {
        let Token::Text(path) = &self.echo.tokens[token] else { return false };
        let mut around = path.chars().skip(reach.letters - 1);
        let is_within = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        is_within(around.next()) && is_within(around.next())
    }

    fn is_long(&self, tokens: Range<usize>) -> bool {
        let length = |token: &Token| match token {
            Token::Text(text) | Token::Name(text) => text.len(),
            Token::Words(words) => words.first().map_or(0, String::len),
        };
        // In a list there are marks around each item.
        let marks = if tokens.len() > 1 { 3 * tokens.len() } else { 0 };
        self.echo.tokens[tokens].iter().map(length).sum::<usize>() + marks > LONG
    }

    /// The ends of values behind what shows that they are cut: `'abc...xyz'`. In an object the beginning and
    /// the end may come from different values.
    fn ends(&self, spans: &mut Vec<Range<usize>>) {
        let marks = self.text.match_indices("...").chain(self.text.match_indices('\u{2026}')).take(MOST_CUTS);
        for (mark, shown) in marks {
            let heads = self.heads(mark);
            self.ends_at(mark + shown.len(), &heads, spans);
        }
        if self.parts == Parts::Any {
            let quoted = self.text.match_indices(['\'', '"', '`']).map(|(at, mark)| at + mark.len());
            for at in std::iter::once(0).chain(quoted).take(MOST_CUTS) {
                self.ends_at(at, &[], spans);
            }
        }
    }

    /// What a quotation shows of the beginnings of values before a mark.
    fn heads(&self, mark: usize) -> Vec<(&str, usize, Range<usize>)> {
        let mut heads = Vec::new();
        for quote in ['\'', '"', '`'] {
            let Some(begin) = self.text[..mark].rfind(quote).map(|quote| quote + 1) else { continue };
            for first in distinct(beginnings(&self.text[begin..mark]).map(lower)) {
                for sent in self.index.starting_with(first) {
                    let reach = self.read(sent, begin);
                    if let Token::Text(text) = &self.echo.tokens[self.echo.sent[sent].tokens.start]
                        && reach.end == mark
                    {
                        heads.push((text.as_str(), reach.letters, begin..mark));
                    }
                }
            }
        }
        heads
    }

    fn ends_at(&self, at: usize, heads: &[(&str, usize, Range<usize>)], spans: &mut Vec<Range<usize>>) {
        let is_marked = at > 0 && self.text[..at].ends_with(['.', '\u{2026}']);
        let firsts = distinct(beginnings(&self.text[at..]));
        for row in &self.echo.rows {
            for token in row.clone() {
                let Token::Text(text) = &self.echo.tokens[token] else { continue };
                let places = text.char_indices().take(LONGEST).filter(|(_, letter)| firsts.contains(letter));
                for (within, _) in places {
                    if self.walk.is_exhausted() {
                        return;
                    }
                    let reach = self.walk.tail(&self.echo.tokens[token..row.end], within, at);
                    let rest = &self.text[reach.end..];
                    let is_closed = closes_quotation(rest);
                    let is_end = match is_marked {
                        true => reach.tokens > 0 || is_cut_mark(rest),
                        false => reach.tokens > 0 && (is_closed || rest.trim().is_empty()),
                    };
                    let one = heads.iter().find(|(head, letters, _)| {
                        *head == text && letters + reach.letters >= QUOTED && is_closed
                    });
                    let least = match (is_marked, is_closed || reach.tokens > 1) {
                        (true, true) => QUOTED,
                        (true, false) => MARKED,
                        (false, _) => ENDED,
                    };
                    if is_end && (one.is_some() || reach.letters >= least) {
                        spans.push(at..reach.end);
                        spans.extend(one.map(|(_, _, head)| head.clone()));
                    }
                }
            }
        }
    }

    /// Parts of long values, wherever they stand.
    fn middles(&self, spans: &mut Vec<Range<usize>>) {
        if self.index.runs.is_empty() {
            return;
        }
        let mut letters = Vec::with_capacity(self.text.len());
        let mut at = 0;
        while let Some((letter, length)) = resolved(&self.text[at..]) {
            letters.push((at, letter));
            at += length;
        }
        let mut behind = 0;
        for run in letters.windows(RUN) {
            let start = run[0].0;
            if start < behind {
                continue;
            }
            let places = self.index.runs.get(&hash(run.iter().map(|(_, letter)| *letter)));
            for (row, token, within) in places.into_iter().flatten() {
                let tokens = *token..self.echo.rows[*row].end;
                let reach = self.walk.tail(&self.echo.tokens[tokens], *within, start);
                let may_be = self.parts == Parts::Any || self.is_long(*token..*token + 1);
                if reach.letters >= UNMARKED && may_be {
                    spans.push(start..reach.end);
                    behind = behind.max(reach.end);
                }
            }
            if self.walk.is_exhausted() {
                return;
            }
        }
    }
}

impl Index {
    /// The strings that begin with a character, in any case.
    fn starting_with(&self, first: char) -> impl Iterator<Item = usize> {
        let from = self.first.partition_point(|(other, _)| *other < first);
        self.first[from..].iter().take_while(move |(other, _)| *other == first).map(|(_, sent)| *sent)
    }
}

/// Where a text shows a value in any notation: to its end, or visibly cut.
pub(super) fn shown(text: &str, value: &str) -> Vec<Range<usize>> {
    let Some(first) = value.chars().next().map(lower) else { return Vec::new() };
    let walk = Walk::of(text);
    let begins =
        |at: &usize| beginnings(&text[*at..]).any(|letter| lower(letter) == first || first.is_control());
    let reaches = text.char_indices().map(|(at, _)| at).filter(begins).map(|at| (at, walk.text(value, at)));
    let is_shown =
        |reach: &Reach| reach.is_whole || reach.letters >= QUOTED && is_cut_mark(&text[reach.end..]);
    reaches.filter(|(_, reach)| is_shown(reach)).map(|(at, reach)| at..reach.end).collect()
}

/// Whether a text shows the end of a value behind what shows that it is cut: `'...xyz'`.
pub(super) fn shows_end(text: &str, value: &str) -> bool {
    let is_cut = |before: &str| before.ends_with("...") || before.ends_with('\u{2026}');
    let has_mark = text.contains("...") || text.contains('\u{2026}');
    has_mark && Echo::default().and(value).spans(text).iter().any(|span| is_cut(&text[..span.start]))
}

/// Whether what follows shows that something is left out.
fn is_cut_mark(rest: &str) -> bool {
    const MARKS: [&str; 8] =
        ["...", "\u{2026}", "[...", "[\u{2026}", "(truncated", "[truncated", "<truncated", "\\u2026"];
    let rest = rest.trim_start_matches([' ', '\'', '"', '`']);
    MARKS.iter().any(|mark| rest.starts_with(mark))
}

fn is_path(text: &str) -> bool {
    text.starts_with('/') && !text.contains('\n')
}

fn is_unsorted(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(is_unsorted),
        Value::Object(members) => !members.keys().is_sorted() || members.values().any(is_unsorted),
        _ => false,
    }
}

fn lower(letter: char) -> char {
    letter.to_lowercase().next().unwrap_or(letter)
}

fn distinct(letters: impl Iterator<Item = char>) -> Vec<char> {
    let mut once = Vec::new();
    for letter in letters {
        if !once.contains(&letter) {
            once.push(letter);
        }
    }
    once
}

fn identity(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// FNV-1a.
fn hash(letters: impl Iterator<Item = char>) -> u64 {
    letters.fold(0xcbf2_9ce4_8422_2325, |hash, letter| {
        (hash ^ u64::from(u32::from(letter))).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Where a JSON string ends, from behind its opening mark on.
fn end_of_string(behind: &str) -> usize {
    let mut is_escaped = false;
    let end = behind.char_indices().find(|(_, letter)| {
        let is_end = *letter == '"' && !is_escaped;
        is_escaped = *letter == '\\' && !is_escaped;
        is_end
    });
    end.map_or(behind.len(), |(at, _)| at)
}

/// A JSON string with its escapes resolved as far as they are ones.
fn unescaped(inner: &str) -> String {
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((letter, length)) = resolved(rest) {
        // Only a backslash escapes in JSON.
        let (letter, length) = match rest.chars().next() {
            Some(first) if first != '\\' => (first, first.len_utf8()),
            _ if length == 1 && rest.len() > 1 => {
                rest = &rest[1..];
                continue;
            }
            _ => (letter, length),
        };
        text.push(letter);
        rest = &rest[length..];
    }
    text
}

/// A plain value in the words of the languages.
fn printed(plain: &Value) -> Token {
    let words = |words: &[&str]| Token::Words(words.iter().map(|word| (*word).to_owned()).collect());
    match plain {
        Value::String(text) => Token::Text(text.clone()),
        Value::Number(number) => Token::Words(numbers(number)),
        Value::Bool(true) => words(&["true", "True"]),
        Value::Bool(false) => words(&["false", "False"]),
        _ => words(&["null", "None", "nil", "Null", "NULL", "undefined"]),
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
    // JavaScript prints negative zero without its sign.
    forms.extend((float == 0.0).then(|| "0".to_owned()));
    // Python and Go write an exponent in two digits, JavaScript in one: "9.223372036854776e+18", "2.5e-07".
    let scientific = format!("{float:e}");
    if let Some((mantissa, exponent)) = scientific.split_once('e')
        && let Ok(exponent) = exponent.parse::<i32>()
        && !(-4..6).contains(&exponent)
    {
        let sign = if exponent < 0 { '-' } else { '+' };
        forms.push(format!("{mantissa}e{sign}{:02}", exponent.abs()));
        forms.push(format!("{mantissa}e{sign}{}", exponent.abs()));
    }
    // The nearest 64-bit integers, for languages that clamp.
    if float.abs() > 9.2e18 {
        forms.push(if float < 0.0 { i64::MIN.to_string() } else { i64::MAX.to_string() });
    }
    forms
}

/// The strings that a server may make of a string before it prints it: trimmed, a path resolved, an address without its path,
/// cut at a NUL.
pub(super) fn spellings(text: &str, folders: &Folders) -> Vec<String> {
    let mut spellings = vec![text.to_owned(), text.trim().to_owned()];
    if text.contains('/') {
        spellings.extend(path_forms(text, folders));
    }
    spellings.extend(authority(text));
    if text.contains('\0') {
        spellings.extend(text.split('\0').filter(|part| part.len() > 3).map(str::to_owned));
    }
    spellings.retain(|spelling| !spelling.is_empty());
    spellings.dedup();
    spellings
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

fn blanked(text: &str, spans: impl IntoIterator<Item = Range<usize>>) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for span in spans {
        bytes[span].fill(FILL);
    }
    String::from_utf8(bytes).expect("spans lie on character borders")
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
