//! The limits that a message states for its parameters: "'limit' must be between 1 and 10".
//!
//! The main function is [`limits`]. Only requirements count: "11 is more than 10" describes what was sent.
//! Whether a limit is right is another question.

use std::ops::Range;

use regex::Captures;

use super::mention::names_parameter;
use crate::pattern;

/// A limit on a parameter's value or length, as a message states it.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit<'t> {
    /// The parameter, if the sentence names one of the given ones.
    pub parameter: Option<&'t str>,
    /// The minimum.
    pub least: Option<f64>,
    /// The maximum.
    pub most: Option<f64>,
    /// The word after the number, such as `characters`; empty if there is none.
    pub unit: &'t str,
    /// Its position in the text.
    pub span: Range<usize>,
}

impl Limit<'_> {
    /// Whether a number is within the limit.
    pub fn allows(&self, number: f64) -> bool {
        self.least.is_none_or(|least| least <= number) && self.most.is_none_or(|most| number <= most)
    }
}

/// The limits in a text, in order, each with the parameter that its sentence is about.
pub fn limits<'t>(text: &'t str, parameters: &[&'t str]) -> Vec<Limit<'t>> {
    let mut limits = Vec::new();
    // Most messages contain no number, and checking that is cheaper than the expression.
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return limits;
    }
    for found in pattern!("bound/limit").captures_iter(text) {
        let whole = found.get(0).expect("group 0 is the match");
        // "climax 3", "from 3.5.1": the match is part of a longer word or number.
        let torn_left = text[..whole.start()].ends_with(|c: char| c.is_alphanumeric())
            && whole.as_str().starts_with(|c: char| c.is_alphanumeric());
        if torn_left || text[whole.end()..].starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let last = ["b", "most", "least"].into_iter().find_map(|name| found.name(name));
        if last.is_some_and(|last| goes_on(&text[last.end()..])) {
            continue;
        }
        let (least, most) = match (number(&found, "a"), number(&found, "b")) {
            (Some(least), Some(most)) if least > most => continue,
            (Some(least), Some(most)) => (Some(least), Some(most)),
            _ => (number(&found, "least"), number(&found, "most")),
        };
        let parameter = subject(text, whole.range(), parameters);
        let unit = found.name("unit").map_or("", |unit| unit.as_str());
        limits.push(Limit { parameter, least, most, unit, span: whole.range() });
    }
    limits
}

/// Whether digits with this behind them are the beginning of more than a number: of a date, a time, a version, a ratio.
pub fn goes_on(behind: &str) -> bool {
    let mut letters = behind.chars();
    let is_joined = letters.next().is_some_and(|letter| matches!(letter, '-' | ':' | '/' | '.'));
    is_joined && letters.next().is_some_and(|letter| letter.is_ascii_digit())
}

fn number(found: &Captures<'_>, name: &str) -> Option<f64> {
    let digits: String = found.name(name)?.as_str().chars().filter(|c| !matches!(c, ',' | '_')).collect();
    digits.parse().ok()
}

/// The parameter that the sentence around a limit is about: the last one named before it, or else the only one
/// named after it.
fn subject<'t>(text: &str, limit: Range<usize>, parameters: &[&'t str]) -> Option<&'t str> {
    let ends = |(at, mark): (usize, &str)| {
        let goes_on = text[at + mark.len()..].starts_with(|c: char| !c.is_whitespace());
        (mark == "\n" || mark == ";" || !goes_on).then_some(at)
    };
    let marks = ['.', '\n', ';'];
    let start = text[..limit.start].rmatch_indices(marks).find_map(ends).map_or(0, |at| at + 1);
    let end = text[limit.end..].match_indices(marks).map(|(at, mark)| (limit.end + at, mark)).find_map(ends);
    let (before, after) = (&text[start..limit.start], &text[limit.end..end.unwrap_or(text.len())]);
    let last = parameters.iter().filter_map(|name| Some((last_place(before, name)?, *name))).max();
    if let Some((_, name)) = last {
        return Some(name);
    }
    let mut behind = parameters.iter().filter(|name| names_parameter(after, name));
    behind.next().filter(|_| behind.next().is_none()).copied()
}

/// The last offset at which a text names a parameter.
fn last_place(text: &str, name: &str) -> Option<usize> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    names_parameter(text, name).then_some(())?;
    let mut places = text.rmatch_indices(name);
    places
        .find(|(at, part)| !text[..*at].ends_with(word) && !text[at + part.len()..].starts_with(word))
        .map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_a_limit_are_within_it() {
        let limits = limits("limit must be between 1 and 10", &["limit"]);
        for (number, within) in [(0.0, false), (1.0, true), (10.0, true), (11.0, false)] {
            assert_eq!(limits[0].allows(number), within, "{number}");
        }
    }
}
