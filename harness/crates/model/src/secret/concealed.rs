//! The user's own secrets, which a server needs and no report may contain.
//!
//! The main type is [`Concealed`]. Values are removed from the server's output before anything else sees it, so
//! that reports, recordings, snapshots and findings contain none.

use std::fmt;

use memchr::memmem;

/// The beginning of the name that replaces a value.
pub const BEGIN: &str = "{concealed:";
/// A shorter value may occur in any text by chance.
const SHORTEST: usize = 8;

/// Values that are removed from everything that is reported, each with the name that replaces it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Concealed(Vec<Value>);

#[derive(Clone, PartialEq, Eq)]
struct Value {
    written: Vec<u8>,
    name: String,
}

impl Concealed {
    /// Conceals a value under the name of its source, such as `API_KEY`, `input:key` or `option:key`: it is
    /// reported as `{concealed:API_KEY}`. A short value or a plain word is not concealed, because it may occur
    /// by chance, and changing such replies would make the server impossible to judge.
    pub fn add(&mut self, name: &str, value: &str) {
        if !is_distinct(value) {
            return;
        }
        let name = match value.bytes().all(|byte| byte.is_ascii_digit()) {
            // It may be in place of a JSON number.
            true => "9".repeat(value.len()),
            false => token(name),
        };
        let in_json = serde_json::Value::from(value).to_string();
        for written in [value, in_json.trim_matches('"')] {
            if self.0.iter().all(|known| known.written != written.as_bytes()) {
                self.0.push(Value { written: written.as_bytes().to_vec(), name: name.clone() });
            }
        }
        // If one value is the beginning of another, the longer one counts.
        self.0.sort_by_key(|value| std::cmp::Reverse(value.written.len()));
    }

    /// Adds all values of another set.
    pub fn extend(&mut self, other: &Self) {
        self.0.extend(other.0.iter().cloned());
        self.0.sort_by_key(|value| std::cmp::Reverse(value.written.len()));
    }

    /// The value concealed under a name: for starting a program, never for a text.
    pub fn value(&self, name: &str) -> Option<&str> {
        let named = self.0.iter().find(|value| value.name == name)?;
        std::str::from_utf8(&named.written).ok()
    }

    /// The text with each value replaced by its name.
    pub fn text(&self, text: &str) -> String {
        match self.is_in(text.as_bytes()) {
            true => String::from_utf8_lossy(&self.without(text.as_bytes())).into_owned(),
            false => text.to_owned(),
        }
    }

    /// The bytes with every value concealed.
    pub fn bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
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

/// The replacement for a value: `{concealed:API_KEY}`.
pub fn token(name: &str) -> String {
    format!("{BEGIN}{name}}}")
}

/// Whether a value is unlikely to occur in a text by chance.
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
