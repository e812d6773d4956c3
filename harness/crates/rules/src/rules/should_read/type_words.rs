//! What a schema allows, in a few words.

use serde_json::Value;

/// A schema in words: "an integer from 1 to 20", "one of fast, slow"; `None` if the schema says too little.
pub(super) fn of(schema: &Value) -> Option<String> {
    let values = schema.get("enum").and_then(Value::as_array);
    if let Some(values) = values.filter(|values| !values.is_empty()) {
        let values: Vec<String> = values.iter().map(bare).collect();
        return Some(match &values[..] {
            [only] => only.clone(),
            values => format!("one of {}", values.join(", ")),
        });
    }
    let kind = match schema.get("type")? {
        Value::String(kind) => kind.as_str(),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null")?,
        _ => return None,
    };
    let format = schema.get("format").and_then(Value::as_str);
    Some(match (kind, format) {
        ("string", Some("date")) => "a date (YYYY-MM-DD)".to_owned(),
        ("string", Some("date-time")) => "a time (YYYY-MM-DDTHH:MM:SSZ)".to_owned(),
        ("string", Some("uri" | "url")) => "a URL (https://...)".to_owned(),
        ("string", Some("email")) => "an email address".to_owned(),
        ("string", _) => text(schema),
        ("integer", _) => bounded("an integer", schema, ("minimum", "maximum"), ""),
        ("number", _) => bounded("a number", schema, ("minimum", "maximum"), ""),
        ("boolean", _) => "true or false".to_owned(),
        ("array", _) => match schema.get("items").and_then(of) {
            Some(item) => format!("a list, each item {item}"),
            None => "a list".to_owned(),
        },
        ("object", _) => "an object".to_owned(),
        _ => return None,
    })
}

/// Whether such words name only a type.
pub(super) fn is_bare(words: &str) -> bool {
    ["a string", "an integer", "a number", "true or false", "a list", "an object"].contains(&words)
}

/// A string in words, with the limits of its length.
fn text(schema: &Value) -> String {
    let is_non_empty = schema.get("minLength").and_then(Value::as_u64) == Some(1);
    match (is_non_empty, schema.get("maxLength").is_some_and(Value::is_number)) {
        (true, false) => "a non-empty string".to_owned(),
        _ => bounded("a string", schema, ("minLength", "maxLength"), " characters"),
    }
}

/// The words with the limits in the schema, if any.
fn bounded(words: &str, schema: &Value, (least, most): (&str, &str), unit: &str) -> String {
    let bound = |key: &str| schema.get(key).filter(|bound| bound.is_number()).map(ToString::to_string);
    match (bound(least), bound(most)) {
        (Some(least), Some(most)) if unit.is_empty() => format!("{words} from {least} to {most}"),
        (Some(least), Some(most)) => format!("{words} of {least} to {most}{unit}"),
        (Some(least), None) => format!("{words} of at least {least}{unit}"),
        (None, Some(most)) => format!("{words} of at most {most}{unit}"),
        (None, None) => words.to_owned(),
    }
}

/// Names in quotation marks; if there are very many, only the first ones.
pub(super) fn joined(names: &[&str], and: &str) -> String {
    const MOST: usize = 12;
    let quoted: Vec<String> = names.iter().take(MOST).map(|name| format!("'{name}'")).collect();
    match quoted.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some(_) if names.len() > MOST => format!("{}, ...", quoted.join(", ")),
        Some((last, others)) => format!("{} {and} {last}", others.join(", ")),
    }
}

fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
