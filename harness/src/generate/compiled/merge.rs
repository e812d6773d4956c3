//! Merges two schemas that must both hold: `allOf`, `if`, and keywords beside a reference.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use crate::json_schema::resolve;

/// How deep nested parts are followed.
const HOPS: usize = 64;
/// At most this many parts of an `allOf` are read.
const PARTS: usize = 64;

/// A schema with its references and `allOf` merged into one level. Alternatives stay as they are.
pub(super) fn gathered(schema: &Value, root: &Value) -> Map<String, Value> {
    gather(schema, root, HOPS, &mut Vec::new())
}

/// Like [`gathered`]; `open` holds the references being followed, and a repeated one adds nothing.
fn gather(schema: &Value, root: &Value, hops: usize, open: &mut Vec<String>) -> Map<String, Value> {
    let (Some(hops), Value::Object(members)) = (hops.checked_sub(1), schema) else { return Map::new() };
    let mut own = members.clone();
    let parts = own.shift_remove("allOf");
    if let Some(reference) = own.shift_remove("$ref") {
        let at = decoded(&reference);
        if !open.contains(&at) {
            let target = resolve(&json!({ "$ref": at }), root).clone();
            open.push(at);
            own = both(own, gather(&target, root, hops, open));
            open.pop();
        }
    }
    for part in parts.as_ref().and_then(Value::as_array).into_iter().flatten().take(PARTS) {
        own = both(own, gather(part, root, hops, open));
    }
    own
}

/// A reference with the percent-encoding of its pointer decoded: `#/$defs/a%20b`.
fn decoded(reference: &Value) -> String {
    let text = reference.as_str().unwrap_or_default();
    percent_decode_str(text).decode_utf8().map_or_else(|_| text.to_owned(), Cow::into_owned)
}

/// Both schemas merged.
pub(super) fn both(mut one: Map<String, Value>, other: Map<String, Value>) -> Map<String, Value> {
    for (key, value) in other {
        let Some(own) = one.get_mut(&key) else {
            one.insert(key, value);
            continue;
        };
        if *own == value {
            continue;
        }
        let numbers = own.as_f64().zip(value.as_f64());
        match (key.as_str(), numbers) {
            ("minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties", Some((a, b)))
                if b > a =>
            {
                *own = value;
            }
            ("maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties", Some((a, b)))
                if b < a =>
            {
                *own = value;
            }
            ("properties" | "patternProperties" | "$defs" | "definitions", _) => members(own, value),
            ("required", _) => {
                if let (Value::Array(names), Value::Array(more)) = (own, value) {
                    for name in more {
                        if !names.contains(&name) {
                            names.push(name);
                        }
                    }
                }
            }
            ("enum", _) => {
                if let (Value::Array(values), Value::Array(more)) = (own, value) {
                    values.retain(|value| more.contains(value));
                }
            }
            ("type", _) => *own = shared_types(own, &value),
            ("items" | "additionalProperties" | "contains" | "not", _)
                if own.is_object() && value.is_object() && !says(own, &value) =>
            {
                *own = json!({"allOf": [own.take(), value]});
            }
            ("additionalProperties" | "unevaluatedProperties", _) if value == false => *own = value,
            ("items" | "additionalProperties", _) if *own == true => *own = value,
            // Of two lists of alternatives one of each must hold: the first is drawn from, and the validator
            // checks the other.
            _ => {}
        }
    }
    one
}

fn members(own: &mut Value, more: Value) {
    let (Value::Object(own), Value::Object(more)) = (own, more) else { return };
    for (name, schema) in more {
        match own.get_mut(&name) {
            Some(first) if !says(first, &schema) => *first = json!({"allOf": [first.take(), schema]}),
            Some(_) => {}
            None => {
                own.insert(name, schema);
            }
        }
    }
}

/// Whether a schema contains all keywords of another one, as merged here.
fn says(schema: &Value, other: &Value) -> bool {
    let parts = schema.get("allOf").and_then(Value::as_array);
    schema == other || parts.is_some_and(|parts| parts.iter().any(|part| says(part, other)))
}

fn shared_types(one: &Value, other: &Value) -> Value {
    let names = |value: &Value| -> Vec<String> {
        match value {
            Value::String(name) => vec![name.clone()],
            Value::Array(names) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    };
    let (one, other) = (names(one), names(other));
    let has = |names: &[String], wanted: &str| names.iter().any(|name| name == wanted);
    let mut shared: Vec<String> = one.iter().filter(|name| has(&other, name)).cloned().collect();
    let is_whole =
        has(&one, "integer") && has(&other, "number") || has(&one, "number") && has(&other, "integer");
    if is_whole && !has(&shared, "integer") {
        shared.push("integer".to_owned());
    }
    json!(shared)
}
