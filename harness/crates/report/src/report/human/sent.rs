//! What was sent, shortened: long values are cut, and the call keeps its shape.

use serde_json::{Map, Value};

use crate::escape;

/// A string value longer than this is cut.
const STRING: usize = 80;

/// At most this many members of an array or object are shown.
const MEMBERS: usize = 12;

/// A longer call is cut.
const CALL: usize = 400;

/// At most this many calls of a list are shown.
const CALLS: usize = 6;

/// One line for each call.
pub(super) fn sent(sent: &Value) -> Vec<String> {
    match sent {
        Value::Null => vec!["(nothing)".to_owned()],
        Value::String(line) => vec![escape::line_within(line, CALL)],
        Value::Array(calls) => {
            let mut lines: Vec<_> = calls.iter().take(CALLS).map(call).collect();
            if calls.len() > CALLS {
                lines.push(format!("(and {} more)", calls.len() - CALLS));
            }
            lines
        }
        other => vec![call(other)],
    }
}

/// `TOOL ARGUMENTS`, or the value itself if it is not a call.
fn call(value: &Value) -> String {
    let parts = value.as_object().and_then(|members| {
        let name = members.get("name").or_else(|| members.get("tool"))?.as_str()?;
        Some((name, members.get("arguments")?))
    });
    let text = match parts {
        Some((name, arguments)) => format!("{name} {}", short(arguments, 0)),
        None => short(value, 0).to_string(),
    };
    escape::line_within(&text, CALL)
}

/// The value with its long parts cut.
fn short(value: &Value, depth: usize) -> Value {
    match value {
        Value::String(text) => Value::String(short_text(text)),
        Value::Array(_) | Value::Object(_) if depth > 8 => Value::String("…".to_owned()),
        Value::Array(items) => {
            let mut shown: Vec<_> = items.iter().take(MEMBERS).map(|item| short(item, depth + 1)).collect();
            if items.len() > MEMBERS {
                shown.push(Value::String(format!("… {} more", items.len() - MEMBERS)));
            }
            Value::Array(shown)
        }
        Value::Object(members) => {
            let kept = members.iter().take(MEMBERS);
            let mut shown: Map<_, _> =
                kept.map(|(key, member)| (short_text(key), short(member, depth + 1))).collect();
            if members.len() > MEMBERS {
                shown.insert("…".to_owned(), Value::String(format!("{} more", members.len() - MEMBERS)));
            }
            Value::Object(shown)
        }
        other => other.clone(),
    }
}

fn short_text(text: &str) -> String {
    let length = text.chars().count();
    if length <= STRING {
        return text.to_owned();
    }
    let kept: String = text.chars().take(STRING / 2).collect();
    format!("{kept}… ({length} characters)")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(value: &Value, expected: &[&str]) {
        assert_eq!(sent(value), expected);
    }

    #[test]
    fn a_call_is_its_tool_and_its_arguments() {
        check(&json!({"name": "read", "arguments": {"path": "a\u{1b}"}}), &[r#"read {"path":"a\u001b"}"#]);
    }

    #[test]
    fn a_control_that_json_leaves_alone_is_escaped() {
        check(&json!({"name": "read", "arguments": {"path": "\u{9b}"}}), &[r#"read {"path":"\u{9b}"}"#]);
    }

    #[test]
    fn a_long_value_is_cut_and_its_neighbours_stay() {
        let call = json!({"name": "write", "arguments": {"content": "x".repeat(5000), "path": "b"}});
        let shown = format!(r#"write {{"content":"{}… (5000 characters)","path":"b"}}"#, "x".repeat(40));
        check(&call, &[&shown]);
    }

    #[test]
    fn a_list_has_a_line_for_each_call() {
        let calls = json!([{"name": "a", "arguments": {}}, {"name": "b", "arguments": {}}]);
        check(&calls, &["a {}", "b {}"]);
    }

    #[test]
    fn a_raw_line_and_nothing_are_shown_as_they_are() {
        check(&json!("{\"id\":\r1}"), &["{\"id\":\\r1}"]);
        check(&Value::Null, &["(nothing)"]);
    }
}
