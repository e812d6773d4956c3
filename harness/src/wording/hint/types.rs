//! A type that is told without a word such as "expected": by two types that are set against each other, or, where the type
//! was wrong, by the name of another one than was sent.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::Asked;
use super::view::View;
use crate::expression::expression;

/// Whether a text tells the type that is wanted.
pub(super) fn tells_a_type(view: &View<'_>, asked: &Asked<'_>) -> bool {
    static CONTRAST: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:not|but|instead|where|got|came|received|was (?:sent|given|passed)|rather|found|has type|while|awaited|belongs|have|having|want|wanted|needed|type|as)\b",
        )
    });
    let wrong_type = asked.condition.contains("type") || asked.condition == "wrong-item";
    view.plain.split(['.', ';', '\n']).any(|sentence| {
        let named = types(sentence);
        if named.is_empty() {
            return false;
        }
        let another = || {
            let mut sent = BTreeSet::new();
            collect(asked.arguments, &mut sent);
            wrong_type && sent.is_disjoint(&named) && !named.contains("null")
        };
        named.len() > 1 && CONTRAST.is_match(sentence) || another()
    })
}

/// The types that a sentence names, each by one name.
fn types(sentence: &str) -> BTreeSet<&'static str> {
    static TYPES: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:(?P<string>strings?)|(?P<number>numbers?|floats?)|(?P<integer>integers?|ints?)|(?P<boolean>booleans?|bools?)|(?P<array>arrays?|lists?|sequence)|(?P<object>objects?|maps?|dicts?|dictionary|mapping|records?)|(?P<null>null|nil))\b",
        )
    });
    const NAMES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];
    let named = |found: regex::Captures<'_>| NAMES.into_iter().find(|name| found.name(name).is_some());
    TYPES.captures_iter(sentence).filter_map(named).collect()
}

/// The types of what was sent, and of what is within.
fn collect(value: &Value, types: &mut BTreeSet<&'static str>) {
    match value {
        Value::Null => drop(types.insert("null")),
        Value::Bool(_) => drop(types.insert("boolean")),
        Value::String(_) => drop(types.insert("string")),
        Value::Number(number) => {
            types.insert("number");
            if !number.is_f64() {
                types.insert("integer");
            }
        }
        Value::Array(items) => {
            types.insert("array");
            items.iter().for_each(|item| collect(item, types));
        }
        // The arguments themselves are an object in every call.
        Value::Object(members) => members.values().for_each(|member| {
            if member.is_object() {
                types.insert("object");
            }
            collect(member, types);
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::asked_under;
    use super::*;

    fn check(condition: &str, text: &str, expected: bool) {
        let told = asked_under(condition, &json!({"files": "a.go"}), |asked| {
            tells_a_type(&View::of(text, asked), asked)
        });
        assert_eq!(told, expected, "{text}");
    }

    #[test]
    fn two_types_are_a_hint_where_one_is_set_against_the_other() {
        check("", "a number was awaited and a string came", true);
        check("", "a number and a string", false);
        check("", "a string came. A number as well", false);
    }

    #[test]
    fn where_the_type_was_wrong_another_one_than_was_sent_is_wanted() {
        check("invalid-type", "files: array", true);
        check("invalid-type", "files is a string", false);
        check("invalid-type", "files is null", false);
        check("path-not-found", "the list could not be read", false);
    }
}
