//! Texts and values as literals of a programming language. Characters that could be misread (controls, quotes,
//! bidirectional characters) are escaped.

use serde::Deserialize;
use serde_json::Value;

/// The language of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum TestLanguage {
    Python,
    JavaScript,
    Go,
    Rust,
}

/// A string literal in double quotes.
pub(super) fn string(text: &str, language: TestLanguage) -> String {
    let mut literal = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => literal.extend(['\\', letter]),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            letter if is_plain(letter) => literal.push(letter),
            letter => literal.push_str(&escape(letter, language)),
        }
    }
    literal.push('"');
    literal
}

fn escape(letter: char, language: TestLanguage) -> String {
    let point = u32::from(letter);
    match language {
        TestLanguage::Rust | TestLanguage::JavaScript => format!("\\u{{{point:x}}}"),
        TestLanguage::Python | TestLanguage::Go if point > 0xffff => format!("\\U{point:08x}"),
        TestLanguage::Python | TestLanguage::Go => format!("\\u{point:04x}"),
    }
}

/// Letters that need no escape: those of left-to-right scripts.
fn is_plain(letter: char) -> bool {
    let from_right = matches!(u32::from(letter), 0x0590..=0x08ff | 0xfb1d..=0xfdff | 0xfe70..=0xfeff | 0x1_0800..=0x1_0fff | 0x1_e800..=0x1_efff);
    matches!(letter, ' '..='~') || letter.is_alphabetic() && !from_right
}

/// A value as a literal: a Python dictionary or a JavaScript object, at this depth of indentation. `None` for a
/// number that the language would round.
pub(super) fn value(value: &Value, language: TestLanguage, indent: usize) -> Option<String> {
    let flat = rendered(value, language, None)?;
    match flat.len() + indent <= 88 || !flat.starts_with(['{', '[']) {
        true => Some(flat),
        false => rendered(value, language, Some(indent)),
    }
}

fn rendered(value: &Value, language: TestLanguage, indent: Option<usize>) -> Option<String> {
    let is_python = language == TestLanguage::Python;
    let inner = indent.map(|indent| indent + if is_python { 4 } else { 2 });
    let plain = match value {
        Value::Null => if is_python { "None" } else { "null" }.to_owned(),
        Value::Bool(bool) if is_python => if *bool { "True" } else { "False" }.to_owned(),
        Value::Number(number) if !is_python && !is_safe(number) => return None,
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => string(text, language),
        Value::Array(items) => {
            let items = items.iter().map(|item| rendered(item, language, inner));
            return Some(enclosed(['[', ']'], &items.collect::<Option<Vec<_>>>()?, language, indent));
        }
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                let key = match name.as_str() {
                    // Without brackets it would set the object's prototype.
                    "__proto__" if !is_python => format!("[{}]", string(name, language)),
                    name if !is_python && is_identifier(name) => name.to_owned(),
                    name => string(name, language),
                };
                Some(format!("{key}: {}", rendered(value, language, inner)?))
            };
            let members = members.iter().map(member).collect::<Option<Vec<_>>>()?;
            return Some(enclosed(['{', '}'], &members, language, indent));
        }
    };
    Some(plain)
}

fn enclosed(ends: [char; 2], items: &[String], language: TestLanguage, indent: Option<usize>) -> String {
    let [open, close] = ends;
    match indent {
        Some(indent) if !items.is_empty() => {
            let step = if language == TestLanguage::Python { 4 } else { 2 };
            let margin = " ".repeat(indent + step);
            let lines: Vec<String> = items.iter().map(|item| format!("{margin}{item},\n")).collect();
            format!("{open}\n{}{}{close}", lines.concat(), " ".repeat(indent))
        }
        _ => {
            let space = if open == '{' && language == TestLanguage::JavaScript && !items.is_empty() {
                " "
            } else {
                ""
            };
            format!("{open}{space}{}{space}{close}", items.join(", "))
        }
    }
}

fn is_identifier(name: &str) -> bool {
    let is_within = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.chars().all(is_within)
}

/// Whether JavaScript can hold a number exactly.
fn is_safe(number: &serde_json::Number) -> bool {
    const MOST: u64 = 1 << 53;
    match (number.as_u64(), number.as_i64()) {
        (Some(whole), _) => whole <= MOST,
        (None, Some(whole)) => whole.unsigned_abs() <= MOST,
        (None, None) => true,
    }
}

/// The arguments of a call: a literal, at this depth of indentation, or JSON in a raw string of Go or Rust. `None` for a number
/// that the language would round.
pub(super) fn arguments(arguments: &Value, language: TestLanguage, indent: usize) -> Option<String> {
    match language {
        TestLanguage::Python | TestLanguage::JavaScript => value(arguments, language, indent),
        TestLanguage::Go | TestLanguage::Rust => Some(raw(arguments, language)),
    }
}

/// A value as JSON in a raw string of Go or Rust.
fn raw(value: &Value, language: TestLanguage) -> String {
    let mut text = String::new();
    for letter in value.to_string().chars() {
        match letter {
            letter if is_plain(letter) && !['`', '#'].contains(&letter) => text.push(letter),
            letter => {
                let mut units = [0; 2];
                for unit in letter.encode_utf16(&mut units) {
                    text.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    match language {
        TestLanguage::Rust => format!("r#\"{text}\"#"),
        _ => format!("`{text}`"),
    }
}

/// A literal for a list of texts.
pub(super) fn strings(texts: &[String], language: TestLanguage) -> String {
    texts.iter().map(|text| string(text, language)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_could_be_read_in_another_way_is_escaped_as_each_language_writes_it() {
        let text = "a\"b\\\n\u{1}é\u{202e}א😀";
        assert_eq!(string(text, TestLanguage::Python), r#""a\"b\\\n\u0001é\u202e\u05d0\U0001f600""#);
        assert_eq!(string(text, TestLanguage::Go), r#""a\"b\\\n\u0001é\u202e\u05d0\U0001f600""#);
        assert_eq!(string(text, TestLanguage::Rust), r#""a\"b\\\n\u{1}é\u{202e}\u{5d0}\u{1f600}""#);
        assert_eq!(string(text, TestLanguage::JavaScript), r#""a\"b\\\n\u{1}é\u{202e}\u{5d0}\u{1f600}""#);
    }

    #[test]
    fn values_are_written_as_the_language_writes_them() {
        let given = json!({"a": [1, -2.5, null, true], "__proto__": {}});
        let python = value(&given, TestLanguage::Python, 0);
        assert_eq!(python.as_deref(), Some(r#"{"a": [1, -2.5, None, True], "__proto__": {}}"#));
        let javascript = value(&given, TestLanguage::JavaScript, 0);
        assert_eq!(javascript.as_deref(), Some(r#"{ a: [1, -2.5, null, true], ["__proto__"]: {} }"#));
        assert_eq!(value(&json!({"n": u64::MAX}), TestLanguage::JavaScript, 0), None);
        assert!(value(&json!({"n": u64::MAX}), TestLanguage::Python, 0).is_some());
    }

    #[test]
    fn a_long_value_has_a_line_for_each_member() {
        let given = json!({"path": "x".repeat(90), "n": 1});
        let literal = value(&given, TestLanguage::Python, 4).unwrap_or_default();
        assert_eq!(
            literal,
            format!("{{\n        \"path\": \"{}\",\n        \"n\": 1,\n    }}", "x".repeat(90))
        );
    }

    #[test]
    fn a_raw_string_cannot_be_left_and_is_the_same_value() {
        let given = json!({"a": "`\"#\u{202e}\r😀"});
        for language in [TestLanguage::Go, TestLanguage::Rust] {
            let literal = raw(&given, language);
            let json = literal.trim_start_matches(['r', '#', '"', '`']).trim_end_matches(['#', '`']);
            let json = if language == TestLanguage::Rust { json.trim_end_matches('"') } else { json };
            assert!(!json.contains(['`', '#', '\u{202e}']), "{literal}");
            assert_eq!(serde_json::from_str::<Value>(json).unwrap_or_default(), given);
        }
    }
}
