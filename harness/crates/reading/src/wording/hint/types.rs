//! Types named without a word such as "expected": by contrasting two types, or, if the type was wrong, by
//! naming another one than was sent; and the ending of a file of the wanted type.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Asked;
use super::view::View;
use crate::pattern;

/// Whether a text names the expected type.
pub(super) fn tells_a_type(view: &View<'_>, asked: &Asked<'_>) -> bool {
    // "Invalid integer: null" names what is wanted as well as "Invalid integer: twelve" does.
    let is_null = asked.condition == "null-argument";
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
        // The schema gives the expected type, whatever else was sent besides the wrong value.
        let expected = || {
            let mut wanted = BTreeSet::new();
            let of_items = asked.condition == "wrong-item";
            let schemas = asked.suspects().map(|(_, schema)| schema);
            schemas
                .filter_map(|schema| if of_items { schema.get("items") } else { Some(schema) })
                .for_each(|schema| collect_wanted(schema, &mut wanted));
            let told: BTreeSet<_> =
                named.iter().filter(|name| !is_null || **name != "null").copied().collect();
            (wrong_type || is_null) && !wanted.is_disjoint(&told)
        };
        named.len() > 1 && pattern!("kind/contrast").is_match(sentence) || another() || expected()
    })
}

/// Whether a text says which ending a file must have, where one with another ending was sent. Of a folder it says nothing.
pub(super) fn tells_an_ending(view: &View<'_>, asked: &Asked<'_>) -> bool {
    let has_another = |ending: &str| {
        let names =
            asked.suspected_values().filter_map(Value::as_str).filter_map(|path| path.rsplit('/').next());
        names
            .filter_map(|name| name.rsplit_once('.'))
            .any(|(stem, own)| !stem.is_empty() && !own.is_empty() && !own.eq_ignore_ascii_case(ending))
    };
    pattern!("value/wanted-ending").captures_iter(view.raw).any(|found| has_another(&found["ending"]))
}

/// The names of the types in JSON Schema.
const NAMES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];

/// The types that a sentence names, by their JSON Schema names.
fn types(sentence: &str) -> BTreeSet<&'static str> {
    let named = |found: regex::Captures<'_>| NAMES.into_iter().find(|name| found.name(name).is_some());
    pattern!("kind/type").captures_iter(sentence).filter_map(named).collect()
}

/// Collects the types that a schema allows.
fn collect_wanted(schema: &Value, types: &mut BTreeSet<&'static str>) {
    let listed = schema.get("type").and_then(Value::as_array).into_iter().flatten();
    for name in listed.chain(schema.get("type")).filter_map(Value::as_str) {
        types.extend(
            NAMES.into_iter().filter(|known| *known == name || *known == "number" && name == "integer"),
        );
    }
}

/// Collects the types of a value and of everything in it.
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
