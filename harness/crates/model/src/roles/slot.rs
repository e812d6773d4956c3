//! The places in a tool's arguments that a role's parameters can take.
//!
//! The main type is [`Slot`]: a parameter, or, one level down, a member of the objects in an array. It knows
//! nothing of roles.

use serde_json::Value;

use crate::catalog::Tool;
use crate::json_schema::{chosen, first_type};

/// A place in a tool's arguments.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slot<'t> {
    /// The array whose items contain it, if any: `edits` for `edits[].oldText`.
    pub(super) array: Option<&'t str>,
    /// Its own name: `oldText`.
    pub(super) name: String,
    /// Whether it is each item of an array: `paths[]`.
    pub(super) items: bool,
    /// The type of value that it takes.
    pub(super) kind: Kind,
    /// The part of the schema for it.
    pub(super) schema: &'t Value,
}

/// The type of value that a slot takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    Flag,
    /// The schema does not say.
    Any,
    /// Objects, and arrays of anything but texts.
    Other,
}

impl Slot<'_> {
    /// Its path, as in a binding.
    pub(super) fn path(&self) -> String {
        let array = self.array.map(|array| format!("{array}[].")).unwrap_or_default();
        format!("{array}{}{}", self.name, if self.items { "[]" } else { "" })
    }

    /// Its name in lower case, without separators between words.
    pub(super) fn plain_name(&self) -> String {
        plain(&self.name)
    }

    pub(super) fn description(&self) -> &str {
        self.schema.get("description").and_then(Value::as_str).unwrap_or_default()
    }
}

/// A name in lower case, without separators between words.
pub(super) fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Every slot of a tool, in the schema's order; those of an array's items come after the array.
pub(super) fn slots(tool: &Tool) -> Vec<Slot<'_>> {
    let (root, mut slots) = (&tool.input_schema, Vec::new());
    for (name, schema) in tool.parameters() {
        let resolved = chosen(schema, root);
        let slot = |array, name: &str, items, kind, schema| Slot {
            array,
            name: name.to_owned(),
            items,
            kind,
            schema,
        };
        let Some(items) = array_items(resolved) else {
            slots.push(slot(None, name, false, kind(resolved), schema));
            continue;
        };
        let items = chosen(items, root);
        match items.get("properties").and_then(Value::as_object) {
            Some(members) => {
                slots.extend(members.iter().map(|(member, schema)| {
                    slot(Some(name), member, false, kind(chosen(schema, root)), schema)
                }));
            }
            None if kind(items) == Kind::Text => slots.push(slot(None, name, true, Kind::Text, schema)),
            // Some servers name the members of an item only in the description.
            None => {
                let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
                slots.extend(
                    members_in(description)
                        .map(|member| slot(Some(name), member, false, Kind::Any, &Value::Null)),
                );
                slots.push(slot(None, name, false, Kind::Other, schema));
            }
        }
    }
    slots
}

/// The words in the first pair of braces of a description: `List of {oldText, newText} dictionaries`.
fn members_in(description: &str) -> impl Iterator<Item = &str> {
    let braced =
        description.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map_or("", |(inner, _)| inner);
    let word = |part: &&str| {
        part.chars().all(|letter| letter.is_alphanumeric() || letter == '_') && !part.is_empty()
    };
    braced
        .split(',')
        .map(|part| part.split(':').next().unwrap_or_default().trim_matches([' ', '"', '\'', '`']))
        .filter(word)
}

fn array_items(schema: &Value) -> Option<&Value> {
    (first_type(schema) == Some("array")).then(|| schema.get("items").unwrap_or(&Value::Null))
}

fn kind(schema: &Value) -> Kind {
    match first_type(schema) {
        Some("string") => Kind::Text,
        Some("integer" | "number") => Kind::Number,
        Some("boolean") => Kind::Flag,
        Some(_) => Kind::Other,
        None if schema.get("enum").is_some() => Kind::Text,
        None if schema.get("properties").is_some() => Kind::Other,
        None => Kind::Any,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(properties: &Value, expected: &[(&str, Kind)]) {
        let round = json!({"$ref": "#/$defs/Round"});
        let schema = json!({"$defs": {"Path": {"type": "string"}, "Round": round}, "properties": properties});
        let tool = Tool::named("t", schema);
        let slots = slots(&tool);
        let found: Vec<_> = slots.iter().map(|slot| (slot.path(), slot.kind)).collect();
        let expected: Vec<_> = expected.iter().map(|(path, kind)| ((*path).to_owned(), *kind)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn an_array_has_the_slots_of_its_items() {
        let array = |items: Value| json!({"type": "array", "items": items});
        let edit = json!({ "type": "object", "properties": { "oldText": { "type": "string" } } });
        check(
            &json!({ "path": { "type": "string" }, "edits": array(edit) }),
            &[("path", Kind::Text), ("edits[].oldText", Kind::Text)],
        );
        check(&json!({ "paths": array(json!({ "type": "string" })) }), &[("paths[]", Kind::Text)]);
        let mut described = array(json!({ "type": "object" }));
        described["description"] = json!("List of {oldText, newText} dictionaries");
        check(
            &json!({ "edits": described }),
            &[("edits[].oldText", Kind::Any), ("edits[].newText", Kind::Any), ("edits", Kind::Other)],
        );
    }

    #[test]
    fn references_and_choices_with_null_are_followed_and_a_circle_ends() {
        check(
            &json!({
                "path": { "$ref": "#/$defs/Path" },
                "mode": { "anyOf": [{ "type": "null" }, { "type": "string" }] },
                "all": { "type": ["null", "boolean"] },
                "round": { "$ref": "#/$defs/Round" },
            }),
            &[("path", Kind::Text), ("mode", Kind::Text), ("all", Kind::Flag), ("round", Kind::Any)],
        );
    }
}
