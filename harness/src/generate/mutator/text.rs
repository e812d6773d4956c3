//! Odd texts: empty, long, with unusual characters, or like something that is interpreted.

use serde_json::{Value, json};

use super::super::compiled::Node;
use super::super::rng::Rng;
use super::{ValueMutation, log_uniform};

/// Arrays and texts do not grow longer than this.
const LONG: f64 = 65_537.0;
/// Lengths near common limits.
const LENGTHS: [usize; 14] = [63, 64, 65, 127, 128, 255, 256, 257, 1_000, 1_024, 4_095, 4_096, 4_097, 10_000];

const LETTERS: [(&str, &str, &str); 30] = [
    ("blank", "a space", " "),
    ("blank", "whitespace of many kinds", " \t\r\n\u{a0}\u{2003}\u{3000}"),
    ("blank", "a line break", "\n"),
    ("blank", "a trailing line break", "alpha\n"),
    ("blank", "carriage returns within text", "alpha\r\nbeta\rgamma"),
    ("nul", "a NUL", "\0"),
    ("nul", "a NUL within text", "alpha\0beta"),
    ("control", "a bell and a backspace", "a\u{7}b\u{8}c"),
    ("control", "an escape sequence", "\u{1b}[2J\u{1b}[31mred\u{1b}[0m"),
    ("control", "a DEL character", "\u{7f}"),
    ("control", "C1 control characters", "\u{85}\u{9b}31m"),
    ("bidirectional", "a right-to-left override", "\u{202e}ahpla\u{202c}"),
    ("bidirectional", "unclosed directional isolates", "\u{2066}\u{2067}alpha"),
    ("combining", "a decomposed letter (NFD)", "e\u{301}"),
    (
        "combining",
        "many combining marks on one letter",
        "a\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}\u{309}",
    ),
    ("combining", "a combining mark without a letter", "\u{301}"),
    ("invisible", "zero-width joiners and a byte-order mark", "\u{feff}a\u{200b}b\u{200d}\u{2060}"),
    ("case", "letters that get longer when the case changes", "\u{130}\u{df}\u{149}\u{fb03}"),
    ("case", "a dotless i", "\u{131}"),
    ("wide", "full-width characters", "\u{4e2d}\u{6587}\u{ff21}"),
    ("wide", "Hebrew and Arabic letters", "\u{5d0}\u{5d1}\u{627}\u{644}"),
    ("noncharacter", "noncharacter code points", "\u{ffff}\u{fffe}\u{10ffff}"),
    ("private", "private-use characters", "\u{e000}\u{f8ff}"),
    ("quotes", "quotation marks", "'\"`\u{201c}"),
    ("quotes", "backslashes", "\\\\\\"),
    ("quotes", "escape sequences as text", "\\u0041\\n\\x41"),
    ("markup", "markup", "<b>&amp;</b><!-- -->]]>"),
    ("json", "JSON as text", "{\"a\":[1,null]}"),
    ("json", "truncated JSON", "{\"a\":["),
    ("number-like", "NaN as text", "NaN"),
];

/// Texts that string formatting might interpret.
const FORMATS: [(&str, &str); 16] = [
    ("a printf placeholder", "%s"),
    ("many printf placeholders", "%s%s%s%s%n%d%x"),
    ("a percent sign", "100%"),
    ("a {} placeholder", "{}"),
    ("numbered placeholders", "{0} {1}"),
    ("named placeholders", "{name} {self.__class__}"),
    ("an unclosed placeholder", "{"),
    ("an unmatched closing brace", "}"),
    ("a shell variable in braces", "${x}"),
    ("an unclosed shell variable", "${"),
    ("a shell variable", "$HOME"),
    ("a template", "{{x}}"),
    ("a .NET placeholder", "{0:x}"),
    ("references to regex groups", "$1 \\1 \\g<0>"),
    ("a prototype property name", "__proto__"),
    ("a constructor property name", "constructor"),
];

/// Texts that look like leaks but come from the caller: a reply that repeats one says nothing about the server.
const LEAKS: [&str; 12] = [
    "Traceback (most recent call last): File \"no-such-place.py\"",
    "KeyError: 'alpha'",
    "thread 'main' panicked at src/main.rs:1:1",
    "TypeError: Cannot read properties of undefined (reading 'alpha')",
    "at Object.<anonymous> (index.js:1:1)",
    "java.lang.NullPointerException: no-such-place",
    "ENOENT: no such file or directory, open '/no-such-place'",
    "Some(\"alpha\")",
    "undefined",
    "None",
    "[object Object]",
    "goroutine 1 [running]: no-such-place",
];

/// The indexes of the texts that no server produces by itself, because places and values in them are made up.
const MADE_UP: [usize; 9] = [0, 1, 2, 3, 4, 5, 6, 7, 11];

/// A name that only the made-up errors contain: a file with one may have been edited by other calls since.
const MADE_UP_PLACE: &str = "no-such-place";

/// The positions of made-up errors in a text; of one that was changed since, the lines in which its made-up place is left.
pub(crate) fn made_up_errors(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    let whole = MADE_UP.iter().filter_map(move |index| {
        let at = text.find(LEAKS[*index])?;
        Some(at..at + LEAKS[*index].len())
    });
    let edited = text.match_indices(MADE_UP_PLACE).map(move |(at, _)| {
        let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
        text[..at].rfind('\n').map_or(0, |line| line + 1)..end
    });
    whole.chain(edited)
}

/// Texts that look like values of another type.
const LIKE: [&str; 10] =
    ["null", "true", "0", "-1", "1e9", "0x10", "9999999999", "1,000", "12:60", "2026-02-30"];

pub(super) fn mutate(rng: &mut Rng, current: &str, node: Option<&Node>) -> ValueMutation {
    match rng.below(24) {
        0 | 1 => ValueMutation::set("empty", "an empty string", json!("")),
        2..=6 => {
            let (keyword, label, text) = LETTERS[rng.below(LETTERS.len())];
            ValueMutation::set(keyword, label, json!(text))
        }
        7..=9 => emoji(rng, current),
        10..=12 => long(rng, current),
        13 | 14 => {
            let (label, text) = FORMATS[rng.below(FORMATS.len())];
            ValueMutation::set("format-string", label, json!(text))
        }
        15 => ValueMutation::set("echo", "an error text", json!(LEAKS[rng.below(LEAKS.len())])),
        16 => {
            ValueMutation::set("like", "reads as another kind of value", json!(LIKE[rng.below(LIKE.len())]))
        }
        17 | 18 => ValueMutation::set("trailing-slash", "a trailing slash", json!(format!("{current}/"))),
        19 => ValueMutation::set("padded", "surrounded by spaces", json!(format!(" {current} "))),
        20 => ValueMutation::set("case", "in another case", json!(other_case(rng, current))),
        21 => of_length(rng, node).unwrap_or_else(|| long(rng, current)),
        22 => {
            let (_, _, text) = LETTERS[rng.below(LETTERS.len())];
            ValueMutation::set("appended", "odd characters appended", json!(format!("{current}{text}")))
        }
        _ => short(rng, current),
    }
}

/// A value outside a closed set, but similar to one in it.
pub(super) fn of_closed(rng: &mut Rng, current: &str) -> ValueMutation {
    match rng.below(6) {
        0 => ValueMutation::set("enum", "a value that is not listed", json!("no-such-value")),
        1..=3 => {
            ValueMutation::set("enum", "a listed value in another case", json!(other_case(rng, current)))
        }
        4 => ValueMutation::set("enum", "a listed value with a trailing space", json!(format!("{current} "))),
        _ => ValueMutation::set("enum", "an empty string", json!("")),
    }
}

fn other_case(rng: &mut Rng, text: &str) -> String {
    let mut first = text.chars();
    let changed = match rng.below(3) {
        0 => text.to_uppercase(),
        1 => first.next().map(|letter| letter.to_uppercase().chain(first).collect()).unwrap_or_default(),
        _ => text.to_lowercase(),
    };
    if changed == text { text.to_uppercase() } else { changed }
}

/// Four-byte characters at every place where a text may be cut.
fn emoji(rng: &mut Rng, current: &str) -> ValueMutation {
    let before = "a".repeat(rng.below(4));
    let count = if rng.one_in(4) { 1 + rng.below(400) } else { 1 + rng.below(40) };
    let letter = ["\u{1f600}", "\u{1f468}\u{200d}\u{1f4bb}", "\u{1f1e9}\u{1f1ea}", "\u{e9}"][rng.below(4)];
    let text = match rng.below(3) {
        0 => format!("{current}{letter}"),
        1 => format!("{letter}{current}"),
        _ => format!("{before}{}", letter.repeat(count)),
    };
    ValueMutation::set("emoji", "emoji", json!(text))
}

fn long(rng: &mut Rng, current: &str) -> ValueMutation {
    let count = match rng.below(24) {
        0 => log_uniform(rng, 8_192.0, LONG) as usize,
        1..=12 => LENGTHS[rng.below(LENGTHS.len() - 1)],
        _ => log_uniform(rng, 16.0, 8_192.0) as usize,
    };
    let unit = match rng.below(4) {
        0 if !current.is_empty() && current.len() < 100 => current,
        1 => "a b ",
        _ => "a",
    };
    let letters = unit.chars().count();
    let mut text = unit.repeat(count / letters);
    text.extend(unit.chars().take(count % letters));
    ValueMutation::set("long", format!("{count} characters"), Value::String(text))
}

/// A text just beyond the lengths that the schema gives.
fn of_length(rng: &mut Rng, node: Option<&Node>) -> Option<ValueMutation> {
    let schema = &node?.text;
    let below = schema.least.checked_sub(1).filter(|count| *count < 10_000).map(|count| ("minLength", count));
    let above = Some(schema.most).filter(|most| *most < 10_000).map(|most| ("maxLength", most + 1));
    let (keyword, count) = if rng.one_in(2) { below.or(above) } else { above.or(below) }?;
    Some(ValueMutation::set(keyword, format!("{count} characters"), Value::String("a".repeat(count))))
}

fn short(rng: &mut Rng, current: &str) -> ValueMutation {
    let count = current.chars().count();
    let text: String = match rng.below(3) {
        0 => current.chars().take(count / 2).collect(),
        1 => current.chars().skip(1).collect(),
        _ => ["a", "0", "-", ".", "~", "_"][rng.below(6)].to_owned(),
    };
    ValueMutation {
        keyword: "short",
        label: "shorter".to_owned(),
        edit: super::Edit::Set(Value::String(text)),
    }
}
