//! Whether a text names a parameter as one.
//!
//! The main function is [`names_parameter`]. It uses only the name, not the schema.

use regex::Captures;

use crate::pattern;
use crate::wording::border::{closes_quotation, is_torn, opens_quotation};
use crate::wording::escape::readings;

/// A name of at most so many letters may be a word of the language's grammar.
const SHORT: usize = 3;

/// Whether a parameter is named as one: in quotation marks, in a path of members, or beside a word for
/// parameters. The word alone may be part of any message: "the command failed".
pub fn names_parameter(text: &str, name: &str) -> bool {
    readings(text).iter().any(|text| names_as_written(text, name))
}

fn names_as_written(text: &str, name: &str) -> bool {
    let distinct = name.contains(['_', '-']) || name.chars().skip(1).any(char::is_uppercase);
    // "Command is required": a sentence begins with a capital letter.
    let mut capital = name.to_owned();
    capital[..name.chars().next().map_or(0, char::len_utf8)].make_ascii_uppercase();
    let places = text.match_indices(name).chain(text.match_indices(&capital).filter(|_| capital != name));
    places.map(|(start, _)| start).any(|start| {
        let (before, after) = (&text[..start], &text[start + name.len()..]);
        let inner = &text[start..start + name.len()];
        !is_torn(before, inner, after)
            && (distinct || is_marked(before, after) || speaks_of_parameters(before, after))
    }) || names_in_other_case(text, name)
        || name.len() <= SHORT && names_as_subject(text, name)
}

/// Whether a short name, which may be a word of any sentence, is the subject of a line, or what is to be given: `on is no date`,
/// `add at (a time)`.
fn names_as_subject(text: &str, name: &str) -> bool {
    let names = |found: Captures<'_>| {
        ["subject", "object"]
            .iter()
            .any(|group| found.name(group).is_some_and(|found| found.as_str() == name))
    };
    pattern!("name/short").captures_iter(text).any(names)
}

fn is_marked(before: &str, after: &str) -> bool {
    let open = ['[', '<', '.', '$', '-', '/', '*', '('];
    let close = [']', '>', ':', '=', '*', ')', '\u{ff1a}'];
    let opens = before.ends_with(open) || opens_quotation(before);
    let closes = after.starts_with(close) || closes_quotation(after);
    let line_alone = (before.is_empty() || before.ends_with('\n')) && after.starts_with('\n');
    line_alone
        || is_a_cell(before, after)
        || (opens && (after.is_empty() || closes))
        || after.starts_with([':', '=', '\u{ff1a}'])
        || leads_to_a_part(before, after)
        || is_in_a_pointer(before, after)
}

/// Whether the name is the content of an element, stands before a sign of equality or a bar, or begins a line before a dash:
/// `<parameter>command</parameter>`, `command = ""`, `command | (nothing)`, "command – empty".
fn is_a_cell(before: &str, after: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let begins = !line.contains(char::is_alphanumeric);
    let behind = after.trim_start_matches(' ');
    let dash = || begins && behind.len() < after.len() && behind.starts_with(['\u{2013}', '\u{2014}']);
    let sign = behind.starts_with(['=', '|']) && !behind.starts_with("==") && !behind.starts_with("||");
    before.ends_with('>') && after.starts_with('<') || sign || dash()
}

/// Whether the name is part of a JSON Pointer into the arguments: "/paths/0", "#/items/2/name". With several
/// names it must contain an index, because a file path looks the same.
fn is_in_a_pointer(before: &str, after: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '$' | '~' | '/');
    let head = &before[before.trim_end_matches(is_part).len()..];
    let (tail, behind) = after.split_at(after.find(|letter| !is_part(letter)).unwrap_or(after.len()));
    let ahead = before[..before.len() - head.len()].chars().next_back();
    let begins = ahead.is_none_or(|letter| letter.is_whitespace() || "\"'`([:#=".contains(letter));
    let is_file = behind.strip_prefix('.').is_some_and(|end| end.starts_with(char::is_alphanumeric));
    let is_item = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_alone = head == "/" && tail.is_empty();
    let counts = || head.split('/').chain(tail.split('/')).any(is_item);
    begins
        && !is_file
        && head.starts_with('/')
        && head.ends_with('/')
        && (tail.is_empty() || tail.starts_with('/'))
        && (is_alone || counts())
}

/// As in "paths.0", at the beginning of a line or after white space, for a part of the parameter.
fn leads_to_a_part(before: &str, after: &str) -> bool {
    let begins = before.is_empty() || before.ends_with(char::is_whitespace);
    let part =
        after.strip_prefix('.').is_some_and(|part| part.starts_with(|c: char| c.is_ascii_alphanumeric()));
    begins && part
}

fn speaks_of_parameters(before: &str, after: &str) -> bool {
    let tail = before.char_indices().rev().nth(60).map_or(before, |(start, _)| &before[start..]);
    pattern!("name/subject-behind").is_match(after) || pattern!("name/subject-before").is_match(tail)
}

/// `oldText` for `old_text`, if the name has several parts.
fn names_in_other_case(text: &str, name: &str) -> bool {
    let flat =
        |word: &str| word.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_ascii_lowercase();
    let parts = name.contains(['_', '-']) || name.chars().skip(1).any(char::is_uppercase);
    let wanted = flat(name);
    parts
        && text
            .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
            .any(|word| flat(word) == wanted)
}
