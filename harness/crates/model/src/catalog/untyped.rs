//! Parameters without a type in the schema, as declared by servers that check their arguments themselves.
//!
//! The main function is [`assumed`]. Assumed types are for generating values, never for deciding what a schema
//! forbids.

use serde_json::{Map, Value, json};

use crate::names::name_words;
use crate::words;

/// Keywords that determine the type, or refer to other schemas.
const SAYING: [&str; 10] =
    ["type", "enum", "const", "anyOf", "oneOf", "allOf", "not", "$ref", "$dynamicRef", "$recursiveRef"];
/// Keywords that apply to a single type.
const ABOUT: [(&str, &[&str]); 4] = [
    ("object", &["properties", "patternProperties", "additionalProperties", "required"]),
    ("array", &["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]),
    ("string", &["pattern", "format", "minLength", "maxLength", "contentEncoding"]),
    ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
];

/// The properties with a type added to each that has none; `None` if all have one.
pub(super) fn assumed(properties: &Map<String, Value>) -> Option<Map<String, Value>> {
    let open = properties.iter().filter(|(_, schema)| is_untyped(schema));
    let types: Vec<(&String, &str)> = open.map(|(name, schema)| (name, type_of(name, schema))).collect();
    if types.is_empty() {
        return None;
    }
    let mut assumed = properties.clone();
    for (name, kind) in types {
        match &mut assumed[name] {
            Value::Object(schema) => drop(schema.insert("type".to_owned(), json!(kind))),
            schema => *schema = json!({ "type": kind }),
        }
    }
    Some(assumed)
}

/// Whether a schema allows any type and names none.
pub(super) fn is_untyped(schema: &Value) -> bool {
    match schema {
        Value::Bool(allows) => *allows,
        Value::Object(schema) => !SAYING.iter().any(|keyword| schema.contains_key(*keyword)),
        _ => false,
    }
}

/// The likeliest type of such a value: by its other keywords, its default, its examples, its description and
/// its name.
fn type_of(name: &str, schema: &Value) -> &'static str {
    let has = |keywords: &&[&str]| keywords.iter().any(|keyword| schema.get(*keyword).is_some());
    if let Some((kind, _)) = ABOUT.iter().find(|(_, keywords)| has(keywords)) {
        return kind;
    }
    let example = schema.get("examples").and_then(|examples| examples.get(0));
    if let Some(kind) = [schema.get("default"), example].into_iter().flatten().find_map(of_value) {
        return kind;
    }
    let description = schema.get("description").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| description.contains(word));
    let words = name_words(name);
    let first_is = |known: &[&str]| words.first().is_some_and(|first| known.contains(&first.as_str()));
    let last_is = |known: &[&str]| words.last().is_some_and(|last| known.contains(&last.as_str()));
    if says(&["list of", "array of"]) {
        "array"
    } else if says(&["true", "false", "boolean", "whether"]) {
        "boolean"
    } else if says(&["whole number", "integer"]) {
        "integer"
    } else if first_is(words!("names/untyped-flags")) {
        "boolean"
    } else if last_is(words!("names/untyped-counts")) || first_is(&["max", "min", "num"]) {
        "integer"
    } else {
        "string"
    }
}

fn of_value(value: &Value) -> Option<&'static str> {
    match value {
        Value::Null => None,
        Value::Bool(_) => Some("boolean"),
        Value::Number(number) if number.is_f64() => Some("number"),
        Value::Number(_) => Some("integer"),
        Value::String(_) => Some("string"),
        Value::Array(_) => Some("array"),
        Value::Object(_) => Some("object"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_type_of_what_says_none_is_assumed() {
        for (name, schema, kind) in [
            ("name", json!({"title": "Name", "default": null}), "string"),
            ("note", json!(true), "string"),
            ("limit", json!({}), "integer"),
            ("maxResults", json!({}), "integer"),
            ("is_open", json!({}), "boolean"),
            ("label", json!({"default": 0.5}), "number"),
            ("label", json!({"default": 5}), "integer"),
            ("label", json!({"examples": [["a"]]}), "array"),
            ("label", json!({"description": "Whether to keep it."}), "boolean"),
            ("label", json!({"description": "A list of words."}), "array"),
            ("limit", json!({"minLength": 1}), "string"),
            ("label", json!({"items": {}}), "array"),
            ("label", json!({"properties": {"a": {}}}), "object"),
        ] {
            let properties = Map::from_iter([(name.to_owned(), schema.clone())]);
            let assumed = assumed(&properties).unwrap_or_else(|| panic!("{name} {schema}"));
            assert_eq!(assumed[name]["type"], kind, "{name} {schema}");
        }
        for schema in
            [json!({"type": "string"}), json!({"enum": [1]}), json!({"$ref": "#/$defs/A"}), json!(false)]
        {
            assert!(assumed(&Map::from_iter([("a".to_owned(), schema.clone())])).is_none(), "{schema}");
        }
    }
}
