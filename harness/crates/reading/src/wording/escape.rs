//! Resolves JSON escapes in a text, for messages that are embedded as JSON in another text.
//!
//! The main function is [`readings`]. It does not parse JSON: a reply may be truncated, or surrounded by words.

use std::borrow::Cow;

/// A reply within a reply is escaped twice; deeper nesting was not seen.
const DEPTH: usize = 2;

/// The text as it is written, and with its escapes resolved, if it has any.
pub fn readings(text: &str) -> Vec<Cow<'_, str>> {
    let mut readings = vec![Cow::Borrowed(text)];
    for _ in 0..DEPTH {
        let Some(resolved) = readings.last().and_then(|last| resolved(last)) else { break };
        readings.push(Cow::Owned(resolved));
    }
    readings
}

/// The text with each escape resolved; `None` if there is none. Outside of quotation marks a backslash belongs
/// to a path or a pattern, and a text without quotation marks contains no JSON.
fn resolved(text: &str) -> Option<String> {
    if !(text.contains('\\') && text.contains('"')) {
        return None;
    }
    let mut resolved = String::with_capacity(text.len());
    let mut rest = text;
    let mut any = false;
    while let Some(start) = rest.find('\\') {
        resolved.push_str(&rest[..start]);
        let (letter, length) = escape(&rest[start..]).unwrap_or(('\\', 1));
        any |= length > 1;
        resolved.push(letter);
        rest = &rest[start + length..];
    }
    resolved.push_str(rest);
    any.then_some(resolved)
}

/// The character for the escape at the beginning of a text, and the length of the escape.
fn escape(text: &str) -> Option<(char, usize)> {
    let plain = |letter| Some((letter, 2));
    match text.as_bytes().get(1)? {
        b'n' => plain('\n'),
        b't' => plain('\t'),
        b'r' => plain('\r'),
        b'b' => plain('\u{8}'),
        b'f' => plain('\u{c}'),
        b'"' => plain('"'),
        b'/' => plain('/'),
        b'\\' => plain('\\'),
        b'u' => {
            let unit = unit(text)?;
            match char::decode_utf16([unit]).next()? {
                Ok(letter) => Some((letter, 6)),
                Err(_) => {
                    let pair = [unit, self::unit(text.get(6..)?)?];
                    Some((char::decode_utf16(pair).next()?.ok()?, 12))
                }
            }
        }
        _ => None,
    }
}

/// The UTF-16 unit of `\u00e9` at the beginning of a text.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(readings(text), expected, "{text}");
    }

    #[test]
    fn every_escape_of_json_is_resolved() {
        check(
            r#"{"a":"1\n2\t3\r4\"5\/6\\7\b8\f9"}"#,
            &[r#"{"a":"1\n2\t3\r4\"5\/6\\7\b8\f9"}"#, "{\"a\":\"1\n2\t3\r4\"5/6\\7\u{8}8\u{c}9\"}"],
        );
        check(r#""caf\u00e9 \ud83c\udf4f""#, &[r#""caf\u00e9 \ud83c\udf4f""#, "\"café 🍏\""]);
    }

    #[test]
    fn a_reply_within_a_reply_is_resolved_twice() {
        check(r#""a\\nb""#, &[r#""a\\nb""#, r#""a\nb""#, "\"a\nb\""]);
    }

    #[test]
    fn what_is_no_escape_stays_as_it_is() {
        check(r"C:\new\text", &[r"C:\new\text"]);
        check(r#"the pattern "\d+""#, &[r#"the pattern "\d+""#]);
        check(r#""\ud83c alone, \u12 and \"#, &[r#""\ud83c alone, \u12 and \"#]);
        check(r#""\u+041""#, &[r#""\u+041""#]);
        check(r#""\ud83c\u0041""#, &[r#""\ud83c\u0041""#, r#""\ud83cA""#]);
    }

    proptest! {
        #[test]
        fn what_json_escaped_is_read_again(text in "(?s).{0,40}") {
            let json = serde_json::Value::String(text.clone()).to_string();
            let read = readings(&json);
            prop_assert!(read.iter().any(|reading| reading[1..reading.len() - 1] == text));
        }
    }
}
