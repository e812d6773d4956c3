//! The refusal of what a schema forbids, for the few keywords that `tools.toml` has.

use serde_json::{Map, Value, json};

/// A longer text is repeated in part.
const SHOWN: usize = 200;

/// Why the schema forbids the value, which has this name; `None` if it does not.
pub(crate) fn refusal(schema: &Value, name: &str, value: &Value) -> Option<String> {
    let least = |key: &str| schema[key].as_u64().unwrap_or(0);
    let fits = match (schema["type"].as_str()?, value) {
        ("object", Value::Object(given)) => return refused_member(schema, name, given),
        ("integer", value) => whole(value).is_some_and(|number| {
            let most = schema["maximum"].as_i64().map_or(i128::MAX, i128::from);
            number >= i128::from(least("minimum")) && number <= most
        }),
        ("string", Value::String(text)) => {
            let listed = schema["enum"].as_array().is_none_or(|values| values.contains(value));
            listed && text.chars().count() as u64 >= least("minLength")
        }
        ("array", Value::Array(items)) => {
            let mut items = items.iter().enumerate();
            let count = items.len() as u64;
            if let Some((place, item)) = items.find(|(_, item)| !item.is_number()) {
                let item = excerpt(item);
                return Some(format!("Item {place} of '{name}' must be a number, not {item}."));
            }
            count >= least("minItems")
        }
        _ => false,
    };
    (!fits).then(|| format!("'{name}' must be {}, not {}.", in_words(schema), excerpt(value)))
}

/// Why an object of this name, or the arguments if it has none, is forbidden.
fn refused_member(schema: &Value, name: &str, given: &Map<String, Value>) -> Option<String> {
    let members = schema["properties"].as_object()?;
    let at = |member: &str| if name.is_empty() { member.to_owned() } else { format!("{name}.{member}") };
    let mut required = schema["required"].as_array()?.iter().filter_map(Value::as_str);
    if let Some(missing) = required.find(|member| !given.contains_key(*member)) {
        let needed = in_words(&members[missing]);
        return Some(format!("'{}' is required and missing. Give {needed}.", at(missing)));
    }
    given.iter().find_map(|(member, value)| match members.get(member) {
        Some(schema) => refusal(schema, &at(member), value),
        None => {
            let known: Vec<_> = members.keys().map(String::as_str).collect();
            let member = excerpt(&json!(at(member)));
            Some(format!("There is no parameter {member}. Known parameters: {}.", known.join(", ")))
        }
    })
}

/// What a schema allows.
fn in_words(schema: &Value) -> String {
    let least = ["minimum", "minLength", "minItems"].iter().find_map(|key| schema[key].as_u64()).unwrap_or(0);
    match (schema["type"].as_str().unwrap_or_default(), &schema["enum"], schema["maximum"].as_u64()) {
        (_, Value::Array(values), _) => {
            format!("one of {}", values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "))
        }
        ("integer", _, Some(most)) => format!("a whole number from {least} to {most}"),
        ("integer", _, None) => format!("a whole number of at least {least}"),
        ("string", _, _) => format!("a text of at least {least} characters"),
        ("array", _, _) => format!("an array of at least {least} numbers"),
        _ => "an object with the members from, to".to_owned(),
    }
}

/// A value of the caller's for a sentence.
fn excerpt(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "the empty text".to_owned(),
        Value::String(text) => match text.char_indices().nth(SHOWN) {
            None => format!("'{text}'"),
            Some((end, _)) => format!("'{}...'", &text[..end]),
        },
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => other.to_string(),
    }
}

/// A number without a fraction, in whichever form it is written, as JSON Schema takes it.
pub(crate) fn whole(value: &Value) -> Option<i128> {
    let number = value.as_number()?;
    let whole = || number.as_f64().filter(|number| number.fract() == 0.0).map(|number| number as i128);
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from)).or_else(whole)
}

/// The smallest value that a schema allows.
pub(crate) fn smallest(schema: &Value) -> Value {
    match schema["type"].as_str().unwrap_or_default() {
        "integer" => schema["minimum"].clone(),
        "string" => match schema["enum"].get(0) {
            Some(first) => first.clone(),
            None => json!("a".repeat(usize::from(schema["minLength"].is_u64()))),
        },
        "array" => json!(vec![0; usize::from(schema["minItems"].is_u64())]),
        _ => {
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let member = |name: &str| (name.to_owned(), smallest(&schema["properties"][name]));
            required.map(member).collect::<Map<_, _>>().into()
        }
    }
}
