//! The user's own secrets, which a server needs and no report tells.
//!
//! The main type is [`Concealed`]. Values are taken out of what a server writes before anything looks at it, so that
//! reports, recordings, snapshots and findings are free of them alike.

use std::fmt;

use memchr::memmem;

/// How a name begins that stands in the place of a value.
pub(crate) const BEGIN: &str = "{concealed:";
/// A shorter value may stand in any text by chance.
const SHORTEST: usize = 8;

/// Values that are kept out of everything that is reported, each with the name that stands in its place.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Concealed(Vec<Value>);

#[derive(Clone, PartialEq, Eq)]
struct Value {
    written: Vec<u8>,
    name: String,
}

impl Concealed {
    /// Conceals a value under the name of what holds it, such as `API_KEY`, `input:key` or `option:key`: it is reported as `{concealed:API_KEY}`. One that is too short, or a plain word, is left: texts hold it by chance,
    /// and a server whose replies were changed there could not be judged.
    pub fn add(&mut self, name: &str, value: &str) {
        if !is_distinct(value) {
            return;
        }
        let name = match value.bytes().all(|byte| byte.is_ascii_digit()) {
            // It may stand where JSON has a number.
            true => "9".repeat(value.len()),
            false => token(name),
        };
        let in_json = serde_json::Value::from(value).to_string();
        for written in [value, in_json.trim_matches('"')] {
            if self.0.iter().all(|known| known.written != written.as_bytes()) {
                self.0.push(Value { written: written.as_bytes().to_vec(), name: name.clone() });
            }
        }
        // Of two that begin alike the longer one is meant.
        self.0.sort_by_key(|value| std::cmp::Reverse(value.written.len()));
    }

    /// Adds all of another.
    pub fn extend(&mut self, other: &Self) {
        self.0.extend(other.0.iter().cloned());
        self.0.sort_by_key(|value| std::cmp::Reverse(value.written.len()));
    }

    /// The value that is concealed under a name: for a program that needs it, never for a text.
    pub fn value(&self, name: &str) -> Option<&str> {
        let named = self.0.iter().find(|value| value.name == name)?;
        std::str::from_utf8(&named.written).ok()
    }

    /// The text with a name in place of each value.
    pub fn text(&self, text: &str) -> String {
        match self.is_in(text.as_bytes()) {
            true => String::from_utf8_lossy(&self.without(text.as_bytes())).into_owned(),
            false => text.to_owned(),
        }
    }

    /// The bytes with every value concealed.
    pub(crate) fn bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        if self.is_in(&bytes) { self.without(&bytes) } else { bytes }
    }

    fn is_in(&self, bytes: &[u8]) -> bool {
        self.0.iter().any(|value| memmem::find(bytes, &value.written).is_some())
    }

    fn without(&self, bytes: &[u8]) -> Vec<u8> {
        let mut output = Vec::with_capacity(bytes.len());
        let mut at = 0;
        while at < bytes.len() {
            match self.0.iter().find(|value| bytes[at..].starts_with(&value.written)) {
                Some(value) => {
                    output.extend_from_slice(value.name.as_bytes());
                    at += value.written.len();
                }
                None => {
                    output.push(bytes[at]);
                    at += 1;
                }
            }
        }
        output
    }
}

/// What stands in the place of a value: `{concealed:API_KEY}`.
pub fn token(name: &str) -> String {
    format!("{BEGIN}{name}}}")
}

/// Whether a value is unlikely to stand in a text by chance.
fn is_distinct(value: &str) -> bool {
    let is_word = value.bytes().all(|byte| byte.is_ascii_lowercase());
    value.len() >= SHORTEST && !is_word
}

impl fmt::Debug for Concealed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.0.iter().map(|value| &value.name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[(&str, &str)], text: &str, expected: &str) {
        let mut concealed = Concealed::default();
        values.iter().for_each(|(name, value)| concealed.add(name, value));
        assert_eq!(concealed.text(text), expected);
        assert_eq!(concealed.bytes(text.as_bytes().to_vec()), expected.as_bytes());
    }

    #[test]
    fn a_value_is_named_wherever_it_stands() {
        let key = [("KEY", "k-12345678")];
        check(&key, "bad key k-12345678, k-12345678!", "bad key {concealed:KEY}, {concealed:KEY}!");
        check(&key, "k-1234567", "k-1234567");
        check(
            &[("a", "abc-1234"), ("b", "abc-1234-longer")],
            "abc-1234-longer abc-1234",
            "{concealed:b} {concealed:a}",
        );
    }

    #[test]
    fn a_value_that_json_escapes_is_found_in_a_line_of_json() {
        check(&[("a", "pass\"word1")], r#"{"text":"pass\"word1"}"#, r#"{"text":"{concealed:a}"}"#);
    }

    #[test]
    fn a_number_stays_one_and_words_of_everyday_are_left() {
        check(&[("a", "12345678")], r#"{"id":12345678}"#, r#"{"id":99999999}"#);
        check(&[("a", "password"), ("b", "Ab1")], "password Ab1", "password Ab1");
    }

    #[test]
    fn what_is_printed_while_looking_for_a_fault_holds_no_value() {
        let mut concealed = Concealed::default();
        concealed.add("KEY", "k-12345678");
        assert_eq!(format!("{concealed:?}"), r#"["{concealed:KEY}"]"#);
    }
}
