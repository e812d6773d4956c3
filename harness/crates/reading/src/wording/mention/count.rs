//! Whether a text names a count, and not an equal number such as a port, time, version or line.
//!
//! The main function is [`settings`]: the words before and after a number show what it counts.

use crate::pattern;
use crate::wording::border::joins;

/// The words before and after a number, in lower case; empty if there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberContext(String, String);

/// Integers above this one lose digits as floats.
const EXACT: u64 = 1 << 53;

/// The contexts in which a text names a count: in digits, which may be grouped, or as a word.
pub fn settings(text: &str, count: u64) -> Vec<NumberContext> {
    let in_digits = pattern!("bound/count").find_iter(text).filter(|found| {
        let (before, after) = (&text[..found.start()], &text[found.end()..]);
        is_number(found.as_str(), count) && is_whole(before, after) && !measures_else(before, after)
    });
    let found = in_digits.map(|found| found.range());
    found
        .chain(in_words(text, count))
        .map(|span| NumberContext(last_word(&text[..span.start]), first_word(&text[span.end..])))
        .collect()
}

/// Whether digits, with or without a sign, occur in a text as a number of their own.
pub(super) fn stands_as_number(text: &str, number: &str) -> bool {
    text.match_indices(number).any(|(start, part)| {
        let (before, after) = item(&text[..start], &text[start + part.len()..]);
        is_whole(before, after)
    })
}

/// The text before and after digits, limited to the item in a bracketed list: a comma in `[-3,2]` belongs to no
/// number.
fn item<'t>(before: &'t str, after: &'t str) -> (&'t str, &'t str) {
    let of_list = |c: char| c.is_ascii_digit() || matches!(c, ',' | ' ' | '-' | '.');
    if !before.trim_end_matches(of_list).ends_with('[') {
        return (before, after);
    }
    let start = before.rfind(['[', ',']).map_or(0, |at| at + 1);
    let end = after.find([',', ']']).unwrap_or(after.len());
    (&before[start..], &after[..end])
}

fn is_number(digits: &str, count: u64) -> bool {
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    let lost = || {
        count > EXACT
            && digits.parse::<f64>().is_ok_and(|number| number.to_bits() == (count as f64).to_bits())
    };
    digits == count.to_string() || lost()
}

/// Whether digits between these two texts are a number of their own: not part of a longer number, version,
/// time, date, path, address or name.
fn is_whole(before: &str, after: &str) -> bool {
    // A digit may be next to a letter of a script without spaces, like a Latin word.
    let joins = |c: char| joins('0', c);
    let left = before.chars().next_back();
    let right = after.chars().next();
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let points = |c: char| matches!(c, '.' | ':' | ',' | '-' | '/');
    let pointed_left = left.is_some_and(points) && digit(before.chars().rev().nth(1));
    let pointed_right = right.is_some_and(points) && digit(after.chars().nth(1));
    let in_path =
        left.is_some_and(|c| matches!(c, '/' | '\\')) || right.is_some_and(|c| matches!(c, '/' | '\\'));
    // "3x" is a notation for a count.
    let times_right = right == Some('x') && !after.chars().nth(1).is_some_and(joins);
    let negative = left == Some('-') && !before.chars().rev().nth(1).is_some_and(joins);
    let torn_left = left.is_some_and(joins);
    let torn_right = right.is_some_and(joins) && !times_right;
    !(torn_left || torn_right || pointed_left || pointed_right || negative || in_path || is_port(before))
}

/// Whether digits after this text are the port of a host or a line of a file.
fn is_port(before: &str) -> bool {
    let Some(name) = before.strip_suffix(':') else { return false };
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | '{' | ',' | '=');
    let name = name.rsplit(ends).next().unwrap_or_default();
    name.ends_with(']') || name.contains(['.', '/']) || name.eq_ignore_ascii_case("localhost")
}

/// Whether a number between these two texts says where, when or which, and not how many.
fn measures_else(before: &str, after: &str) -> bool {
    let tail = before.char_indices().rev().nth(24).map_or(before, |(start, _)| &before[start..]);
    pattern!("bound/place-before").is_match(tail) || pattern!("bound/unit-behind").is_match(after)
}

/// The ranges in which the count is given as a word. "One" and "two" occur in many sentences without counting,
/// so the thing counted must follow.
fn in_words(text: &str, count: u64) -> Vec<std::ops::Range<usize>> {
    const SMALL: [&str; 11] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    const OFTEN: usize = 3;
    let Some((at, word)) =
        usize::try_from(count).ok().and_then(|count| SMALL.get(count).map(|word| (count, *word)))
    else {
        return Vec::new();
    };
    let lower = text.to_ascii_lowercase();
    let found = lower.match_indices(word).map(|(start, part)| start..start + part.len());
    let joins = |c: char| c.is_alphanumeric();
    let whole = |span: &std::ops::Range<usize>| {
        !lower[..span.start].ends_with(joins)
            && !lower[span.end..].starts_with(joins)
            && (at >= OFTEN || pattern!("bound/counted").is_match(&lower[span.end..]))
    };
    found.filter(whole).collect()
}

fn last_word(text: &str) -> String {
    let word = text.rsplit(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
    word.unwrap_or_default().to_lowercase()
}

fn first_word(text: &str) -> String {
    let word = text.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
    word.unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signed_number_stands_by_itself() {
        assert!(stands_as_number("got -3", "-3") && stands_as_number("line 3", "3"));
        assert!(["[-3,2]", "'[-3, 2]'", "[1,-3]"].iter().all(|list| stands_as_number(list, "-3")));
        for text in ["got -31", "a-3", "2-3", "-3.5", "[-3.5,2]", "[-31,2]", "[2,-13]", "see [-3k,2]"] {
            assert!(!stands_as_number(text, "-3"), "{text}");
        }
        for text in ["got 0.5", "at 10:0", "port 80", "of 10,0"] {
            assert!(!stands_as_number(text, "0"), "{text}");
        }
        assert!(stands_as_number("no task-3", "3"), "behind a word it is a dash and no sign");
    }
}
