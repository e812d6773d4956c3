//! Whether a text names a value: the path, the count, the pattern or the parameter that was wrong.
//!
//! The main function is [`mentions`]. Whether a value is named by chance, because the message always contains
//! that word, could only be seen from another reply, and is not checked here.

use crate::expectation::ExpectedValue;
use crate::placeholder::Folders;

use super::border::{closes_quotation, is_torn, opens_quotation};
use super::echo;
use super::escape::readings;

mod count;
mod parameter;
mod path;
mod word;

pub use count::{NumberContext, settings};
pub use parameter::names_parameter;
pub use word::{holds_noun, introduces, stands_as_word, stands_beside};

/// A value of more characters than this counts as named if its beginning is.
const LONG: usize = 200;
/// The length of that beginning, in characters.
const LONG_BEGINNING: usize = 100;
/// A number of fewer digits may occur by chance.
const SHORT_NUMBER: usize = 5;
/// A number with at least this many digits loses some as a float.
const LONG_NUMBER: usize = 16;

/// Whether a text names a value, in any form that servers were seen to use.
pub fn mentions(text: &str, value: &ExpectedValue, folders: &Folders) -> bool {
    readings(text).iter().any(|text| match value {
        ExpectedValue::Path(path) => path::names_path(text, path, folders),
        ExpectedValue::Count(count) => !settings(text, *count).is_empty(),
        ExpectedValue::Text(value) => names_text(text, value),
        ExpectedValue::Parameter(name) => names_parameter(text, name),
        // A plan has replaced these by a value.
        ExpectedValue::Argument(_) | ExpectedValue::Limit(_) => true,
        ExpectedValue::AnyOf(values) => values.iter().any(|value| mentions(text, value, folders)),
    })
}

fn names_text(text: &str, value: &str) -> bool {
    if value.is_empty() {
        return true;
    }
    // A truncated value may continue in the text.
    if let Some(beginning) = beginning_of(value) {
        return !echo::shown(text, beginning).is_empty();
    }
    let digits = value.strip_prefix('-').unwrap_or(value);
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && digits.len() < SHORT_NUMBER {
        return count::stands_as_number(text, value) || holds_otherwise_written(text, value);
    }
    echo::spellings(value, &Folders::default()).iter().any(|spelling| shows(text, spelling))
        || (digits.len() >= LONG_NUMBER && holds_rounded(text, value))
        || holds_otherwise_written(text, value)
        || echo::shows_end(text, value)
        || is_quoted_in_capitals(text, value)
}

/// Whether a word stands in quotation marks in capital letters only, as a program prints it that ignores case. Outside of them
/// it may be one of the sentence.
fn is_quoted_in_capitals(text: &str, value: &str) -> bool {
    /// A shorter word may be another value.
    const TELLING: usize = 4;
    value.len() >= TELLING && is_quoted(text, &value.to_uppercase())
}

/// Whether a text contains a number in human notation: digits in groups of three, or a decimal comma.
fn holds_otherwise_written(text: &str, number: &str) -> bool {
    const BETWEEN: [&str; 7] = [",", ".", " ", "\u{a0}", "\u{202f}", "'", "_"];
    let unsigned = number.strip_prefix('-').unwrap_or(number);
    let (whole, rest) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(rest) {
        return false;
    }
    let sign = &number[..number.len() - unsigned.len()];
    let grouped = |between: &str| {
        let first = (whole.len() + 2) % 3 + 1;
        let groups = whole.as_bytes()[first.min(whole.len())..].chunks(3);
        groups.fold(format!("{sign}{}", &whole[..first.min(whole.len())]), |text, group| {
            format!("{text}{between}{}", String::from_utf8_lossy(group))
        })
    };
    let mut forms: Vec<String> = Vec::new();
    if whole.len() > 3 {
        forms.extend(BETWEEN.iter().map(|between| grouped(between)));
    }
    if !rest.is_empty() {
        forms = forms
            .iter()
            .map(String::as_str)
            .chain([&*format!("{sign}{whole}")])
            .map(|whole| format!("{whole},{rest}"))
            .collect();
    }
    forms.iter().any(|form| {
        text.match_indices(form.as_str()).any(|(start, part)| {
            let (before, after) = (&text[..start], &text[start + part.len()..]);
            let digit = |c: char| c.is_ascii_digit();
            let goes_on = after.starts_with(['.', ',']) && after[1..].starts_with(digit);
            let led = before.ends_with(['.', ',']) && before[..before.len() - 1].ends_with(digit);
            !is_torn(before, part, after) && !goes_on && !led
        })
    })
}

/// Whether a text shows a value in any notation, not within a longer word. A value in another case may be an ordinary word
/// unless it is marked as a value.
fn shows(text: &str, value: &str) -> bool {
    /// A shorter value in another case must be marked.
    const WORTH: usize = 8;
    echo::shown(text, value).into_iter().any(|span| {
        let (before, shown, after) = (&text[..span.start], &text[span.clone()], &text[span.end..]);
        let is_same = shown == value || shown.to_lowercase() != value.to_lowercase();
        !is_torn(before, shown, after)
            && (is_same || value.len() >= WORTH || opens_quotation(before) && closes_quotation(after))
    })
}

/// Whether a text contains a number rounded as a float: "1e+20", or with other digits at its end.
fn holds_rounded(text: &str, number: &str) -> bool {
    let Ok(number) = number.parse::<f64>() else { return false };
    let part = |c: char| !(c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    text.split(part).any(|word| {
        word.trim_end_matches('.').parse::<f64>().is_ok_and(|other| other.to_bits() == number.to_bits())
    })
}

/// The beginning by which a long value counts as named; `None` for a short one.
fn beginning_of(value: &str) -> Option<&str> {
    value.char_indices().nth(LONG)?;
    value.char_indices().nth(LONG_BEGINNING).map(|(end, _)| &value[..end])
}

/// What a tool may be called: its name, and without the part before its first `_` what is left, if nobody takes that for
/// plain words: `getBoards` of `acme_getBoards`, but not `status` of `git_status`.
pub fn tool_names(tool: &str) -> impl Iterator<Item = &str> {
    let rest = tool.split_once('_').map(|(_, rest)| rest).filter(|rest| is_made_up(rest));
    std::iter::once(tool).chain(rest)
}

/// Whether a name is no plain word: it has a `_`, a `-`, or a capital letter within.
pub fn is_made_up(name: &str) -> bool {
    name.contains(['_', '-'])
        || name.char_indices().any(|(at, letter)| at > 0 && letter.is_uppercase())
            && name.contains(char::is_lowercase)
}

/// Whether a string occurs in a text, not within a longer word.
pub fn stands_in(text: &str, form: &str) -> bool {
    text.match_indices(form).any(|(start, part)| !is_torn(&text[..start], part, &text[start + part.len()..]))
}

/// Whether a string is marked as a value in a text: in quotation marks, or after a colon or an equals sign.
pub fn is_marked(text: &str, form: &str) -> bool {
    readings(text).iter().any(|text| {
        let led = || {
            [": ", "=", ":"].iter().any(|lead| {
                text.match_indices(&format!("{lead}{form}")).any(|(start, part)| {
                    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | ' ');
                    !text[start + part.len()..].starts_with(word)
                })
            })
        };
        is_quoted(text, form) || led()
    })
}

/// Whether a string occurs in quotation marks in a text.
fn is_quoted(text: &str, form: &str) -> bool {
    text.match_indices(form)
        .any(|(start, part)| opens_quotation(&text[..start]) && closes_quotation(&text[start + part.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_its_beginning_is_one_where_it_is_no_plain_word() {
        let names = |tool| tool_names(tool).collect::<Vec<_>>();
        assert_eq!(names("acme_getBoards"), ["acme_getBoards", "getBoards"]);
        assert_eq!(names("fast_write_file"), ["fast_write_file", "write_file"]);
        assert_eq!(names("git_status"), ["git_status"]);
        assert_eq!(names("getBoards"), ["getBoards"]);
        assert!(!is_made_up("READ") && !is_made_up("Read") && is_made_up("readFile"));
    }

    #[test]
    fn a_form_stands_by_itself_where_no_letter_of_it_touches_another() {
        for (text, form) in [("no a_b", "b"), ("no ab_", "ab"), ("no xab", "ab"), ("no ab1", "ab")] {
            assert!(!stands_in(text, form), "{form} in {text}");
        }
        for (text, form) in [("no x/ab", "/ab"), ("no ab/x", "ab/"), ("ab", "ab"), ("xab ab", "ab")] {
            assert!(stands_in(text, form), "{form} in {text}");
        }
    }

    #[test]
    fn a_word_is_marked_by_quotation_marks_or_a_colon() {
        for text in [
            "no 'missing'",
            "no task: missing",
            "task=missing.",
            r#"{"task":"missing"}"#,
            "id \u{201c}missing\u{201d}",
        ] {
            assert!(is_marked(text, "missing"), "{text}");
        }
        for text in [
            "it is missing",
            "error: missing task",
            "error: missing_task",
            "error: missingness",
            "a 'missing task'",
            "a 'task missing'",
        ] {
            assert!(!is_marked(text, "missing"), "{text}");
        }
    }
}
