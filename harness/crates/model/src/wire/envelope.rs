//! Finds the id of a message that cannot be parsed as a whole: truncated, malformed, or invalid from some point
//! on.
//!
//! The scan is total and skips the values of members: an `"id"` within a result is not the message's id.

/// The result of scanning the beginning of a message.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct MessagePrefix {
    /// The text of its member `id`, if the scan reached it.
    pub id: Option<String>,
    /// Whether it has a member `method`, and so is not a response.
    pub has_method: bool,
    /// Whether it has a member `result` or `error`.
    pub is_response: bool,
}

/// Scans the names of a message's own members, as far as possible.
pub fn scan_prefix(text: &str) -> MessagePrefix {
    let mut prefix = MessagePrefix::default();
    let mut scan = Scan { rest: text.trim_start() };
    if !scan.take('{') {
        return prefix;
    }
    while let Some(name) = scan.name() {
        match name {
            "method" => prefix.has_method = true,
            "result" | "error" => prefix.is_response = true,
            _ => {}
        }
        let Some(value) = scan.value() else { return prefix };
        if name == "id" {
            prefix.id = Some(value.trim().to_owned());
        }
    }
    prefix
}

/// The id at the end of a message whose middle was not read, as in `...},"id":7}`.
pub fn id_at_end(text: &str) -> Option<String> {
    let text = text.trim_end().strip_suffix('}')?;
    let (before, id) = text.rsplit_once("\"id\":")?;
    let is_member = before.trim_end().ends_with(',');
    let id = id.split(',').next()?.trim();
    let is_scalar = id.parse::<i64>().is_ok() || (id.len() > 1 && id.starts_with('"') && id.ends_with('"'));
    (is_member && is_scalar).then(|| id.to_owned())
}

/// The id of a response in the places where SDKs write it: directly after `jsonrpc`, or at the end. The rest is
/// not parsed, and may not be a message at all.
pub fn id_where_usual(line: &[u8]) -> Option<i64> {
    let digits = match line.strip_prefix(br#"{"jsonrpc":"2.0","id":"#) {
        Some(rest) => &rest[..rest.iter().position(|byte| *byte == b',')?],
        None => {
            let before = line.strip_suffix(b"}")?;
            let begin = before.iter().rposition(|byte| !byte.is_ascii_digit())? + 1;
            let (before, digits) = before.split_at(begin);
            before.ends_with(br#","id":"#).then_some(digits)?
        }
    };
    let is_plain = digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits).ok().filter(|_| is_plain)?.parse().ok()
}

struct Scan<'a> {
    rest: &'a str,
}

impl<'a> Scan<'a> {
    fn take(&mut self, c: char) -> bool {
        match self.rest.trim_start().strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// The next member's name; skips its colon.
    fn name(&mut self) -> Option<&'a str> {
        self.take(',');
        if !self.take('"') {
            return None;
        }
        let end = string_end(self.rest)?;
        let name = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        self.take(':').then_some(name)
    }

    /// The text of the value at this position, if it is complete.
    fn value(&mut self) -> Option<&'a str> {
        let mut depth = 0_usize;
        let mut at = 0;
        loop {
            let rest = &self.rest[at..];
            let step = rest.find(['"', '{', '[', '}', ']', ','])?;
            at += step;
            match self.rest.as_bytes()[at] {
                b'"' => at += 1 + string_end(&self.rest[at + 1..])?,
                b'{' | b'[' => depth += 1,
                b',' | b'}' | b']' if depth == 0 => {
                    let value = &self.rest[..at];
                    self.rest = &self.rest[at..];
                    return Some(value);
                }
                b',' => {}
                _ => depth -= 1,
            }
            at += 1;
        }
    }
}

/// The end of a string whose opening quote comes before this text.
fn string_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_id_is_seen_at_a_responses_ends() {
        for (line, id) in [
            (r#"{"jsonrpc":"2.0","id":17,"result":{"id":8}}"#, Some(17)),
            (r#"{"result":{"id":8},"jsonrpc":"2.0","id":17}"#, Some(17)),
            (r#"{"jsonrpc":"2.0","id":"17","result":{}}"#, None),
            (r#"{"jsonrpc":"2.0","id":-1,"result":{}}"#, None),
            (r#"{"jsonrpc":"2.0","id":,"result":{}}"#, None),
            (r#"{"jsonrpc":"2.0","result":{"id":8}}"#, None),
            (r#"{"id":17}"#, None),
            (r#"{"jsonrpc":"2.0","id":17"#, None),
            ("17}", None),
            ("", None),
        ] {
            assert_eq!(id_where_usual(line.as_bytes()), id, "{line}");
        }
    }

    fn check(text: &str, id: Option<&str>, is_response: bool) {
        let seen = scan_prefix(text);
        assert_eq!((seen.id.as_deref(), seen.is_response), (id, is_response), "{text}");
    }

    #[test]
    fn the_id_is_seen_before_a_body_that_breaks_off() {
        check(r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"te"#, Some("7"), true);
        check(r#"{ "id" : "a,}" , "error" : {"#, Some("\"a,}\""), true);
        check(r#"{"result":{"id":9},"id":7"#, None, true);
        check(r#"{"result":{"id":9,"x":"\"}"},"id":7}"#, Some("7"), true);
    }

    #[test]
    fn an_id_within_a_value_is_not_the_id() {
        check(r#"{"jsonrpc":"2.0","result":{"id":7,"#, None, true);
        check(r#"[{"id":7}]"#, None, false);
        check("id: 7", None, false);
        assert!(scan_prefix(r#"{"method":"ping","id":7}"#).has_method);
    }

    #[test]
    fn an_id_at_the_end_is_a_member_of_its_own() {
        assert_eq!(id_at_end(r#""text":"x"}]},"jsonrpc":"2.0","id":7}"#).as_deref(), Some("7"));
        assert_eq!(id_at_end(r#"}],"id":7,"jsonrpc":"2.0"}"#).as_deref(), Some("7"));
        assert_eq!(id_at_end(r#"{"id":{"a":1}}"#), None);
        assert_eq!(id_at_end("no JSON"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_scanned(text in r#"[{}\[\]",:\\a-z0-9 é]{0,60}"#) {
            let _ = (scan_prefix(&text), id_at_end(&text));
        }

        #[test]
        fn whatever_is_cut_off_the_id_that_was_read_is_the_one_that_stands_there(cut in 0_usize..80) {
            let whole = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"x"}]}}"#;
            let seen = scan_prefix(&whole[..cut.min(whole.len())]);
            prop_assert!(seen.id.is_none_or(|id| id == "7"));
        }
    }
}
