//! Odd values: labelled changes of valid arguments that have found real faults.
//!
//! The main type is [`ValueMutation`]. Which of them fit a place depends on the value there and on its node;
//! the validator decides whether a schema forbids the result.

use serde_json::{Value, json};

use super::compiled::{CompiledSchema, Node, NodeId, Presence, SchemaType, TextRole};
use super::rng::Rng;
use super::valid::{ValueDrawer, executable_value};

mod number;
mod path;
mod pattern;
mod place;
mod raw;
mod shape;
mod text;

pub(super) use place::{PathSegment, ValuePlace, pointer};
pub(super) use raw::RawTexts;
pub(crate) use text::made_up_errors;

/// A change that is still to be applied.
#[derive(Debug)]
pub(super) struct ValueMutation {
    /// The schema keyword that it violates, or the name of the change.
    pub(super) keyword: &'static str,
    pub(super) label: String,
    pub(super) edit: Edit,
}

/// What is done to a place.
#[derive(Debug)]
pub(super) enum Edit {
    Set(Value),
    /// Remove the member or item.
    Remove,
    /// Replace it by JSON text, valid or not, that no value holds.
    Raw(String),
    /// Write the member twice, first with this text as its value.
    Twice(String),
    /// Add a member of this name.
    Add(String, Value),
}

impl ValueMutation {
    fn set(keyword: &'static str, label: impl Into<String>, value: Value) -> Self {
        Self { keyword, label: label.into(), edit: Edit::Set(value) }
    }

    fn raw(keyword: &'static str, label: impl Into<String>, text: impl Into<String>) -> Self {
        Self { keyword, label: label.into(), edit: Edit::Raw(text.into()) }
    }
}

/// A random odd change of the value at a place. An executable value only changes its type, is left out, is
/// empty, or is drawn from its harmless grammar.
pub(super) fn mutate(drawer: &mut ValueDrawer<'_>, value: &Value, place: &ValuePlace) -> ValueMutation {
    let compiled: &CompiledSchema = drawer.compiled;
    let node = place.node.map(|id| compiled.node(id));
    if let Some((executable, schema)) =
        place.executable().and_then(|id| compiled.node(id).executable.as_ref())
    {
        return match drawer.rng.below(8) {
            0 if place.is_member() => shape::missing(),
            1 => shape::null(value),
            2 => shape::wrong_type(drawer.rng, value, node, Words::None),
            3 if value.is_string() => ValueMutation::set("empty", "an empty string", json!("")),
            3 if value.is_array() => ValueMutation::set("empty", "an empty array", json!([])),
            _ => {
                let drawn = executable_value(*executable, schema, drawer.tool_files, drawer.rng);
                ValueMutation::set("harmless", "another harmless value", drawn)
            }
        };
    }
    match drawer.rng.below(20) {
        0 if place.is_member() => return shape::missing(),
        1 => return shape::null(value),
        2 | 3 => return shape::wrong_type(drawer.rng, value, node, Words::Any),
        4 if drawer.rng.one_in(4) => return shape::deep(drawer.rng),
        5 if place.is_member() && drawer.rng.one_in(3) => return raw::twice(drawer.rng, value),
        _ => {}
    }
    match value {
        Value::Number(number) => number::mutate(drawer.rng, number, node),
        Value::String(text) => of_text(drawer, text, node),
        Value::Array(items) => shape::list(drawer, items, place.node),
        Value::Object(members) => shape::members(drawer, members, place.node),
        Value::Bool(flag) => match drawer.rng.below(3) {
            0 => ValueMutation::set("type", "boolean -> string", json!(flag.to_string())),
            1 => ValueMutation::set("type", "boolean -> integer", json!(u8::from(*flag))),
            _ => ValueMutation::set("flipped", "negated", json!(!flag)),
        },
        Value::Null => match node.and_then(|node| node.kinds.first()) {
            Some(SchemaType::Integer | SchemaType::Number) => number::mutate(drawer.rng, &0.into(), node),
            _ => of_text(drawer, "alpha", node),
        },
    }
}

/// Whether texts of any kind may be used where another type is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    Any,
    None,
}

fn of_text(drawer: &mut ValueDrawer<'_>, current: &str, node: Option<&Node>) -> ValueMutation {
    let role = node.map(|node| node.text.role).unwrap_or_default();
    let is_closed = node.is_some_and(|node| !node.closed.is_empty());
    if is_closed && !drawer.rng.one_in(4) {
        return text::of_closed(drawer.rng, current);
    }
    match role {
        TextRole::Path => path::mutate(drawer.rng, current, drawer.fence),
        TextRole::Glob | TextRole::Pattern if !drawer.rng.one_in(3) => pattern::mutate(drawer.rng, role),
        _ if drawer.rng.one_in(10) => raw::text(drawer.rng, ""),
        _ => text::mutate(drawer.rng, current, node),
    }
}

/// Adds a drawn member that the arguments lack, so that changes can also apply to optional members.
pub(super) fn filled_in(drawer: &mut ValueDrawer<'_>, value: &mut Value, id: NodeId, name: &str) {
    if let Value::Object(members) = value
        && !members.contains_key(name)
    {
        let drawn = drawer.value(id);
        members.insert(name.to_owned(), drawn);
    }
}

/// Whether a member is required.
fn is_required(node: &Node, name: &str) -> bool {
    node.members.known.iter().any(|member| member.name == name && member.presence == Presence::Required)
}

/// A whole number between these two, log-uniformly distributed.
fn log_uniform(rng: &mut Rng, least: f64, most: f64) -> f64 {
    let (least, most) = (least.log10(), most.log10());
    10_f64.powf(least + rng.fraction() * (most - least)).floor()
}
