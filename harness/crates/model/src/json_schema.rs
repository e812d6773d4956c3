//! Reads JSON Schemas of servers within bounds: the targets of references, types, parts, and the size after
//! following references.
//!
//! The main function is [`flattened`]. References out of the document are never opened. It knows nothing of
//! tools, or of what a schema is used for.

use std::borrow::Cow;
use std::iter::successors;

use serde_json::{Map, Value};

pub mod confirm;

/// At most this many references in a row are followed.
const HOPS: usize = 8;
/// A schema larger than this after following references is not compiled.
const EXPANDED: usize = 20_000;
/// How deep a schema is searched.
const DEPTH: usize = 100;

/// The keywords for lists of schemas of which at least one must hold.
pub const CHOICES: [&str; 2] = ["anyOf", "oneOf"];

/// Keywords about members that are not in `properties`.
const OF_OTHERS: [&str; 4] =
    ["additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames"];

/// Whether a schema says nothing about members that are not in `properties`.
pub fn says_nothing_of_others(schema: &Value) -> bool {
    OF_OTHERS.iter().all(|keyword| schema.get(keyword).is_none())
}

/// The reference of a schema, as it is written: `#/$defs/Mode`.
pub fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref").and_then(Value::as_str)
}

/// The target of a reference within the document.
fn target<'s>(reference: &str, root: &'s Value) -> Option<&'s Value> {
    root.pointer(reference.strip_prefix('#')?)
}

/// The schema after following references within the document; an invalid or external reference leads to
/// nothing.
pub fn resolve<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let mut schema = schema;
    for _ in 0..HOPS {
        let Some(at) = reference(schema) else { return schema };
        schema = target(at, root).unwrap_or(&Value::Null);
    }
    &Value::Null
}

/// The schema after following references within the document, and after choosing the alternative to `null`. If
/// references lead nowhere, or in a circle, the last schema seen.
pub fn chosen<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let next = |schema: &&'s Value| {
        let referred = reference(schema).and_then(|at| target(at, root));
        let choice = || ["anyOf", "oneOf", "allOf"].into_iter().find_map(|key| schema.get(key)?.as_array());
        let first = || choice().and_then(|any| any.iter().find(|part| !is_null(part)));
        referred.or_else(|| first().filter(|_| schema.get("type").is_none()))
    };
    successors(Some(schema), next).take(HOPS + 1).last().unwrap_or(schema)
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null")
}

/// The schemas in the lists of these keywords, in the keywords' order.
pub fn listed<'s>(schema: &'s Value, keywords: &'static [&str]) -> impl Iterator<Item = &'s Value> {
    keywords.iter().filter_map(|keyword| schema.get(keyword)?.as_array()).flatten()
}

/// A schema and its alternatives and items, down to this depth, each before its own parts.
pub fn with_parts(schema: &Value, depth: usize) -> Vec<&Value> {
    fn collect<'s>(schema: &'s Value, depth: usize, all: &mut Vec<&'s Value>) {
        let Some(depth) = depth.checked_sub(1) else { return };
        all.push(schema);
        let parts = listed(schema, &["anyOf", "oneOf", "allOf"]).chain(schema.get("items"));
        parts.for_each(|part| collect(part, depth, all));
    }
    let mut all = Vec::new();
    collect(schema, depth, &mut all);
    all
}

/// The names of the members that a schema requires.
pub fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// A schema with its references, its `allOf` and its first non-null alternative merged into one level.
pub fn flattened<'s>(schema: &'s Value, root: &'s Value) -> Cow<'s, Value> {
    let schema = resolve(schema, root);
    let alternative = listed(schema, &CHOICES).find(|part| !is_null(part));
    let parts: Vec<&Value> = listed(schema, &["allOf"]).take(HOPS).chain(alternative).collect();
    if parts.is_empty() {
        return Cow::Borrowed(schema);
    }
    let mut merged = schema.as_object().cloned().unwrap_or_default();
    for part in parts {
        merge(&mut merged, resolve(part, root));
    }
    Cow::Owned(Value::Object(merged))
}

fn merge(into: &mut Map<String, Value>, part: &Value) {
    for (name, value) in part.as_object().into_iter().flatten() {
        match (into.get_mut(name), value) {
            (Some(Value::Object(members)), Value::Object(more)) => {
                members.extend(more.iter().map(|(name, value)| (name.clone(), value.clone())));
            }
            (Some(Value::Array(items)), Value::Array(more)) if name == "required" => {
                items.extend(more.iter().cloned());
            }
            (Some(_), _) => {}
            (None, value) => {
                into.insert(name.clone(), value.clone());
            }
        }
    }
}

/// The types that a schema names, without `null` if there is another one.
pub fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name.as_str()],
        Some(Value::Array(names)) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            let others: Vec<&str> = names.iter().copied().filter(|name| *name != "null").collect();
            if others.is_empty() { names } else { others }
        }
        _ if schema.get("properties").is_some() => vec!["object"],
        _ if schema.get("items").is_some() => vec!["array"],
        _ => Vec::new(),
    }
}

/// Whether a value is of a JSON type; true for a name that is none.
pub fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

/// The first type other than `null` that a schema names. Types implied by other keywords are ignored.
pub fn first_type(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(name) => Some(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        _ => None,
    }
}

/// Whether a schema stays small after following every reference; a recursive one is followed once.
pub fn is_small(root: &Value) -> bool {
    let mut left = EXPANDED;
    let mut open = Vec::new();
    spend(root, root, &mut open, &mut left, 0).is_some()
}

fn spend<'s>(
    schema: &'s Value,
    root: &'s Value,
    open: &mut Vec<&'s str>,
    left: &mut usize,
    depth: usize,
) -> Option<()> {
    *left = left.checked_sub(1)?;
    if depth > DEPTH {
        return None;
    }
    match schema {
        Value::Array(items) => items.iter().try_for_each(|item| spend(item, root, open, left, depth + 1)),
        Value::Object(members) => {
            if let Some(at) = reference(schema)
                && !open.contains(&at)
                && let Some(target) = target(at, root)
            {
                open.push(at);
                spend(target, root, open, left, depth + 1)?;
                open.pop();
            }
            members.values().try_for_each(|member| spend(member, root, open, left, depth + 1))
        }
        _ => Some(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn doubling_references_are_large_and_a_circle_is_not() {
        let mut defs = Map::new();
        for step in 0..40 {
            let next = json!({"$ref": format!("#/$defs/d{}", step + 1)});
            defs.insert(format!("d{step}"), json!({"allOf": [next, next]}));
        }
        assert!(!is_small(&json!({"$defs": defs, "$ref": "#/$defs/d0"})));
        let tree = json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
        assert!(is_small(&tree));
    }

    #[test]
    fn a_reference_out_of_the_document_leads_to_nothing() {
        let root = json!({"$defs": {"a": {"type": "string"}}});
        assert_eq!(types(resolve(&json!({"$ref": "#/$defs/a"}), &root)), ["string"]);
        for at in ["https://example.com/schema", "file:///etc/passwd", "other.json", "#/$defs/b"] {
            assert!(resolve(&json!({ "$ref": at }), &root).is_null(), "{at}");
        }
    }

    #[test]
    fn a_choice_is_followed_to_what_is_not_null_and_a_circle_ends() {
        let root = json!({"$defs": {
            "a": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/b"}]},
            "b": {"type": ["null", "integer"]},
            "round": {"$ref": "#/$defs/round"},
        }});
        let behind = |at: &str| first_type(chosen(&json!({ "$ref": at }), &root)).map(str::to_owned);
        assert_eq!(behind("#/$defs/a").as_deref(), Some("integer"));
        assert_eq!(behind("#/$defs/round"), None);
        let lost = json!({"$ref": "#/$defs/nowhere"});
        assert_eq!(chosen(&lost, &root), &lost);
    }

    #[test]
    fn the_parts_of_a_schema_are_its_alternatives_and_its_items_down_to_a_depth() {
        let schema = json!({"oneOf": [{"const": 1}, {"items": {"enum": [2]}}], "items": {"type": "string"}});
        assert_eq!(with_parts(&schema, 1), [&schema]);
        let parts = [&schema, &schema["oneOf"][0], &schema["oneOf"][1], &schema["items"]];
        assert_eq!(with_parts(&schema, 2), parts);
        assert_eq!(with_parts(&schema, 3).len(), 5);
    }

    #[test]
    fn alternatives_give_their_first_that_is_not_null() {
        let schema = json!({"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 3}], "title": "n"});
        assert_eq!(types(&flattened(&schema, &schema)), ["integer"]);
        assert_eq!(types(&json!({"type": ["null", "boolean"]})), ["boolean"]);
    }
}
