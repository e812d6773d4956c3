//! Makes the twin of a failing call: another wrong value of the same shape and length, so that the parts of the
//! reply that change with the value can be told from the server's own.
//!
//! The main function is [`twin_arguments`]. It is pure; whether a twin may be sent is decided elsewhere.

use serde_json::{Map, Number, Value};

use crate::condition::{self, ConditionTrait};
use crate::exchange::Exchange;
use crate::expectation::{Expected, ExpectedFailure, ExpectedValue};

/// Shorter words are often syntax, such as the `d` of `\d` and the ends of `[a-z]`.
const WORD: usize = 3;

/// The arguments of a call's twin; `None` if no value can be changed without changing the fault.
pub fn twin_arguments(exchange: &Exchange) -> Option<Value> {
    let Expected::Failure(failure) = &exchange.place.expected else { return None };
    let Value::Object(arguments) = &exchange.call.arguments else { return None };
    // Values that JSON cannot hold, such as a number of a thousand digits, were sent differently from what is
    // recorded.
    let line = serde_json::from_str::<Value>(&exchange.call.line);
    let is_as_sent = line.map_or(exchange.call.line.is_empty(), |line| {
        line.pointer("/params/arguments") == Some(&exchange.call.arguments)
    });
    // All parameters of a tool may be in one argument.
    let wrapped = arguments.len() == 1;
    let of = |(name, value): (&String, &Value)| {
        let change = ArgumentChange { failure, name };
        let changed = match value {
            Value::Object(members) if wrapped && !change.is_named() => {
                let of = |(name, value): (&String, &Value)| {
                    (name.clone(), ArgumentChange { failure, name }.apply(value))
                };
                members.iter().map(of).collect()
            }
            _ => change.apply(value),
        };
        (name.clone(), changed)
    };
    let changed: Map<String, Value> = arguments.iter().map(of).collect();
    (is_as_sent && changed != *arguments).then_some(Value::Object(changed))
}

/// A change to one argument.
struct ArgumentChange<'a> {
    failure: &'a ExpectedFailure,
    name: &'a str,
}

impl ArgumentChange<'_> {
    fn apply(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.of_text(text)),
            Value::Number(number) if self.is_named() => {
                other_number(number).map_or_else(|| value.clone(), Value::Number)
            }
            Value::Array(items) => Value::Array(items.iter().map(|item| self.apply(item)).collect()),
            Value::Object(members) => Value::Object(
                members.iter().map(|(name, member)| (name.clone(), self.apply(member))).collect(),
            ),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn of_text(&self, text: &str) -> String {
        let condition = self.failure.condition.0.as_str();
        for value in self.failure.value.iter().flat_map(flat) {
            match value {
                ExpectedValue::Path(path)
                    if condition::has(condition, ConditionTrait::AnyPath)
                        && !last(path).is_empty()
                        && last(path) == last(text) =>
                {
                    return other_path(text);
                }
                ExpectedValue::Text(wrong)
                    if condition::has(condition, ConditionTrait::AnyValue) && wrong == text =>
                {
                    return other(text, WORD);
                }
                _ => {}
            }
        }
        if self.is_named() { other(text, WORD) } else { text.to_owned() }
    }

    /// Whether the argument itself is what was wrong.
    fn is_named(&self) -> bool {
        let is_it =
            |value: &ExpectedValue| matches!(value, ExpectedValue::Parameter(name) if name == self.name);
        condition::has(&self.failure.condition.0, ConditionTrait::AnyValue)
            && self.failure.value.iter().flat_map(flat).any(is_it)
    }
}

/// The alternatives of an expectation.
fn flat(value: &ExpectedValue) -> Vec<&ExpectedValue> {
    match value {
        ExpectedValue::AnyOf(values) => values.iter().flat_map(flat).collect(),
        value => vec![value],
    }
}

/// The last part of a path.
fn last(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// Another name in the same folder, with the same extension.
fn other_path(path: &str) -> String {
    let name = last(path);
    let start = path.trim_end_matches('/').len() - name.len();
    let stem = name.rfind('.').filter(|at| *at > 0).unwrap_or(name.len());
    let (name, end) = (start..start + stem, start + stem);
    format!("{}{}{}", &path[..start], other(&path[name], 1), &path[end..])
}

/// The text with every word of at least this many letters and digits replaced by another one.
fn other(text: &str, shortest: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let inside = |letter: char| letter.is_ascii_alphanumeric() == first.is_ascii_alphanumeric();
        let end = rest.find(|letter| !inside(letter)).unwrap_or(rest.len());
        let run = &rest[..end];
        if first.is_ascii_alphanumeric() && run.len() >= shortest {
            // The digits of a hexadecimal number stay hexadecimal.
            let letters = if run.bytes().all(|byte| byte.is_ascii_hexdigit()) { 6 } else { 26 };
            out.extend(run.bytes().map(|byte| char::from(turned(byte, letters))));
        } else {
            out.push_str(run);
        }
        rest = &rest[end..];
    }
    out
}

/// Another one of the first `letters` letters, or another digit; digits other than 0 do not become 0.
fn turned(byte: u8, letters: u8) -> u8 {
    let turn = |first: u8, of: u8, by: u8| first + (byte - first + by) % of;
    match byte {
        b'a'..=b'z' => turn(b'a', letters, letters / 3 - 1),
        b'A'..=b'Z' => turn(b'A', letters, letters / 3 - 1),
        b'1'..=b'9' => turn(b'1', 9, 4),
        other => other,
    }
}

/// Another number with the same number of digits.
fn other_number(number: &Number) -> Option<Number> {
    let digits: String = number
        .to_string()
        .bytes()
        .map(|byte| match byte {
            b'1'..=b'9' => char::from(turned(byte, 6)),
            other => char::from(other),
        })
        .collect();
    let other: Number = serde_json::from_str(&digits).ok()?;
    (other.to_string().len() == number.to_string().len()).then_some(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;
    use serde_json::json;

    use crate::sample::refusal;

    /// Checks the twin's arguments for a call that fails for this condition and value.
    fn check(condition: &str, value: &Value, arguments: &Value, twin: Option<&Value>) {
        let expected = json!({"failure": {"condition": condition, "value": value, "hint": null, "valid_values_of": null}});
        let mut exchange = refusal("", arguments);
        exchange.place.expected = serde_json::from_value(expected).expect("an expectation");
        assert_eq!(twin_arguments(&exchange).as_ref(), twin);
    }

    #[test]
    fn another_path_lies_in_the_same_folder_and_has_the_same_ending() {
        let arguments = json!({"path": "/workspace/a/missing.txt", "mode": "text"});
        let twin = json!({"path": "/workspace/a/tpzzpun.txt", "mode": "text"});
        check("path-not-found", &json!({"path": "/workspace/a/missing.txt"}), &arguments, Some(&twin));
    }

    #[test]
    fn a_path_that_must_be_there_has_no_twin() {
        let arguments = json!({"path": "/workspace/closed.key"});
        check("denied-path", &json!({"path": "/workspace/closed.key"}), &arguments, None);
        check("missing-argument", &json!({"parameter": "path"}), &json!({}), None);
    }

    #[test]
    fn a_pattern_stays_as_broken_as_it_was() {
        check(
            "invalid-regex",
            &json!({"text": "[unclosed"}),
            &json!({"pattern": "[unclosed"}),
            Some(&json!({"pattern": "[bujsvzlk"})),
        );
        check("invalid-regex", &json!({"text": "*a"}), &json!({"pattern": "*a"}), None);
    }

    #[test]
    fn a_number_in_the_place_of_a_text_keeps_its_length() {
        check(
            "invalid-type",
            &json!({"parameter": "path"}),
            &json!({"path": 1205}),
            Some(&json!({"path": 5609})),
        );
    }

    #[test]
    fn a_parameter_is_found_in_the_argument_in_which_all_stand() {
        check(
            "invalid-type",
            &json!({"parameter": "path"}),
            &json!({"params": {"path": 1205, "depth": 1205}}),
            Some(&json!({"params": {"path": 5609, "depth": 1205}})),
        );
    }

    proptest! {
        #[test]
        fn another_text_is_as_long_and_differs_wherever_it_has_a_word(text in "\\PC{0,40}") {
            let twin = other(&text, WORD);
            prop_assert_eq!(twin.len(), text.len());
            let has_word = text.split(|c: char| !c.is_ascii_alphanumeric()).any(|run| run.len() >= WORD && run.bytes().any(|byte| byte != b'0'));
            prop_assert_eq!(twin != text, has_word);
        }
    }
}
