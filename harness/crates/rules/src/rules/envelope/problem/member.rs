//! Checks each member of one problem by itself.
//!
//! The main function is [`faults`]. It knows no other problems, and no contract's table.

use serde_json::{Map, Value};

use crate::finding::Level;

/// A title longer than this is a sentence.
const TITLE: usize = 100;

/// One fault of a problem.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) requirement: &'static str,
    pub(super) level: Level,
    /// The end of a sentence that says where the fault is.
    pub(super) what: String,
}

impl Fault {
    pub(super) fn must(requirement: &'static str, what: impl Into<String>) -> Self {
        Self { requirement, level: Level::Must, what: what.into() }
    }
}

/// The faults of a problem and of the message beside it; `place` is where the message stands.
pub(super) fn faults(problem: &Map<String, Value>, message: Option<&Value>, place: &str) -> Vec<Fault> {
    let detail = problem.get("detail");
    let beside = place.trim_start_matches('/').replace('/', ".");
    let reported = match (message.and_then(Value::as_str), detail.and_then(Value::as_str)) {
        (None, _) => Some(Fault::must("PD-02", format!("`{beside}` is not a string"))),
        (_, None) => Some(Fault::must("PD-03", format!("`detail` is {}", described(detail)))),
        (Some(message), Some(detail)) if message != detail => {
            Some(Fault::must("PD-02", format!("`{beside}` is not the problem's `detail`")))
        }
        _ => None,
    };
    let reference = |name: &str| {
        let value = problem.get(name);
        (!value.and_then(Value::as_str).is_some_and(is_reference)).then(|| {
            Fault::must(
                "PD-03",
                format!(
                    "`{name}` is {}, which is not a URI \
                reference",
                    described(value)
                ),
            )
        })
    };
    let title = problem.get("title");
    let title = (!title.and_then(Value::as_str).is_some_and(is_title)).then(|| {
        Fault::must(
            "PD-03",
            format!(
                "`title` is {}, which is not a short \
            string",
                described(title)
            ),
        )
    });
    let status = problem.get("status");
    let status = (!status.and_then(whole).is_some_and(|status| (400..600).contains(&status))).then(|| {
        let what = format!("`status` is {}, which is not a number from 400 to 599", described(status));
        Fault::must("PD-03", what)
    });
    let extensions = match problem.get("extensions") {
        Some(Value::Object(_)) => None,
        None => Some(Fault {
            requirement: "PD-05",
            level: Level::Should,
            what: "`extensions` is missing: there is no member that holds the path or value".to_owned(),
        }),
        other => Some(Fault::must(
            "PD-05",
            format!(
                "`extensions` is {}, which is not an \
            object",
                described(other)
            ),
        )),
    };
    [reported, reference("type"), title, status, reference("instance"), extensions]
        .into_iter()
        .flatten()
        .collect()
}

/// The value as an integer, if it has no fraction.
pub(super) fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let number = value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 1e9)?;
        Some(number as i64)
    })
}

/// Whether a text is a URI reference (RFC 3986): only certain characters, and `%` only before two hexadecimal
/// digits.
fn is_reference(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
    let escaped = |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    !text.is_empty() && text.chars().all(allowed) && text.split('%').skip(1).all(escaped)
}

fn is_title(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= TITLE && !text.contains('\n')
}

fn described(value: Option<&Value>) -> String {
    match value {
        None => "missing".to_owned(),
        Some(value) => value.to_string().chars().take(60).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problem() -> Value {
        json!({
            "type": "https://example.org/problems/file-not-found", "title": "File not found", "status": 404,
            "detail": "no a", "instance": "urn:codeintel:files:open_file", "code": "file-not-found",
            "extensions": {"path": "a"},
        })
    }

    #[test]
    fn each_member_has_its_form() {
        for line in include_str!("member.jsonl").lines() {
            let case: Value = serde_json::from_str(line).expect("a line is a case");
            let (name, mut problem) = (case["member"].as_str().expect("a name"), problem());
            let members = problem.as_object_mut().expect("an object");
            match case["value"].clone() {
                Value::Null => members.remove(name),
                value => members.insert(name.to_owned(), value),
            };
            let found = faults(members, Some(&json!("no a")), "/error");
            let found: Vec<_> = found.iter().map(|fault| json!([fault.requirement, fault.level])).collect();
            let expected: Vec<Value> =
                Some(case["fault"].clone()).filter(|fault| !fault.is_null()).into_iter().collect();
            assert_eq!(found, expected, "{problem}");
        }
    }

    #[test]
    fn the_message_beside_a_problem_is_a_text() {
        let problem = problem();
        for message in [None, Some(&json!({"no": "a"}))] {
            let found = faults(problem.as_object().expect("an object"), message, "/error");
            assert_eq!(found[0].what, "`error` is not a string");
        }
    }
}
