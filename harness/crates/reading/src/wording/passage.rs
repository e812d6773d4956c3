//! The passages of a text that are read: the text itself, or for JSON each of its strings.

use crate::words;

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;

/// A piece of running text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage<'t> {
    /// The text, with escapes resolved.
    pub text: Cow<'t, str>,
    /// Its range in the whole text, as it is written there.
    pub range: Range<usize>,
    /// The name of its member in JSON.
    pub key: Option<&'t str>,
    /// Whether it is an item of a list in JSON.
    pub in_list: bool,
}

impl Passage<'_> {
    /// Whether its member only names the kind of an error.
    pub fn names_a_kind(&self) -> bool {
        /// A kind may have fewer words than this: "Bad Request".
        const SENTENCE: usize = 4;
        let words = self.text.split_whitespace().count();
        let holds_a_sentence = match self.key {
            // A problem's title has as many words as it likes.
            Some("title") => self.in_list && words > 1,
            _ if self.in_list => words > 1,
            _ => words >= SENTENCE && self.text.trim_end().ends_with(['.', '!', '?']),
        };
        self.key.is_some_and(|key| words!("messages/passage-kinds").contains(&key)) && !holds_a_sentence
    }

    /// The range of a part of the passage in the whole text; that of the whole passage if escapes make it
    /// uncertain.
    pub fn locate(&self, part: Range<usize>) -> Range<usize> {
        if self.text.len() == self.range.len() {
            self.range.start + part.start..self.range.start + part.end
        } else {
            self.range.clone()
        }
    }
}

/// The passages of a text. A text that is not a JSON object or array is one passage.
pub fn passages(text: &str) -> Vec<Passage<'_>> {
    let whole =
        || vec![Passage { text: Cow::Borrowed(text), range: 0..text.len(), key: None, in_list: false }];
    let begins = text.trim_start();
    if !(begins.starts_with('{') || begins.starts_with('[')) {
        return whole();
    }
    if serde_json::from_str::<Value>(text).is_err() {
        return whole();
    }
    strings(text)
}

/// The strings of a JSON text that are values.
fn strings(text: &str) -> Vec<Passage<'_>> {
    let bytes = text.as_bytes();
    let mut passages = Vec::new();
    let mut key = None;
    let mut at = 0;
    while let Some(start) = text[at..].find('"').map(|offset| at + offset + 1) {
        let mut end = start;
        while bytes.get(end).is_some_and(|byte| *byte != b'"') {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let Some(inner) = text.get(start..end) else { break };
        at = end + 1;
        let Some(rest) = text.get(at..) else { break };
        if rest.trim_start().starts_with(':') {
            key = Some(inner);
            continue;
        }
        let text = if inner.contains('\\') {
            let quoted = format!("\"{inner}\"");
            serde_json::from_str(&quoted).map_or(Cow::Borrowed(inner), Cow::Owned)
        } else {
            Cow::Borrowed(inner)
        };
        let in_list = bytes[..start - 1].trim_ascii_end().ends_with(b"[")
            || bytes[..start - 1].trim_ascii_end().ends_with(b",");
        passages.push(Passage { text, range: start..end, key, in_list });
    }
    passages
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    #[test]
    fn a_plain_text_is_one_passage() {
        let found = passages("[x] is no JSON");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].range, 0..14);
    }

    #[test]
    fn the_values_of_a_json_text_are_passages_with_their_keys() {
        let text = r#"{"error": "a\nb", "list": ["c"], "n": 1}"#;
        let found: Vec<_> =
            passages(text).into_iter().map(|p| (p.key.map(str::to_owned), p.text.into_owned())).collect();
        assert_eq!(found, [(Some("error".into()), "a\nb".into()), (Some("list".into()), "c".into())]);
        let items = passages(r#"["say \"a\"", {"b": "c"}]"#);
        assert_eq!(items.iter().map(|p| p.text.as_ref()).collect::<Vec<_>>(), ["say \"a\"", "c"]);
    }

    #[test]
    fn a_member_that_names_a_kind_describes_nothing() {
        let found = passages(r#"{"code": "a", "message": "b", "level": ["c"]}"#);
        assert_eq!(found.iter().map(Passage::names_a_kind).collect::<Vec<_>>(), [true, false, true]);
        assert!(!passages("code: a")[0].names_a_kind());
    }

    #[test]
    fn a_sentence_describes_something_whatever_its_member_is_called() {
        let check = |text: &str, expected: bool| {
            let found = passages(text);
            assert_eq!(found.iter().map(Passage::names_a_kind).collect::<Vec<_>>(), [expected], "{text}");
        };
        check(r#"{"level": ["Select a valid choice."]}"#, false);
        check(r#"{"name": "This field may not be blank."}"#, false);
        check(r#"{"title": ["Not empty, please."]}"#, false);
        check(r#"{"title": "One or more arguments are not valid"}"#, true);
        check(r#"{"status": "Bad Request"}"#, true);
        check(r#"{"code": ["invalid"]}"#, true);
    }

    #[test]
    fn a_part_is_located_exactly_where_nothing_is_escaped() {
        let text = r#"{"error": "abc"}"#;
        let passage = &passages(text)[0];
        assert_eq!(&text[passage.locate(1..2)], "b");
        let text = r#"{"error": "a\nbc"}"#;
        assert_eq!(&text[passages(text)[0].locate(1..2)], r"a\nbc");
    }

    proptest! {
        #[test]
        fn passages_lie_on_character_borders(text in "[\\[{]?.{0,60}", value in ".{0,40}") {
            let json = serde_json::json!({"error": value, "more": [value]}).to_string();
            for text in [text, json] {
                for passage in passages(&text) {
                    prop_assert!(text.get(passage.range).is_some());
                }
            }
        }
    }
}
