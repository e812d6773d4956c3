//! What a reply looks like, cheaply: two replies of one shape are judged alike, so that the rules need to see one of them.
//!
//! The main type is [`Shape`]. The bytes of the reply are compared but for its id, and but for the values that were
//! sent, each of which leaves a mark of its own: whether a text is the caller's own word or the server's is part of the
//! shape.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

/// A shorter value is looked for nowhere: it would be found everywhere.
const SHORTEST: usize = 3;
/// So many values of one call are looked for.
const MOST_VALUES: usize = 24;
/// So many bytes of a reply are compared; a longer one has its length compared too.
const COMPARED: usize = 64 * 1024;

/// What a reply looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Shape(u64);

/// The values of a call, as they stand in a line of JSON.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sent(Vec<String>);

impl Sent {
    pub(crate) fn of(arguments: &Value) -> Self {
        let mut values = Vec::new();
        collect(arguments, &mut values);
        // Of two that overlap the longer one is the caller's word.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values.dedup();
        Self(values)
    }
}

fn collect(value: &Value, values: &mut Vec<String>) {
    if values.len() >= MOST_VALUES {
        return;
    }
    match value {
        Value::String(text) => {
            let quoted = value.to_string();
            let escaped = &quoted[1..quoted.len() - 1];
            if text.len() >= SHORTEST {
                values.push(escaped.to_owned());
            }
        }
        Value::Number(number) => {
            let text = number.to_string();
            if text.len() >= SHORTEST {
                values.push(text);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, values)),
        Value::Object(members) => members.values().for_each(|member| collect(member, values)),
        Value::Null | Value::Bool(_) => {}
    }
}

impl Shape {
    /// The shape of a reply with this id to a call with these values. `ground` tells apart what is judged differently
    /// though the bytes are the same: the tool, and what its call was for.
    pub(crate) fn of(line: &[u8], length: usize, id: i64, sent: &Sent, ground: &impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        ground.hash(&mut hasher);
        length_class(length).hash(&mut hasher);
        let compared = &line[..line.len().min(COMPARED)];
        match std::str::from_utf8(compared) {
            Ok(text) => hash_text(text, id, sent, &mut hasher),
            Err(_) => compared.hash(&mut hasher),
        }
        Self(hasher.finish())
    }
}

/// The length, where it says more than the bytes that are compared.
fn length_class(length: usize) -> usize {
    if length > COMPARED { length.ilog2() as usize } else { 0 }
}

fn hash_text(text: &str, id: i64, sent: &Sent, hasher: &mut DefaultHasher) {
    let (before, after) = without_id(text, id);
    for part in [before, after] {
        hash_masked(part, &sent.0, hasher);
        hasher.write_u8(0xfe);
    }
}

/// The text around the id.
fn without_id(text: &str, id: i64) -> (&str, &str) {
    let member = format!("\"id\":{id}");
    let found = text.find(&member).or_else(|| text.rfind(&format!("\"id\": {id}")));
    match found {
        Some(at) => (&text[..at], &text[(at + member.len()).min(text.len())..]),
        None => (text, ""),
    }
}

fn hash_masked(text: &str, values: &[String], hasher: &mut DefaultHasher) {
    let Some((index, value)) = values.iter().enumerate().find(|(_, value)| text.contains(value.as_str()))
    else {
        hasher.write(text.as_bytes());
        return;
    };
    for (turn, part) in text.split(value.as_str()).enumerate() {
        if turn > 0 {
            hasher.write_u8(0xff);
        }
        hash_masked(part, &values[index + 1..], hasher);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(line: &str, id: i64, arguments: &Value) -> Shape {
        Shape::of(line.as_bytes(), line.len(), id, &Sent::of(arguments), &0_u8)
    }

    #[test]
    fn replies_that_differ_in_the_id_and_in_echoed_values_have_one_shape() {
        let left = of(r#"{"id":7,"error":"no file one.txt"}"#, 7, &json!({"path": "one.txt"}));
        let right = of(r#"{"id":8,"error":"no file second.txt"}"#, 8, &json!({"path": "second.txt"}));
        assert_eq!(left, right);
    }

    #[test]
    fn the_same_bytes_are_another_shape_where_they_are_not_the_callers_own() {
        let line = r#"{"id":7,"error":"Traceback of main.py"}"#;
        let echoed = of(line, 7, &json!({"path": "Traceback"}));
        let told = of(line, 7, &json!({"path": "other"}));
        assert_ne!(echoed, told);
    }

    #[test]
    fn other_words_are_another_shape() {
        let arguments = json!({"path": "one.txt"});
        let left = of(r#"{"id":7,"error":"no file"}"#, 7, &arguments);
        let right = of(r#"{"id":7,"error":"no folder"}"#, 7, &arguments);
        assert_ne!(left, right);
    }
}
