//! Reading a schema within bounds: references inside the document, types, and how large it is once they are followed.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// So many references are followed in a row.
const HOPS: usize = 8;
/// A schema that is larger than this, its references followed, is not compiled.
const EXPANDED: usize = 20_000;
/// So deep a schema is looked into.
const DEPTH: usize = 100;

/// What a schema says of members that are none of its `properties`.
const OF_OTHERS: [&str; 4] =
    ["additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames"];

/// Whether a schema leaves open what comes of a member that is none of its properties.
pub(crate) fn says_nothing_of_others(schema: &Value) -> bool {
    OF_OTHERS.iter().all(|keyword| schema.get(keyword).is_none())
}

/// The schema behind references within the document; a reference that leads nowhere, or out of it, leads to nothing.
pub(super) fn resolve<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let mut schema = schema;
    for _ in 0..HOPS {
        let Some(at) = schema.get("$ref").and_then(Value::as_str) else { return schema };
        schema = at.strip_prefix('#').and_then(|pointer| root.pointer(pointer)).unwrap_or(&Value::Null);
    }
    &Value::Null
}

/// A schema with its references, its `allOf` and its first alternative that is not `null` put together on one level.
pub(crate) fn flattened<'s>(schema: &'s Value, root: &'s Value) -> Cow<'s, Value> {
    let schema = resolve(schema, root);
    let parts = |key: &str| schema.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_null = |part: &&Value| part.get("type") == Some(&Value::from("null"));
    let first = |key: &str| parts(key).iter().find(|part| !is_null(part));
    let chosen = first("anyOf").or_else(|| first("oneOf"));
    let parts: Vec<&Value> = parts("allOf").iter().take(HOPS).chain(chosen).collect();
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

/// The types that a schema names, `null` left out where there is another one.
pub(crate) fn types(schema: &Value) -> Vec<&str> {
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

/// Whether a schema stays small once every reference in it is followed; a reference to itself is followed once.
pub(super) fn is_small(root: &Value) -> bool {
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
            if let Some(at) = members.get("$ref").and_then(Value::as_str)
                && !open.contains(&at)
                && let Some(target) = at.strip_prefix('#').and_then(|pointer| root.pointer(pointer))
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
    fn alternatives_give_their_first_that_is_not_null() {
        let schema = json!({"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 3}], "title": "n"});
        assert_eq!(types(&flattened(&schema, &schema)), ["integer"]);
        assert_eq!(types(&json!({"type": ["null", "boolean"]})), ["boolean"]);
    }
}
