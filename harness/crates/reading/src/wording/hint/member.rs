//! JSON members whose name says what they contain.

use serde_json::Value;

use crate::wording::{beginning, passages};

/// Whether JSON beside a message contains valid values, existing names, what was expected, or a bound.
pub fn lists_beside(data: &str) -> bool {
    let data = beginning(data);
    gives_a_bound(data)
        || passages(data)
            .iter()
            .any(|passage| passage.key.is_some_and(lists_by_name) && !passage.text.trim().is_empty())
}

/// Whether a string in a member with this name is a valid value, an existing name, what was expected, or a
/// rule.
pub(super) fn lists_by_name(key: &str) -> bool {
    const WORDS: &str = concat!(
        "available known valid allowed permitted accepted existing supported expected options option choices candidates ",
        "alternatives closest similar suggestion suggestions suggested held holder holders ",
        "rule rules constraints",
    );
    words(key).any(|word| WORDS.split(' ').any(|other| other == word))
}

/// Whether JSON contains a number whose name says that it is a bound: `{"max": 200}`.
pub(super) fn gives_a_bound(text: &str) -> bool {
    fn is_told(value: &Value) -> bool {
        const WORDS: &str = "max maximum min minimum limit lower upper";
        match value {
            Value::Array(items) => items.iter().any(is_told),
            Value::Object(members) => members.iter().any(|(name, value)| {
                let bounds = || words(name).any(|word| WORDS.split(' ').any(|other| other == word));
                value.is_number() && bounds() || is_told(value)
            }),
            _ => false,
        }
    }
    text.trim_start().starts_with(['{', '['])
        && text.contains(|c: char| c.is_ascii_digit())
        && serde_json::from_str(text).is_ok_and(|value: Value| is_told(&value))
}

/// The words of a name, the same for `validValues` and `valid_values`.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut plain = String::new();
    for c in name.chars() {
        if c.is_uppercase() {
            plain.push('_');
        }
        plain.extend(c.to_lowercase());
    }
    let words: Vec<String> = plain.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect();
    words.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_beside_a_message_lists_names_in_members_that_say_so() {
        for (data, lists) in [
            (r#"{"available":["a.txt"]}"#, true),
            (r#"{"availableFiles":["a.txt"]}"#, true),
            (r#"{"known_tasks":"t1"}"#, true),
            (r#"{"details":{"max":200}}"#, true),
            (r#"{"retry":{"after":200}}"#, false),
            (r#"{"max":"many"}"#, false),
            (r#"{"available":[]}"#, false),
            (r#"{"available":" "}"#, false),
            (r#"{"unavailable":["a.txt"]}"#, false),
            (r#"{"path":"a.txt"}"#, false),
            ("available: a.txt", false),
        ] {
            assert_eq!(lists_beside(data), lists, "{data}");
        }
    }
}
