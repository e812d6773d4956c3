//! The places in a call's arguments that a message may be about.
//!
//! The main type is [`ArgumentSlot`]. They are derived from the schema and from what was sent, so that missing
//! parameters and unknown ones are included.

use serde_json::{Value, json};

use crate::generate::{is_path, plain_name};
use crate::json_schema::{flattened, required, types};
use crate::pattern;
use crate::words;

/// How deep arguments are searched.
const DEPTH: usize = 4;
/// At most this many places are collected.
const MOST: usize = 80;
/// At most this many items of an array are collected.
const ITEMS: usize = 4;

/// A step on the path to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SlotStep {
    Member(String),
    Item(usize),
}

/// One place in the arguments.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ArgumentSlot {
    pub(crate) place: Vec<SlotStep>,
    /// The parameter's own name; for an item, the array's.
    pub(crate) name: String,
    /// The part of the schema for it; null if the schema does not know it.
    pub(crate) schema: Value,
    /// The value that was sent.
    pub(crate) sent: Option<Value>,
    pub(super) is_required: bool,
}

impl ArgumentSlot {
    /// Whether the schema has a parameter of this name here.
    pub(super) fn is_known(&self) -> bool {
        !self.schema.is_null()
    }

    /// Whether nothing meaningful was sent.
    pub(super) fn is_empty(&self) -> bool {
        match &self.sent {
            None | Some(Value::Null) => true,
            Some(Value::String(text)) => text.trim().is_empty(),
            Some(Value::Array(items)) => items.is_empty(),
            Some(Value::Object(members)) => members.is_empty(),
            Some(_) => false,
        }
    }

    /// Whether the schema allows a value of this JSON type; true if it names no types.
    pub(super) fn takes(&self, kind: &str) -> bool {
        let types = types(&self.schema);
        types.is_empty() || types.contains(&kind) || kind == "integer" && types.contains(&"number")
    }

    /// Whether it is an item of an array.
    pub(crate) fn is_item(&self) -> bool {
        matches!(self.place.last(), Some(SlotStep::Item(_)))
    }

    /// Whether it takes the path of a file or folder.
    pub(crate) fn is_path(&self) -> bool {
        is_path(&plain_name(&self.name), &self.description())
    }

    /// Its description in the schema, in lower case.
    pub(crate) fn description(&self) -> String {
        self.schema.get("description").and_then(Value::as_str).unwrap_or_default().to_lowercase()
    }

    /// The text that was sent; for a number, its digits.
    pub(crate) fn sent_text(&self) -> Option<String> {
        match self.sent.as_ref()? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// The value at this place in other arguments.
    pub(super) fn value_in<'v>(&self, arguments: &'v Value) -> Option<&'v Value> {
        self.place.iter().try_fold(arguments, |value, step| match step {
            SlotStep::Member(name) => value.get(name),
            SlotStep::Item(index) => value.get(*index),
        })
    }

    /// The steps to its place, as texts.
    fn steps(&self) -> impl Iterator<Item = String> {
        self.place.iter().map(|step| match step {
            SlotStep::Member(name) => name.clone(),
            SlotStep::Item(index) => index.to_string(),
        })
    }

    /// Its place as a JSON pointer into the arguments as they are sent, where all of them may stand in one.
    pub(super) fn pointer(&self, wrapper: Option<&str>) -> String {
        let parts = wrapper.map(str::to_owned).into_iter().chain(self.steps());
        parts.map(|part| format!("/{}", part.replace('~', "~0").replace('/', "~1"))).collect()
    }

    /// `sources.0.path`
    pub(super) fn path(&self) -> String {
        self.steps().collect::<Vec<_>>().join(".")
    }
}

/// The places of a call; those of the tool's own parameters come first, in the schema's order.
pub(crate) fn slots(schema: &Value, sent: &Value) -> Vec<ArgumentSlot> {
    let mut found = Vec::new();
    collect(schema, schema, Some(sent), (&mut Vec::new(), ""), DEPTH, &mut found);
    found.sort_by_key(|slot| slot.place.len());
    found
}

fn collect(
    schema: &Value,
    root: &Value,
    sent: Option<&Value>,
    (place, name): (&mut Vec<SlotStep>, &str),
    depth: usize,
    into: &mut Vec<ArgumentSlot>,
) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let schema = flattened(schema, root);
    let known = schema.get("properties").and_then(Value::as_object);
    let is_required = |name: &str| required(&schema).any(|other| other == name);
    let mut add = |step: SlotStep, name: &str, member: &Value, value: Option<&Value>, is_required: bool| {
        if into.len() >= MOST {
            return;
        }
        place.push(step);
        into.push(ArgumentSlot {
            place: place.clone(),
            name: name.to_owned(),
            schema: flattened(member, root).into_owned(),
            sent: value.cloned(),
            is_required,
        });
        if matches!(value, Some(Value::Object(_) | Value::Array(_))) {
            collect(member, root, value, (place, name), depth, into);
        }
        place.pop();
    };
    match sent {
        Some(Value::Array(items)) => {
            let of_items = schema.get("items").unwrap_or(&Value::Null);
            for (index, item) in items.iter().enumerate().take(ITEMS) {
                add(SlotStep::Item(index), name, of_items, Some(item), true);
            }
        }
        Some(Value::Object(members)) => {
            for (name, member) in known.into_iter().flatten() {
                let step = SlotStep::Member(name.clone());
                add(step, name, member, members.get(name), is_required(name));
            }
            for (name, value) in members {
                if !known.is_some_and(|known| known.contains_key(name)) {
                    add(SlotStep::Member(name.clone()), name, &Value::Null, Some(value), false);
                }
            }
        }
        _ => {}
    }
}

/// The unknown member that a text names, if the word is more than a kind of value: not the `input` of "Invalid input: expected
/// text".
pub(super) fn untold_name(text: &str) -> Option<String> {
    let name = pattern!("name/untold").captures(text)?["name"].to_owned();
    (!words!("names/kind-of-argument").contains(&name.as_str())).then_some(name)
}

/// The members that a text names in the objects that were sent, where the schema declares none: "unknown op; use add or set" of
/// an item `{}`.
pub(super) fn untold_members(text: &str, slots: &[ArgumentSlot]) -> Vec<ArgumentSlot> {
    let Some(name) = untold_name(text) else { return Vec::new() };
    if slots.iter().any(|slot| slot.name == name) {
        return Vec::new();
    }
    let is_open = |slot: &&ArgumentSlot| {
        slot.sent.as_ref().is_some_and(Value::is_object) && slot.schema.get("properties").is_none()
    };
    let of = |slot: &ArgumentSlot| ArgumentSlot {
        place: slot.place.iter().cloned().chain([SlotStep::Member(name.clone())]).collect(),
        name: name.clone(),
        schema: json!({"type": "string"}),
        sent: None,
        is_required: true,
    };
    slots.iter().filter(is_open).map(of).collect()
}

/// Puts a value in its place; false if a parent of the place is missing.
pub(crate) fn put(arguments: &mut Value, place: &[SlotStep], value: Value) -> bool {
    let Some((last, path)) = place.split_last() else { return false };
    let Some(parent) = parent_of(arguments, path) else { return false };
    match (parent, last) {
        (Value::Object(members), SlotStep::Member(name)) => {
            members.insert(name.clone(), value);
            true
        }
        (Value::Array(items), SlotStep::Item(index)) => match items.get_mut(*index) {
            Some(item) => {
                *item = value;
                true
            }
            None => false,
        },
        _ => false,
    }
}

/// Removes a member.
pub(super) fn take(arguments: &mut Value, place: &[SlotStep]) -> Option<Value> {
    let (last, path) = place.split_last()?;
    match (parent_of(arguments, path)?, last) {
        (Value::Object(members), SlotStep::Member(name)) => members.remove(name),
        _ => None,
    }
}

/// Gives a member another name; false if it is not there.
pub(super) fn rename(arguments: &mut Value, place: &[SlotStep], name: &str) -> bool {
    let Some((_, parent)) = place.split_last() else { return false };
    let renamed = [parent, &[SlotStep::Member(name.to_owned())]].concat();
    take(arguments, place).is_some_and(|value| put(arguments, &renamed, value))
}

fn parent_of<'v>(arguments: &'v mut Value, path: &[SlotStep]) -> Option<&'v mut Value> {
    path.iter().try_fold(arguments, |value, step| match step {
        SlotStep::Member(name) => value.get_mut(name),
        SlotStep::Item(index) => value.get_mut(*index),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_its_name_whether_it_was_sent_or_not() {
        let schema = json!({"type": "object", "required": ["files"], "properties": {
            "files": {"type": "array", "items": {"$ref": "#/$defs/File"}}, "limit": {"type": "integer"}},
            "$defs": {"File": {"type": "object", "properties": {"path": {"type": "string"}}}}});
        let found = slots(&schema, &json!({"files": [{}], "more": 1}));
        let slots: Vec<_> =
            found.iter().map(|slot| (slot.path(), slot.sent.is_some(), slot.is_known())).collect();
        let expected = [
            ("files", true, true),
            ("limit", false, true),
            ("more", true, false),
            ("files.0", true, true),
            ("files.0.path", false, true),
        ];
        assert_eq!(slots, expected.map(|(path, sent, known)| (path.to_owned(), sent, known)));
    }

    #[test]
    fn a_value_is_put_and_taken_where_the_way_is_there() {
        let mut arguments = json!({"files": [{"path": 1}]});
        let place = [SlotStep::Member("files".into()), SlotStep::Item(0), SlotStep::Member("path".into())];
        assert!(put(&mut arguments, &place, json!("x")));
        assert_eq!(arguments, json!({"files": [{"path": "x"}]}));
        assert_eq!(take(&mut arguments, &place), Some(json!("x")));
        assert!(!put(&mut arguments, &[SlotStep::Member("no".into()), SlotStep::Item(0)], json!(1)));
        assert!(!put(&mut arguments, &[], json!(1)));
    }
}
