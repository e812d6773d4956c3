//! Reading `[CODE] message`.

use std::ops::Range;

use super::CodeField;
use crate::contract::{Contract, Spelling};

/// Reads `[CODE] message`: BC-01, BC-02. The grammar of a code is that of A4.
pub(super) fn read(text: &str, contract: &Contract) -> (CodeField, Range<usize>) {
    let lead = text.len() - text.trim_start().len();
    if let Some(inside) = text[lead..].strip_prefix('[')
        && let Some(length) = inside.find([']', '\n'])
        && inside[length..].starts_with(']')
    {
        let span = lead + 1..lead + 1 + length;
        let behind = span.end + 1;
        let name = &text[span.clone()];
        let malformed = |why: &str, from: usize| {
            let from = text.len() - text[from..].trim_start().len();
            (CodeField::Malformed { span: span.clone(), why: why.to_owned() }, from..text.len())
        };
        let documented = contract.code(name).is_some();
        let spaced = text[behind..].starts_with(' ');
        if Spelling::UpperSnake.fits(name) {
            if lead > 0 && documented {
                return malformed("there is white space before the bracket", behind);
            }
            if lead == 0 && (spaced || behind == text.len()) {
                let message = (behind + usize::from(spaced))..text.len();
                return (CodeField::Present { span, name: name.to_owned() }, message);
            }
            if lead == 0 && (documented || name.contains('_')) {
                return malformed("the bracket is not followed by one space", behind);
            }
        } else if contract.spelled(name).is_some() || looks_like_a_code(name) {
            return malformed("the code is not in upper case with underscores", behind);
        }
    }
    misplaced(text, contract).or_else(|| unbracketed(text)).unwrap_or((CodeField::Absent, 0..text.len()))
}

/// A code of the catalogue that is not in brackets at the beginning.
fn misplaced(text: &str, contract: &Contract) -> Option<(CodeField, Range<usize>)> {
    // A code further into the text is only mentioned.
    const NEAR: usize = 80;
    contract.codes.iter().find_map(|code| {
        let start = text.find(&code.name).filter(|start| *start <= NEAR)?;
        let span = start..start + code.name.len();
        let (before, after) = (&text[..span.start], &text[span.end..]);
        let (why, from) = if before.ends_with('[') && after.starts_with("] ") {
            ("the code is not at the beginning of the text", 0)
        } else if stands_alone(before, after) {
            ("the code is not in square brackets", span.end + 1)
        } else {
            return None;
        };
        let from = text.len() - text[from..].trim_start().len();
        Some((CodeField::Malformed { span, why: why.to_owned() }, from..text.len()))
    })
}

/// A code of the server's own at the beginning, as in `NO_SUCH_NOTE: ...`. Names of libraries and of settings, and names
/// followed by a value such as `EXIT_CODE: 3`, are not codes.
fn unbracketed(text: &str) -> Option<(CodeField, Range<usize>)> {
    const OF_LIBRARIES: [&str; 5] = ["ERR_", "ER_", "UND_ERR_", "SQLITE_", "HTTP_"];
    const OF_SETTINGS: [&str; 9] =
        ["_KEY", "_TOKEN", "_SECRET", "_URL", "_PASSWORD", "_DIR", "_PATH", "_VAR", "_ID"];
    let (name, message) = text.split_once(": ")?;
    let is_sentence = message.lines().next().is_some_and(|line| line.split_whitespace().count() > 1);
    let is_code = name.contains('_') && Spelling::UpperSnake.fits(name) && is_sentence;
    let is_of_another = OF_LIBRARIES.iter().any(|library| name.starts_with(library))
        || OF_SETTINGS.iter().any(|setting| name.ends_with(setting));
    if !is_code || is_of_another {
        return None;
    }
    let why = "the code is not in square brackets".to_owned();
    Some((CodeField::Malformed { span: 0..name.len(), why }, name.len() + 2..text.len()))
}

/// Whether a code stands alone: `CODE: ...`, `CODE ...`, `(CODE) ...`, `<CODE> ...`.
fn stands_alone(before: &str, after: &str) -> bool {
    match before.trim() {
        "" => after.starts_with([':', ' ']),
        "(" => after.starts_with(')'),
        "<" => after.starts_with('>'),
        "{" => after.starts_with('}'),
        _ => false,
    }
}

/// Whether a name looks like a code in another spelling, with at least two words: `not-found`, `not_found`,
/// `NotFound`. Valid codes were read before.
fn looks_like_a_code(name: &str) -> bool {
    let plain = name.len() <= 60 && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let parts = name.split(['-', '_']).count();
    let lettered = name.split(['-', '_']).all(|part| part.starts_with(|c: char| c.is_ascii_alphabetic()));
    let humps = name.chars().filter(char::is_ascii_uppercase).count();
    let camel = name.starts_with(|c: char| c.is_ascii_uppercase()) && humps >= 2;
    plain && lettered && (parts >= 2 || camel)
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    use crate::sample::contract;

    /// A text, its code, which may be `malformed`, and its message.
    #[derive(serde::Deserialize)]
    struct Case {
        why: String,
        text: String,
        code: Option<String>,
        message: String,
    }

    #[test]
    fn each_text_has_the_code_and_the_message_of_its_line() {
        for line in include_str!("bracket/cases.jsonl").lines() {
            let case: Case = serde_json::from_str(line).expect("a line is a case");
            let (code, message) = read(&case.text, &contract());
            let name = match &code {
                CodeField::Present { name, span } => {
                    assert_eq!(&case.text[span.clone()], name);
                    Some(name.as_str())
                }
                CodeField::Absent => None,
                CodeField::Malformed { .. } => Some("malformed"),
            };
            let found = (name, &case.text[message]);
            assert_eq!(found, (case.code.as_deref(), case.message.as_str()), "{}: {:?}", case.why, case.text);
        }
    }

    #[test]
    fn a_code_of_one_word_is_one_where_the_catalogue_has_it() {
        let mut contract = contract();
        let read = |text: &str, contract: &Contract| read(text, contract).0;
        for text in ["[TIMEOUT]no /a", "[Timeout] no /a"] {
            assert_eq!(read(text, &contract), CodeField::Absent, "{text}");
        }
        contract.codes[0].name = "TIMEOUT".to_owned();
        for text in ["[TIMEOUT]no /a", "[Timeout] no /a"] {
            assert!(matches!(read(text, &contract), CodeField::Malformed { .. }), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_every_span_lies_within_it(text in "(?s)[\\[ ]{0,2}[A-Z_é]{0,12}[\\]: ]{0,3}.{0,30}") {
            let (code, message) = read(&text, &contract());
            prop_assert!(text.get(message).is_some());
            if let CodeField::Present { span, .. } | CodeField::Malformed { span, .. } = code {
                prop_assert!(text.get(span).is_some());
            }
        }
    }
}
