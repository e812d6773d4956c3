//! A format shown by an example, by its pattern, or by the part of the value that does not fit.
//!
//! The expected format comes from the schema (`format`), or from the look of what was sent. It needs no
//! language.

use crate::pattern::Pattern;
use serde_json::Value;

use super::Asked;
use super::measure;
use super::view::{SENT, View};
use crate::pattern;

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
    fn shape(self) -> &'static Pattern {
        match self {
            Self::Date => pattern!("kind/date"),
            Self::Time => pattern!("kind/time"),
            Self::Email => pattern!("kind/email"),
            Self::Uri => pattern!("kind/uri"),
            Self::Uuid => pattern!("kind/uuid"),
            Self::Address => pattern!("kind/address"),
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
    // In a script without spaces its letters may be adjacent.
    let text: String =
        view.echoed.chars().map(|c| if crate::wording::border::is_spaceless(c) { ' ' } else { c }).collect();
    let wanted = wanted(asked);
    pattern!("kind/date-pattern").is_match(&text)
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
    let is_day = |number: &f64| number.fract() == 0.0 && (1.0..=LAST).contains(number);
    pattern!("kind/part-of-date").is_match(&view.echoed)
        || measure::unsent_numbers(view, asked).iter().any(is_day)
}

/// "two @", "missing ]": naming a single character of the sent value, or the closing counterpart of one of its
/// brackets.
fn names_a_sign(blank: &str, asked: &Asked<'_>) -> bool {
    let pair = |sign: &str| {
        match sign {
            "[" | "]" | "[]" => "[]",
            "(" | ")" => "()",
            "{" | "}" => "{}",
            _ => "",
        }
        .to_owned()
    };
    pattern!("kind/sign").captures_iter(blank).any(|found| {
        let sign = &found["sign"];
        let either = pair(sign) + sign;
        let of_it = |text: &str| text.len() > 1 && text.contains(|c: char| either.contains(c));
        asked.suspected_values().filter_map(Value::as_str).any(of_it)
    })
}
