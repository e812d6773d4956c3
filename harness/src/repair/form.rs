//! Value formats that a message names or shows as a template, with a value of each.
//!
//! The main functions are [`asked_for`] and [`of_template`]. The values are ours: addresses lead nowhere, and
//! anything that could be evaluated does nothing.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::expression::expression;
use crate::generate::{document, document_words};
use crate::pattern;

/// Regular expressions for the names of formats, each with a text in that format. The first match counts.
const FORMS: [(&str, &str); 31] = [
    (
        r"date[- ]?times?|timestamps?|iso[- ]?8601(?: (?:date|string|format|timestamp))?",
        "2026-01-31T12:00:00Z",
    ),
    (r"(?:iso )?dates?", "2026-01-31"),
    (r"(?:iana )?time ?zones?(?: (?:name|identifier|id))?", "UTC"),
    (r"times?(?: of day)?", "12:00"),
    (r"durations?", "PT1H"),
    (r"e-?mail(?: address)?(?:es)?", "someone@example.invalid"),
    (r"uuids?|guids?", "123e4567-e89b-42d3-a456-426614174000"),
    (r"json (?:arrays?|lists?)(?: of strings)?", r#"["alpha"]"#),
    (r"json(?: (?:object|string|document|text|value))?", r#"{"alpha": 1}"#),
    (r"yaml(?: document)?", "alpha: 1\n"),
    (r"toml(?: document)?", "alpha = 1\n"),
    (r"xml(?: document)?", "<alpha>1</alpha>"),
    (r"csv(?: data)?", "alpha,beta\n1,2\n"),
    (r"(?:regex(?:p|es)?|regular expressions?)(?: pattern)?", "alpha"),
    (r"(?:hex )?colou?rs?(?: (?:code|value|string))?", "#336699"),
    (r"cron(?: ?tab)?(?: (?:expression|schedule|syntax))?", "0 12 * * *"),
    (r"jwts?(?: token)?|json web tokens?", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"),
    (r"base64(?: string| data)?", "YWxwaGE="),
    (r"hex(?:adecimal)?(?: (?:string|digits?|number|value))?", "ff"),
    (r"binary(?: (?:string|digits?|number))?", "101"),
    (r"octal(?: (?:digits?|number))?", "17"),
    (r"ip(?:v4)?(?: address(?:es)?)?", "192.0.2.1"),
    (r"ipv6(?: address(?:es)?)?", "2001:db8::1"),
    (r"cidr(?: (?:block|notation|range))?", "192.0.2.0/24"),
    (r"sem(?:antic )?ver(?:sions?|sioning)?|versions?(?: (?:number|string))?", "1.0.0"),
    (r"currency(?: codes?)?|iso 4217(?: codes?)?", "USD"),
    (r"(?:language|locale)(?: codes?)?|iso 639(?:-1)?(?: codes?)?", "en"),
    (r"country(?: codes?)?|iso 3166(?: codes?)?", "US"),
    (r"(?:mathematical |arithmetic |math )?(?:expressions?|formulas?|equations?)", "1 + 1"),
    (r"roman numerals?", "XII"),
    (r"ur[li]s?", "http://127.0.0.1/"),
];

/// Parts of templates with their replacements; longer ones first.
const PARTS: [(&str, &str); 14] = [
    ("yyyy", "2026"),
    ("YYYY", "2026"),
    ("MM", "01"),
    ("mm", "00"),
    ("DD", "31"),
    ("dd", "31"),
    ("HH", "12"),
    ("hh", "12"),
    ("SS", "00"),
    ("ss", "00"),
    ("RR", "33"),
    ("GG", "66"),
    ("BB", "99"),
    ("XX", "00"),
];

/// The format that a message asks for: a text in it, and the position of the words.
pub(super) fn asked_for(text: &str) -> Option<(&'static str, Range<usize>)> {
    static ASKED: LazyLock<Regex> = LazyLock::new(|| {
        let names: Vec<String> =
            FORMS.iter().enumerate().map(|(number, (names, _))| format!("(?P<f{number}>{names})")).collect();
        expression(&format!(
            r#"(?i)\b(?:invalid|malformed|bad|(?:can(?:not|'t)|could(?: not|n't)|failed to|unable to|error) (?:parse|read|decode|interpret)|parsing|decoding|not an?|not (?:a |an )?(?:valid|well-formed)|(?:must|should|has to|needs to) be(?: in| given in| written in| of)?|to be|match(?:es)?(?: the)? format|expected|expects|requires?|unrecogni[sz]ed|unknown|unparse?able|input should be|does not look like|wrong|in|as)\s+(?:an? |the |valid |correct |proper |well-formed |supported )*["'`]?(?:{})\b"#,
            names.join("|")
        ))
    });
    if let Some(found) = pattern!("kind/cron").find(text) {
        return Some(("0 12 * * *", found.range()));
    }
    if let Some(found) = pattern!("kind/digits").find(text) {
        return Some(("1234567890", found.range()));
    }
    if let Some(found) = pattern!("kind/letter").captures(text) {
        let is_small =
            found.name("upper").is_some_and(|upper| upper.as_str().to_ascii_lowercase().starts_with('l'));
        let whole = found.get(0).expect("group 0 is the match");
        return Some((if is_small { "a" } else { "A" }, whole.range()));
    }
    let Some(found) = ASKED.captures(text) else { return document_asked_for(text) };
    let number = (0..FORMS.len()).find(|number| found.name(&format!("f{number}")).is_some())?;
    let whole = found.get(0).expect("group 0 is the match");
    Some((FORMS[number].1, whole.range()))
}

/// The kind of document that a message asks for: "Failed to parse DOT content", "not a valid GraphML document".
fn document_asked_for(text: &str) -> Option<(&'static str, Range<usize>)> {
    static ASKED: LazyLock<Regex> = LazyLock::new(|| {
        let words: Vec<&str> = document_words().collect();
        let words = words.join("|");
        expression(&format!(
            r"(?i)\b(?:invalid|malformed|parse|parsing|not|no|valid|expected|expects|requires?|must be|is not)\s+(?:an? |the |valid )*(?P<a>{words})\b|\b(?P<b>{words}) (?:format|content|data|document|syntax|parser|parse|parsing|error)\b"
        ))
    });
    let found = ASKED.captures(text)?;
    let word = found.name("a").or(found.name("b"))?;
    Some((document(&word.as_str().to_ascii_lowercase())?, word.range()))
}

/// The format implied by a parameter's name, if a message calls its value unreadable: `fire_at`, `startDate`.
pub(super) fn of_name(text: &str, name: &str) -> Option<(&'static str, Range<usize>)> {
    const NAMES: [(&str, &str); 14] = [
        ("at", "2026-01-31T12:00:00Z"),
        ("since", "2026-01-31T12:00:00Z"),
        ("until", "2026-01-31T12:00:00Z"),
        ("due", "2026-01-31T12:00:00Z"),
        ("deadline", "2026-01-31T12:00:00Z"),
        ("timestamp", "2026-01-31T12:00:00Z"),
        ("datetime", "2026-01-31T12:00:00Z"),
        ("date", "2026-01-31"),
        ("time", "12:00"),
        ("timezone", "UTC"),
        ("color", "#336699"),
        ("colour", "#336699"),
        ("cron", "0 12 * * *"),
        ("schedule", "0 12 * * *"),
    ];
    let last = crate::generate::name_words(name).pop()?;
    let (_, value) = NAMES.iter().find(|(word, _)| *word == last)?;
    let found = pattern!("kind/unreadable").find(text).filter(|_| text.contains(name))?;
    Some((value, found.range()))
}

/// A text in the format of a template: `YYYY-MM-DD`, `HH:MM`, `#RRGGBB`. What is not a template stays
/// unchanged; `None` if a part of the template is unknown.
pub(super) fn of_template(example: &str) -> Option<String> {
    if example.contains(['<', '>', '{', '}', '[', ']', '$']) {
        return None;
    }
    let is_template = PARTS.iter().any(|(part, _)| example.contains(part))
        && !example.chars().any(|letter| letter.is_ascii_digit())
        && example.chars().all(|letter| {
            PARTS.iter().any(|(part, _)| part.contains(letter)) || "TZ:-/.# +".contains(letter)
        });
    if !is_template {
        return Some(example.to_owned());
    }
    // In a time of day, `MM` stands for minutes and not for the month.
    let (date, time) = match example.find(['T', ' ']) {
        Some(at) => example.split_at(at),
        None if example.contains(':') => ("", example),
        None => (example, ""),
    };
    let filled =
        |text: &str| PARTS.iter().fold(text.to_owned(), |text, (part, value)| text.replace(part, value));
    Some(filled(&date.replace("mm", "01")) + &filled(&time.replace("MM", "00")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_known_by_its_own_name() {
        for (names, value) in FORMS {
            let name = names.split(['|', '?', '(']).find(|part| part.len() > 1).unwrap_or_default();
            assert!(!value.is_empty() && !name.is_empty(), "{names}");
        }
    }
}
