//! A value of JSON as the languages print it that print it otherwise than JSON does.

use serde_json::Value;

/// As Python's `repr()` prints it: `{'a': [1, None, True]}`.
pub(super) fn python(value: &Value) -> String {
    let row = |items: Vec<String>| items.join(", ");
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", row(items.iter().map(python).collect())),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{}: {}", quoted(name), python(value)));
            format!("{{{}}}", row(members.collect()))
        }
    }
}

/// Python prefers single quotation marks, and takes double ones where the text holds only single ones.
fn quoted(text: &str) -> String {
    let mark = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    format!("{mark}{}{mark}", super::hexadecimal(text, mark))
}

/// As Go's `%v` prints it: `map[a:[1 <nil> true]]`, its members in order.
pub(super) fn go(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(said) => said.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go).collect::<Vec<_>>().join(" ")),
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let members = members.into_iter().map(|(name, value)| format!("{name}:{}", go(value)));
            format!("map[{}]", members.collect::<Vec<_>>().join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    #[test]
    fn python_prints_its_own_words_and_single_quotation_marks() {
        assert_eq!(python(&json!({"a": [1, null, true, "it's"]})), r#"{'a': [1, None, True, "it's"]}"#);
    }

    #[test]
    fn python_escapes_a_single_quotation_mark_beside_a_double_one() {
        assert_eq!(python(&json!("it's \"so\"")), r#"'it\'s "so"'"#);
        assert_eq!(python(&json!("\"so\"")), r#"'"so"'"#);
    }

    #[test]
    fn go_prints_maps_in_order_and_lists_without_commas() {
        assert_eq!(go(&json!({"b": 1, "a": ["x", null]})), "map[a:[x <nil>] b:1]");
    }
}
