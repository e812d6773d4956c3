//! A format shown by an example, by its pattern, or by the part of the value that does not fit.
//!
//! The expected format comes from the schema (`format`), or from the look of what was sent. It needs no
//! language.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::Asked;
use super::measure;
use super::view::{SENT, View};
use crate::expression::expression;

/// The notation of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Date,
    Time,
    Email,
    Uri,
    Uuid,
    Address,
}

const FORMATS: [Format; 6] =
    [Format::Date, Format::Time, Format::Email, Format::Uri, Format::Uuid, Format::Address];

impl Format {
    /// An expression for texts in this format.
    fn shape(self) -> &'static Regex {
        static DATE: LazyLock<Regex> =
            LazyLock::new(|| expression(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{4}"));
        static TIME: LazyLock<Regex> = LazyLock::new(|| expression(r"\b\d{1,2}:\d{2}\b"));
        static EMAIL: LazyLock<Regex> = LazyLock::new(|| expression(r"[\w.+-]+@[\w-]+"));
        static URI: LazyLock<Regex> = LazyLock::new(|| expression(r"\b[a-z][a-z0-9+.-]+://\S"));
        static UUID: LazyLock<Regex> =
            LazyLock::new(|| expression(r"(?i)\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b"));
        static ADDRESS: LazyLock<Regex> = LazyLock::new(|| expression(r"\b\d{1,3}(?:\.\d{1,3}){3}\b"));
        match self {
            Self::Date => &DATE,
            Self::Time => &TIME,
            Self::Email => &EMAIL,
            Self::Uri => &URI,
            Self::Uuid => &UUID,
            Self::Address => &ADDRESS,
        }
    }

    /// Whether JSON Schema uses this name for the format.
    fn is_called(self, name: &str) -> bool {
        match self {
            Self::Date => matches!(name, "date" | "date-time"),
            Self::Time => matches!(name, "time" | "date-time"),
            Self::Email => matches!(name, "email" | "idn-email"),
            Self::Uri => matches!(name, "uri" | "url" | "iri" | "uri-reference"),
            Self::Uuid => name == "uuid",
            Self::Address => matches!(name, "ipv4" | "ipv6" | "ip"),
        }
    }
}

/// Whether a text shows how the value must be written.
pub(super) fn shows_the_format(view: &View<'_>, asked: &Asked<'_>) -> bool {
    // "JJJJ-MM-TT", "dd/mm/aaaa": two or more groups of one letter each.
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        let of = |letters: &str| {
            letters.chars().map(|letter| format!("{letter}{{2,4}}")).collect::<Vec<_>>().join("|")
        };
        let group = of("yYmMdDhHsSjJaAtT\u{433}\u{413}\u{43c}\u{41c}\u{434}\u{414}\u{447}\u{427}");
        expression(&format!(r"(?:\A|[^\w])(?:{group})(?:[-/.:T](?:{group}))+(?:[^\w]|\z)"))
    });
    // In a script without spaces its letters may be adjacent.
    let text: String =
        view.echoed.chars().map(|c| if crate::wording::border::is_spaceless(c) { ' ' } else { c }).collect();
    let wanted = wanted(asked);
    PATTERN.is_match(&text)
        || wanted.iter().any(|format| shows(&text, *format))
        || looks_like(Format::Date, asked) && names_a_part_of_a_date(view, asked)
        || names_a_sign(&view.blank, asked)
}

/// The expected formats: by the schemas of suspected arguments, or by the look of what was sent.
fn wanted(asked: &Asked<'_>) -> Vec<Format> {
    let formats = || asked.suspects().filter_map(|(_, schema)| schema.get("format")?.as_str());
    let is_wanted =
        |format: &Format| formats().any(|name| format.is_called(name)) || looks_like(*format, asked);
    FORMATS.into_iter().filter(is_wanted).collect()
}

/// Whether a text that was sent has roughly this format, valid or not.
fn looks_like(format: Format, asked: &Asked<'_>) -> bool {
    let mut sent = asked.suspected_values().filter_map(Value::as_str);
    sent.any(|text| format.shape().find(text).is_some_and(|found| found.len() == text.len()))
}

/// Whether a text contains a value of a format, besides what was sent.
fn shows(text: &str, format: Format) -> bool {
    format.shape().find_iter(text).any(|found| !found.as_str().contains(SENT))
}

/// "February has 29 days", "no 30th": naming only a day, a month or a year shows which part of the date is
/// wrong.
fn names_a_part_of_a_date(view: &View<'_>, asked: &Asked<'_>) -> bool {
    const LAST: f64 = 31.0;
    static PART: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b[0-3]?\d(?:st|nd|rd|th)\b|\b(?:twentieth|thirtieth|(?:twenty|thirty)-[a-z]+(?:st|nd|rd|th))\b|\b(?:day|month|year|hour|minute|second)s?(?: (?:of (?:the )?\w+|value|number|part))? (?:is )?(?:out of range|beyond|past|too (?:large|high|small|low))\b",
        )
    });
    let is_day = |number: &f64| number.fract() == 0.0 && (1.0..=LAST).contains(number);
    PART.is_match(&view.echoed) || measure::unsent_numbers(view, asked).iter().any(is_day)
}

/// "two @", "missing ]": naming a single character of the sent value, or the closing counterpart of one of its
/// brackets.
fn names_a_sign(blank: &str, asked: &Asked<'_>) -> bool {
    static SIGN: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"(?:\A|[\s'"`\x{201c}\x{2018}\x{ab}\x{300c}\x{201e}])(?P<sign>[\[\]{}()@*+?\\^$#&<>~]|\[\])s?(?:[\s'"`\x{201d}\x{2019}\x{bb}\x{300d}\x{201c},.;]|\z)"#,
        )
    });
    let pair = |sign: &str| {
        match sign {
            "[" | "]" | "[]" => "[]",
            "(" | ")" => "()",
            "{" | "}" => "{}",
            _ => "",
        }
        .to_owned()
    };
    SIGN.captures_iter(blank).any(|found| {
        let sign = &found["sign"];
        let either = pair(sign) + sign;
        let of_it = |text: &str| text.len() > 1 && text.contains(|c: char| either.contains(c));
        asked.suspected_values().filter_map(Value::as_str).any(of_it)
    })
}
