//! What tells two findings of one rule and one tool apart: their words, without what the caller sent.
//!
//! The main function is [`mark`]. A signature masks values for whoever compares two replies; here an input is as odd as
//! can be, and comes back cut short, trimmed, or with its broken parts replaced: each would be a finding of its own.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value;

/// What stands for a value.
const VALUE: &str = "<value>";
/// Of a call with very many values the first ones are looked for.
const MOST: usize = 200;
/// A part of a value that stands beside a masked one is not longer than this: a long one is masked already.
const LONG: usize = 200;
/// A word of the server's has at least so many letters.
const SHORTEST: usize = 3;

/// The words of a signature that are the server's own. A blank, two letters, a brace: such a value may come back anywhere
/// and cannot be told from the server's words, so words of one and two letters and all signs are left out.
pub(super) fn mark(signature: &str, arguments: &Value) -> String {
    static PLACEHOLDER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("<(?:value|n|id|path|time)>").expect("the expression is well-formed"));
    let without_values = without_values(signature, arguments);
    let told = PLACEHOLDER.replace_all(&without_values, " ");
    // A digit that is not masked belongs to a kind of error.
    let is_telling =
        |word: &&str| word.chars().count() >= SHORTEST || word.contains(|char: char| char.is_ascii_digit());
    let words: Vec<&str> = told.split(|char: char| !char.is_alphanumeric()).filter(is_telling).collect();
    if words.is_empty() { without_values } else { words.join(" ") }
}

/// A signature without the values of the call where they stand in quotation marks, the shortest ones too, and without
/// what is left of a value beside one that is masked.
fn without_values(signature: &str, arguments: &Value) -> String {
    let mut values = Vec::new();
    texts(&readable(arguments), &mut values);
    let mut masked = signature.to_owned();
    for value in &values {
        for mark in ['\'', '"', '`'] {
            let quoted = format!("{mark}{value}{mark}");
            if masked.contains(&quoted) {
                masked = masked.replace(&quoted, &format!("{mark}{VALUE}{mark}"));
            }
        }
    }
    without_rests(&without_letters(&masked), &values)
}

/// A signature without the single letter of another script, as it is or escaped, that a runtime quotes from the middle of
/// a value: the server's own words quote none.
fn without_letters(signature: &str) -> String {
    static LETTER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?P<open>['"`])(?:[^\x00-\x7f]|\\[uUx]\{?[0-9a-fA-F<n>]{1,24}\}?)(?P<close>['"`])"#)
            .expect("the expression is well-formed")
    });
    LETTER.replace_all(signature, "${open}<value>${close}").into_owned()
}

/// A call that no parser takes is a text; what it was meant to hold is read with each half of a character replaced, as
/// servers do that take it.
fn readable(arguments: &Value) -> Value {
    static HALF: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}").expect("the expression is well-formed")
    });
    let Value::String(line) = arguments else { return arguments.clone() };
    let whole = HALF.replace_all(line, "\u{fffd}");
    serde_json::from_str(&whole).unwrap_or_else(|_| arguments.clone())
}

/// The texts and numbers of a call, as a signature holds them.
fn texts(value: &Value, found: &mut Vec<String>) {
    if found.len() >= MOST {
        return;
    }
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(members) => members.values().for_each(|member| texts(member, found)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Takes out what stands directly beside a masked value and is a part of one that was sent, or a sign that it was cut.
fn without_rests(masked: &str, values: &[String]) -> String {
    if !masked.contains(VALUE) {
        return masked.to_owned();
    }
    let (mut ends, mut beginnings) = (Vec::new(), Vec::new());
    for value in values.iter().filter(|value| value.len() <= LONG) {
        let value = as_in_a_signature(value);
        let borders = value.char_indices().map(|(at, _)| at);
        for at in borders.filter(|at| is_border(&value, *at)) {
            ends.push(value[at..].to_owned());
            beginnings.push(value[..at].to_owned());
        }
        beginnings.push(value);
    }
    let longest_first = |parts: &mut Vec<String>| {
        parts.retain(|part| !part.trim().is_empty());
        parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
        parts.dedup();
    };
    longest_first(&mut ends);
    longest_first(&mut beginnings);
    let mut parts = masked.split(VALUE);
    let mut clean = String::with_capacity(masked.len());
    let mut before = parts.next().unwrap_or_default();
    for after in parts {
        let kept = without_end(before, &beginnings);
        let quotation = kept.chars().next_back().filter(|char| is_quotation(*char));
        clean.push_str(kept);
        clean.push_str(VALUE);
        before = without_beginning(after, &ends, quotation);
    }
    clean.push_str(before);
    joined(&clean)
}

/// A value as a signature shows it: white space is one space, digits are masked.
fn as_in_a_signature(value: &str) -> String {
    static DIGITS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\d+").expect("the expression is well-formed"));
    let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
    DIGITS.replace_all(&value, "<n>").into_owned()
}

/// A part of a value is no piece of a word: an `s` behind a value is the server's own plural.
fn is_border(value: &str, at: usize) -> bool {
    let is_letter = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
    !(is_letter(value[..at].chars().next_back()) && is_letter(value[at..].chars().next()))
}

/// What a server puts in place of half a character, or of what it cut.
fn is_sign(char: char) -> bool {
    matches!(char, '\u{fffd}' | '…')
}

fn is_quotation(char: char) -> bool {
    matches!(char, '\'' | '"' | '`')
}

/// Whether a server would write it itself beside a value.
fn is_stop(char: char) -> bool {
    is_quotation(char) || char.is_whitespace() || ".,:;!?()[]{}".contains(char)
}

/// A text behind a value; `quotation` stands before that.
fn without_beginning<'a>(text: &'a str, ends: &[String], quotation: Option<char>) -> &'a str {
    let stripped = ends.iter().find_map(|part| {
        let rest = text.strip_prefix(part.as_str())?;
        let is_quoted = quotation.is_some() && rest.chars().next() == quotation;
        let is_a_rest = is_quoted || !part.starts_with(is_stop) && !part.ends_with(is_stop);
        (is_a_rest && is_apart(part.chars().next_back(), rest.chars().next())).then_some(rest)
    });
    let text = stripped.unwrap_or(text).trim_start_matches(is_sign);
    text.strip_prefix("...").unwrap_or(text)
}

fn without_end<'a>(text: &'a str, beginnings: &[String]) -> &'a str {
    let stripped = beginnings.iter().find_map(|part| {
        let rest = text.strip_suffix(part.as_str())?;
        let is_quoted = rest.chars().next_back().is_some_and(is_quotation);
        let is_a_rest = is_quoted || !part.starts_with(is_stop) && !part.ends_with(is_stop);
        (is_a_rest && is_apart(rest.chars().next_back(), part.chars().next())).then_some(rest)
    });
    stripped.unwrap_or(text).trim_end_matches(is_sign)
}

/// Whether a word ends between two characters.
fn is_apart(left: Option<char>, right: Option<char>) -> bool {
    let is_letter = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
    !(is_letter(left) && is_letter(right))
}

/// Values side by side are one, and white space within quotation marks that a value was trimmed to is its own.
fn joined(text: &str) -> String {
    static SIDE_BY_SIDE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"<value>(?:[\w./~-]*<(?:value|n|id|path)>)+[\w./~-]*")
            .expect("the expression is well-formed")
    });
    static TRIMMED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?P<open>['"`]) ?<value> ?(?P<close>['"`])"#).expect("the expression is well-formed")
    });
    let text = SIDE_BY_SIDE.replace_all(text, VALUE);
    let text = TRIMMED.replace_all(&text, |found: &Captures<'_>| match found["open"] == found["close"] {
        true => format!("{0}{VALUE}{0}", &found["open"]),
        false => found[0].to_owned(),
    });
    text.into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(signature: &str, arguments: &Value, expected: &str) {
        assert_eq!(without_values(signature, arguments), expected);
    }

    #[test]
    fn a_value_that_comes_back_bare_makes_no_finding_of_its_own() {
        let told = |quoted: &str, bare: &str| {
            format!(
                "[INVALID_INPUT] Could not show '{quoted}' (NoSuchElement: No value present for {bare}). Check it."
            )
        };
        let one = mark(&told("<value>", "<value>"), &json!({"id": "alpha"}));
        assert_eq!(one, "INVALID INPUT Could not show NoSuchElement value present for Check");
        for (quoted, bare, value) in [
            ("<value>", "<n>", "42"),
            ("<value>", "al", "al"),
            ("<value>", "${", "${"),
            (" ", "", " "),
            ("<value>", "<n>-", "1-"),
            ("<value>", "{", " {"),
        ] {
            assert_eq!(mark(&told(quoted, bare), &json!({"id": value})), one, "{value}");
        }
    }

    #[test]
    fn the_number_of_a_kind_of_error_tells_two_faults_apart() {
        let told = |number: &str| mark(&format!("it did not work (os error {number})"), &json!({}));
        assert_ne!(told("2"), told("13"));
        assert_eq!(mark("no!", &json!({})), "no!");
    }

    #[test]
    fn what_is_left_of_a_value_beside_a_masked_one_is_the_callers() {
        let moved = |source: &str, destination: &str| json!({"source": source, "destination": destination});
        let one = "ENOENT: no such file or directory, rename '<value>' -> '<value>'";
        for (signature, arguments) in [
            ("ENOENT: no such file or directory, rename '<value> ' -> '<value>'", moved("\n", "alpha")),
            ("ENOENT: no such file or directory, rename '<value>${' -> '<value>'", moved("${", "alpha")),
            ("ENOENT: no such file or directory, rename '<value>' -> '<value>%s'", moved("alpha", "%s")),
            (
                "ENOENT: no such file or directory, rename '<value>{<n>} {<n>}' -> '<value>%'",
                moved("{0} {1}", "%"),
            ),
            (
                "ENOENT: no such file or directory, rename '<value>{<n>} {<n>}' -> '<value>\u{fffd}'",
                json!(r#"{"source":"{0} {1}","destination":"\ud83d"}"#),
            ),
            ("ENOENT: no such file or directory, rename '<value>...' -> '<value>…'", moved("a", "b")),
        ] {
            check(signature, &arguments, one);
        }
    }

    #[test]
    fn a_letter_quoted_from_the_middle_of_a_value_is_the_callers() {
        let told = |letter: &str| {
            format!("end byte index <n> is not a char boundary; it is inside '{letter}' (bytes")
        };
        for letter in ["\u{e9}", "\u{1f34b}", r"\u{<n>b}", r"\u{feff}", r"\U<n>f<n>b", r"\xe<n>"] {
            check(&told(letter), &json!({"title": "abc"}), &told("<value>"));
        }
        let own = told("a");
        check(&own, &json!({"title": "abc"}), &own);
    }

    #[test]
    fn a_temporary_name_made_of_a_broken_value_is_one_value() {
        let arguments = json!(r#"{"path":"/w/\ude00","content":"x"}"#);
        let told = |from: &str, to: &str| {
            format!("EISDIR: illegal operation on a directory, rename '{from}' -> '{to}'")
        };
        let broken = told("<value>\u{fffd}.<n>.tmp", "<value>\u{fffd}");
        check(&broken, &arguments, &told("<value>", "<value>"));
    }

    #[test]
    fn the_words_of_the_server_stay_and_tell_two_faults_apart() {
        let arguments = json!({"path": "notes not found", "name": " "});
        for words in [
            "'<value>' not found",
            "'<value>' is a directory",
            r#"{"error":"<value> not there"}"#,
            r#"{"error":"<value> is a directory"}"#,
            "<value>s are many",
            "no '<value> or else'",
        ] {
            check(words, &arguments, words);
        }
    }

    #[test]
    fn a_full_stop_that_ends_a_value_is_none_of_the_values() {
        let arguments = json!({"path": "notes."});
        check("there is no <value>. Check it", &arguments, "there is no <value>. Check it");
        check("there is no '<value>.'", &arguments, "there is no '<value>'");
        check("there is no <value>%s here", &json!({"path": "%s"}), "there is no <value> here");
    }

    #[test]
    fn short_values_in_quotation_marks_are_masked() {
        check("no 'a' here", &json!({"name": "a"}), "no '<value>' here");
        check("no a here", &json!({"name": "a"}), "no a here");
    }
}
