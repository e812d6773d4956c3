//! Odd shapes: missing, null, of another type, too deep, too many, too few.

use serde_json::{Map, Value, json};

use super::super::compiled::{CompiledSchema, Node, NodeId, Others, SchemaType};
use super::super::rng::Rng;
use super::super::valid::ValueDrawer;
use super::{Edit, ValueMutation, Words, is_required, raw};

/// Names that no tool has, and some that are special in a language.
const EXTRA: [&str; 8] =
    ["no_such_argument", "__proto__", "constructor", "toString", "", "length", "a.b", "no such argument"];
/// Numbers of items near common limits.
const COUNTS: [usize; 7] = [10, 33, 100, 101, 256, 1_000, 1_001];
/// Depths that JSON libraries of most languages still read.
const DEPTHS: [usize; 5] = [8, 20, 32, 64, 100];
/// Depths that some JSON libraries do not read.
const ABYSS: [usize; 3] = [130, 600, 1_100];

pub(super) fn missing() -> ValueMutation {
    ValueMutation { keyword: "required", label: "left out".to_owned(), edit: Edit::Remove }
}

pub(super) fn null(value: &Value) -> ValueMutation {
    ValueMutation::set("type", format!("{} -> null", SchemaType::from_value(value).name()), Value::Null)
}

/// A value of a type that the node does not name; if it names none, of another type than now.
pub(super) fn wrong_type(rng: &mut Rng, value: &Value, node: Option<&Node>, words: Words) -> ValueMutation {
    let current = SchemaType::from_value(value);
    let named = node.map_or(&[][..], |node| &node.kinds);
    let is_named = |kind: SchemaType| {
        kind == current
            || named.contains(&kind)
            || kind == SchemaType::Integer
                && (current == SchemaType::Number || named.contains(&SchemaType::Number))
    };
    let first = rng.below(OTHERS);
    let drawn = (0..OTHERS).map(|turn| other((first + turn) % OTHERS)).find(|other| {
        !is_named(SchemaType::from_value(other))
            && (words == Words::Any || !other.is_string() && !holds_text(other))
    });
    let drawn = drawn.unwrap_or(Value::Null);
    let label = format!("{} -> {}", current.name(), SchemaType::from_value(&drawn).name());
    ValueMutation::set("type", label, drawn)
}

/// At most this many values are prepared.
const OTHERS: usize = 12;

fn other(turn: usize) -> Value {
    match turn {
        0 => json!(20),
        1 => json!([]),
        2 => json!({}),
        3 => json!("twelve"),
        4 => json!(true),
        5 => json!(1.5),
        6 => json!(["alpha"]),
        7 => json!({"alpha": 1}),
        8 => json!([[]]),
        9 => json!(false),
        10 => json!([null]),
        _ => json!({"toString": null}),
    }
}

fn holds_text(value: &Value) -> bool {
    let mut holds = false;
    super::super::fence::texts(value, &mut |_| holds = true);
    holds
}

/// Nested arrays or objects.
pub(super) fn deep(rng: &mut Rng) -> ValueMutation {
    if rng.one_in(8) {
        let depth = ABYSS[rng.below(ABYSS.len())];
        return ValueMutation::raw("deep", format!("{depth} nested arrays"), raw::nested(depth));
    }
    let depth = DEPTHS[rng.below(DEPTHS.len())];
    let (kind, wrap): (&str, fn(Value) -> Value) = match rng.below(2) {
        0 => ("arrays", |inner| Value::Array(vec![inner])),
        _ => ("objects", |inner| Value::Object(Map::from_iter([("a".to_owned(), inner)]))),
    };
    let value = (0..depth).fold(json!(1), |inner, _| wrap(inner));
    ValueMutation::set("deep", format!("{depth} nested {kind}"), value)
}

pub(super) fn list(drawer: &mut ValueDrawer<'_>, items: &[Value], at: Option<NodeId>) -> ValueMutation {
    let compiled: &CompiledSchema = drawer.compiled;
    let node = at.map(|id| compiled.node(id));
    let first = items.first().cloned().unwrap_or_else(|| match at.and_then(|at| compiled.item(at, 0)) {
        Some(id) => drawer.value(id),
        None => json!("alpha"),
    });
    let with = |at: usize, item: Value| {
        let mut items = items.to_vec();
        items.insert(at.min(items.len()), item);
        Value::Array(items)
    };
    match drawer.rng.below(12) {
        0..=2 => ValueMutation::set("empty", "an empty array", json!([])),
        3 => ValueMutation::set("items", "an item: null", with(0, Value::Null)),
        4 => ValueMutation::set("items", "an item: an array", with(items.len(), json!([]))),
        5 => {
            let item = if first.is_string() { json!(20) } else { json!("twelve") };
            ValueMutation::set(
                "items",
                format!("an item: {}", SchemaType::from_value(&item).name()),
                with(0, item),
            )
        }
        6 => ValueMutation::set("items", "the array within another array", json!([items])),
        7 => ValueMutation::set("repeated", "a duplicate item", with(0, first)),
        8 => ValueMutation::set("bare", "an item without its array", first),
        9 => {
            let bound = node.and_then(|node| match node.list.least {
                least if least > 1 => Some(("minItems", least - 1)),
                _ => node.list.most.map(|most| ("maxItems", most + 1)),
            });
            match bound.filter(|(_, count)| *count <= 1_001) {
                Some((keyword, count)) => {
                    ValueMutation::set(keyword, format!("{count} items"), Value::Array(vec![first; count]))
                }
                None => ValueMutation::set("empty", "an empty array", json!([])),
            }
        }
        10 if drawer.rng.one_in(3) => {
            let count = COUNTS[drawer.rng.below(COUNTS.len())];
            let size = first.to_string().len();
            let count = count.min(65_536 / size.max(1)).max(2);
            ValueMutation::set("huge", format!("{count} items"), Value::Array(vec![first; count]))
        }
        _ => {
            let mut items = items.to_vec();
            items.reverse();
            ValueMutation::set("order", "in reverse order", Value::Array(items))
        }
    }
}

pub(super) fn members(
    drawer: &mut ValueDrawer<'_>,
    members: &Map<String, Value>,
    at: Option<NodeId>,
) -> ValueMutation {
    let compiled: &CompiledSchema = drawer.compiled;
    let node = at.map(|id| compiled.node(id));
    let forbids = node.is_some_and(|node| node.members.others == Others::Forbidden);
    match drawer.rng.below(8) {
        0..=3 => {
            let required: Vec<&String> =
                members.keys().filter(|name| node.is_some_and(|node| is_required(node, name))).collect();
            match drawer.rng.pick(&required) {
                Some(name) => {
                    let mut less = members.clone();
                    less.shift_remove(*name);
                    ValueMutation::set("required", format!("without `{name}`"), Value::Object(less))
                }
                None => extra(drawer.rng, forbids),
            }
        }
        4 => ValueMutation::set("empty", "an empty object", json!({})),
        5 if !members.is_empty() => {
            let other: Map<String, Value> =
                members.iter().map(|(name, value)| (name.to_uppercase(), value.clone())).collect();
            ValueMutation::set("name", "member names in another case", Value::Object(other))
        }
        _ => extra(drawer.rng, forbids),
    }
}

fn extra(rng: &mut Rng, forbids: bool) -> ValueMutation {
    let name = EXTRA[rng.below(EXTRA.len())];
    let value = match rng.below(3) {
        0 => json!(true),
        1 => Value::Null,
        _ => json!({"alpha": []}),
    };
    let keyword = if forbids { "additionalProperties" } else { "extra" };
    ValueMutation {
        keyword,
        label: format!("an unknown member `{name}`"),
        edit: Edit::Add(name.to_owned(), value),
    }
}
