//! Converts JSON with comments and trailing commas, as editors accept it, to plain JSON without moving
//! anything.

/// The position of the first thing that JSON does not allow, from 1.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct JsonExtension {
    pub(super) line: usize,
    /// In characters.
    pub(super) column: usize,
    pub(super) feature: &'static str,
}

/// The text with comments and trailing commas replaced by spaces; other mistakes are left to the JSON parser.
pub(super) fn plain(text: &str) -> (String, Option<JsonExtension>) {
    let mut plain: Vec<u8> = text.as_bytes().to_vec();
    let mut extras: Vec<(usize, &'static str)> = Vec::new();
    let mut comma: Option<usize> = None;
    let mut at = 0;
    while at < plain.len() {
        match (plain[at], plain.get(at + 1)) {
            (b'"', _) => {
                at = end_of_string(&plain, at);
                comma = None;
            }
            (b'/', Some(b'/' | b'*')) => {
                let end = end_of_comment(text, at);
                extras.push((at, "comments"));
                for byte in &mut plain[at..end] {
                    if *byte != b'\n' && *byte != b'\r' {
                        *byte = b' ';
                    }
                }
                at = end;
            }
            (b',', _) => {
                comma = Some(at);
                at += 1;
            }
            (b']' | b'}', _) => {
                if let Some(comma) = comma.take() {
                    extras.push((comma, "comma before a closing bracket"));
                    plain[comma] = b' ';
                }
                at += 1;
            }
            (byte, _) => {
                if !byte.is_ascii_whitespace() {
                    comma = None;
                }
                at += 1;
            }
        }
    }
    let first = extras.into_iter().min().map(|(at, feature)| extra(text, at, feature));
    // A byte-order mark is not part of the text.
    let plain = String::from_utf8_lossy(&plain).into_owned();
    (plain.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(plain), first)
}

fn end_of_string(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

fn end_of_comment(text: &str, start: usize) -> usize {
    let rest = &text[start + 2..];
    let length = match text.as_bytes()[start + 1] {
        b'/' => rest.find('\n'),
        _ => rest.find("*/").map(|at| at + 2),
    };
    length.map_or(text.len(), |length| start + 2 + length)
}

fn extra(text: &str, at: usize, feature: &'static str) -> JsonExtension {
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    JsonExtension {
        line: before.matches('\n').count() + 1,
        column: before[start..].chars().count() + 1,
        feature,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, value: &serde_json::Value, first: Option<(usize, usize)>) {
        let (plain, extra) = plain(text);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&plain).ok().as_ref(), Some(value), "{plain}");
        assert_eq!(extra.map(|extra| (extra.line, extra.column)), first, "{text}");
    }

    #[test]
    fn comments_and_trailing_commas_are_taken_away_and_the_first_is_reported() {
        let value = serde_json::json!({"a": ["//", "/*,]*/", "\\\""], "b": 1});
        check(r#"{"a": ["//", "/*,]*/", "\\\""], "b": 1}"#, &value, None);
        let text =
            "// ä\n{\"a\": [\"//\", /* x */ \"/*,]*/\", \"\\\\\\\"\", ],\n  \"b\": 1, // end,\n}\n/* open";
        check(text, &value, Some((1, 1)));
        check("{\"a\": [1, ], }", &serde_json::json!({"a": [1]}), Some((1, 9)));
    }

    #[test]
    fn what_is_no_json_at_all_stays_so() {
        for text in ["{", "{,}", "[,]", "{\"a\" 1}", "\"", "/"] {
            let (plain, _) = plain(text);
            let is_read = serde_json::from_str::<serde_json::Value>(&plain).is_ok();
            assert_eq!(is_read, ["{,}", "[,]"].contains(&text), "{text}");
        }
    }
}
