//! What was sent, as people write it: `TOOL ARGUMENTS`.

use serde_json::{Map, Value};

use crate::escape;

/// A string value longer than this is cut where a call is shortened.
const STRING: usize = 80;
/// At most this many members of an array or object are shown where a call is shortened.
const MEMBERS: usize = 12;
/// A longer shortened call is cut.
const SHORT: usize = 400;
/// A longer call is laid out over several lines, in characters.
const LINE: usize = 180;
/// How much of a whole call is shown, in characters.
const WHOLE: usize = 4_000;
/// At most this many calls of a list are shown.
const CALLS: usize = 6;

/// One of the things that were sent.
pub(in crate::report) enum Call<'r> {
    /// A tool and its arguments.
    Tool(&'r str, &'r Value),
    /// Another request, or a raw line.
    Other(&'r Value),
    /// Nothing.
    None,
    /// So many more calls.
    More(usize),
}

/// All of it in one line.
pub(in crate::report) fn in_a_line(sent: &Value) -> String {
    Call::all(sent).iter().map(Call::short).collect::<Vec<_>>().join(", then ")
}

impl<'r> Call<'r> {
    /// The calls that were sent, in their order.
    pub(in crate::report) fn all(sent: &'r Value) -> Vec<Self> {
        match sent {
            Value::Null => vec![Self::None],
            Value::Array(calls) => {
                let mut shown: Vec<_> = calls.iter().take(CALLS).map(Self::of).collect();
                shown.extend(calls.len().checked_sub(CALLS).filter(|more| *more > 0).map(Self::More));
                shown
            }
            other => vec![Self::of(other)],
        }
    }

    fn of(value: &'r Value) -> Self {
        let parts = value.as_object().filter(|members| members.len() == 2).and_then(|members| {
            let name = members.get("name").or_else(|| members.get("tool"))?.as_str()?;
            Some(Self::Tool(name, members.get("arguments")?))
        });
        parts.unwrap_or(Self::Other(value))
    }

    /// The call in one line: its long values are cut, and it keeps its shape.
    pub(in crate::report) fn short(&self) -> String {
        let text = match self {
            Self::Tool(name, arguments) => format!("{name} {}", short(arguments, 0)),
            Self::Other(Value::String(line)) => line.clone(),
            Self::Other(value) => short(value, 0).to_string(),
            Self::None => "(nothing)".to_owned(),
            Self::More(more) => format!("(and {more} more)"),
        };
        escape::line_within(&text, SHORT)
    }

    /// The call with all of its values, in one line.
    pub(in crate::report) fn line(&self) -> String {
        let text = match self {
            Self::Tool(name, arguments) => format!("{name} {arguments}"),
            Self::Other(Value::String(line)) => line.clone(),
            Self::Other(value) => value.to_string(),
            Self::None | Self::More(_) => self.short(),
        };
        escape::line(&cut(text))
    }

    /// The call with all of its values, for copying; a long one has several lines, not escaped yet.
    pub(in crate::report) fn whole(&self) -> String {
        let (name, value) = match self {
            Self::Tool(name, arguments) => (format!("{name} "), *arguments),
            Self::Other(Value::String(line)) => return cut((*line).clone()),
            Self::Other(value) => (String::new(), *value),
            Self::None | Self::More(_) => return self.short(),
        };
        let line = format!("{name}{value}");
        cut(match line.chars().count() {
            0..=LINE => line,
            _ => {
                format!("{name}{}", serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string()))
            }
        })
    }
}

fn cut(text: String) -> String {
    match text.char_indices().nth(WHOLE) {
        Some((end, _)) => format!("{} [...]", &text[..end]),
        None => text,
    }
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
        assert_eq!(Call::all(value).iter().map(Call::short).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_call_is_its_tool_and_its_arguments_and_anything_else_is_shown_as_it_is() {
        check(&json!({"name": "read", "arguments": {"path": "a\u{1b}"}}), &[r#"read {"path":"a\u001b"}"#]);
        // A control that JSON leaves alone is escaped.
        check(&json!({"name": "read", "arguments": {"path": "\u{9b}"}}), &[r#"read {"path":"\u{9b}"}"#]);
        check(&json!("{\"id\":\r1}"), &["{\"id\":\\r1}"]);
        check(&Value::Null, &["(nothing)"]);
        let calls = json!([{"name": "a", "arguments": {}}, {"name": "b", "arguments": {}}]);
        check(&calls, &["a {}", "b {}"]);
        assert_eq!(in_a_line(&calls), "a {}, then b {}");
    }

    #[test]
    fn a_long_value_is_cut_and_its_neighbours_stay() {
        let call = json!({"name": "write", "arguments": {"content": "x".repeat(5000), "path": "b"}});
        let shown = format!(r#"write {{"content":"{}… (5000 characters)","path":"b"}}"#, "x".repeat(40));
        check(&call, &[&shown]);
        assert!(Call::all(&call)[0].whole().ends_with(" [...]"));
    }
}
