//! JSON values in the notations of languages that print them differently from JSON.

use serde_json::{Number, Value};

/// Python's `repr()`: `{'a': [1, None, True]}`.
pub(super) fn python(value: &Value) -> String {
    let mut printed = String::new();
    print_python(value, &mut printed);
    printed
}

fn print_python(value: &Value, printed: &mut String) {
    match value {
        Value::Null => printed.push_str("None"),
        Value::Bool(true) => printed.push_str("True"),
        Value::Bool(false) => printed.push_str("False"),
        Value::Number(number) => printed.push_str(&number.to_string()),
        Value::String(text) => printed.push_str(&quoted(text)),
        Value::Array(items) => row(printed, ["[", ", ", "]"], items, print_python),
        Value::Object(members) => row(printed, ["{", ", ", "}"], members, |(name, value), printed| {
            printed.push_str(&quoted(name));
            printed.push_str(": ");
            print_python(value, printed);
        }),
    }
}

/// JavaScript's `JSON.stringify`, with numbers rounded as JavaScript does.
pub(super) fn javascript(value: &Value) -> String {
    let mut printed = String::new();
    print_javascript(value, &mut printed);
    printed
}

fn print_javascript(value: &Value, printed: &mut String) {
    match value {
        Value::Number(number) => printed.push_str(&double(number)),
        Value::Array(items) => row(printed, ["[", ",", "]"], items, print_javascript),
        Value::Object(members) => row(printed, ["{", ",", "}"], members, |(name, value), printed| {
            printed.push_str(&Value::from(name.as_str()).to_string());
            printed.push(':');
            print_javascript(value, printed);
        }),
        Value::Null | Value::Bool(_) | Value::String(_) => printed.push_str(&value.to_string()),
    }
}

/// A number as JavaScript prints it: with an exponent if it is very large or small.
fn double(number: &Number) -> String {
    match number.as_f64() {
        None => number.to_string(),
        // JavaScript prints negative zero without its sign.
        Some(0.0) => "0".to_owned(),
        Some(float) if float.abs() >= 1e21 => format!("{float:e}").replace('e', "e+"),
        Some(float) if float.abs() < 1e-6 => format!("{float:e}"),
        Some(float) => float.to_string(),
    }
}

/// Prints items with a separator between two brackets.
fn row<I>(
    printed: &mut String,
    [open, between, close]: [&str; 3],
    items: impl IntoIterator<Item = I>,
    print: impl Fn(I, &mut String),
) {
    printed.push_str(open);
    for (number, item) in items.into_iter().enumerate() {
        if number > 0 {
            printed.push_str(between);
        }
        print(item, printed);
    }
    printed.push_str(close);
}

/// A text in Python's quotation marks: single ones, or double ones if the text contains only single ones.
fn quoted(text: &str) -> String {
    let mark = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    format!("{mark}{}{mark}", super::hexadecimal(text, mark))
}

/// Go's `%v`: `map[a:[1 <nil> true]]`, with sorted members.
pub(super) fn go(value: &Value) -> String {
    let mut printed = String::new();
    print_go(value, &mut printed);
    printed
}

fn print_go(value: &Value, printed: &mut String) {
    match value {
        Value::Null => printed.push_str("<nil>"),
        Value::Bool(said) => printed.push_str(&said.to_string()),
        Value::Number(number) => printed.push_str(&number.to_string()),
        Value::String(text) => printed.push_str(text),
        Value::Array(items) => row(printed, ["[", " ", "]"], items, print_go),
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            row(printed, ["map[", " ", "]"], members, |(name, value), printed| {
                printed.push_str(name);
                printed.push(':');
                print_go(value, printed);
            });
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
    fn javascript_holds_every_number_as_a_double() {
        let value = json!({"a": [1.0, -0.0, i64::MIN, 1e21, -2.5e-7, 0.5], "\"": ["\n", null, true, {}]});
        let printed = r#"{"a":[1,0,-9223372036854776000,1e+21,-2.5e-7,0.5],"\"":["\n",null,true,{}]}"#;
        assert_eq!(javascript(&value), printed);
    }

    #[test]
    fn go_prints_maps_in_order_and_lists_without_commas() {
        assert_eq!(go(&json!({"b": 1, "a": ["x", null]})), "map[a:[x <nil>] b:1]");
    }
}
