//! JSON values, whatever they stand for.

use serde_json::Value;

/// The value with every text in it replaced; the names of members are unchanged.
pub fn with_texts(value: &Value, replaced: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(replaced(text)),
        Value::Array(items) => items.iter().map(|item| with_texts(item, replaced)).collect(),
        Value::Object(members) => Value::Object(
            members.iter().map(|(name, member)| (name.clone(), with_texts(member, replaced))).collect(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// What is in a value and is neither a list nor an object, in order.
pub fn leaves(value: &Value) -> Vec<&Value> {
    let (mut leaves, mut open) = (Vec::new(), vec![value]);
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items.iter().rev()),
            Value::Object(members) => open.extend(members.values().rev()),
            leaf => leaves.push(leaf),
        }
    }
    leaves
}

/// The texts in a value, in order; the names of members are none.
pub fn texts(value: &Value) -> impl Iterator<Item = &str> {
    leaves(value).into_iter().filter_map(Value::as_str)
}

/// A text as it is, anything else as JSON.
pub fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether a value is its type's default, so that it is left out of what is written.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
