//! Lists of mistakes as validators write them, each with its path: pydantic's lines, zod's and other JSON.
//!
//! The main function is [`issues`].

use serde_json::Value;

use super::requested::{BoundUnit, RequestedChange, broken, type_named};
use super::slot::ArgumentSlot;
use crate::pattern;

/// At most this many validation errors are read.
const MOST: usize = 20;
/// At most this many possible beginnings of JSON are tried.
const BEGINNINGS: usize = 6;

/// One mistake.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Issue {
    /// The path to the value, as the validator writes it.
    pub(super) path: Vec<String>,
    /// What is wrong with it, in the validator's words.
    pub(super) message: String,
    /// The requested change, if the structure says more than the words. For surplus members, it has their
    /// names.
    pub(super) requested: Option<RequestedChange>,
    pub(super) unwanted: Vec<String>,
}

/// The mistakes that a text lists; empty if it is not such a list.
pub(super) fn issues(text: &str) -> Vec<Issue> {
    let found = of_pydantic(text);
    if !found.is_empty() {
        return found;
    }
    of_json(text)
}

/// Pydantic's format: a path such as `path.0.to`, and on the next line the mistake: `Field required
/// [type=missing, ..]`.
fn of_pydantic(text: &str) -> Vec<Issue> {
    let found = pattern!("text/pydantic").captures_iter(text).take(MOST);
    found
        .map(|found| {
            let path = found["path"]
                .split(['.', '[', ']'])
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect();
            let requested = of_code(&found["type"]);
            Issue { path, message: found["message"].to_owned(), requested, unwanted: Vec::new() }
        })
        .collect()
}

/// What a validator's code for a mistake asks for, as pydantic names it.
fn of_code(code: &str) -> Option<RequestedChange> {
    match code {
        "missing" | "missing_argument" | "missing_keyword_only_argument" => Some(RequestedChange::Given),
        "extra_forbidden" | "unexpected_keyword_argument" => Some(RequestedChange::Absent),
        _ => {
            let kind = code.strip_suffix("_type").or_else(|| code.strip_suffix("_parsing"))?;
            type_named(kind).map(RequestedChange::Kind)
        }
    }
}

/// A JSON list anywhere in the text: `[{"code": "invalid_type", "path": ["a", 0], "message": ".."}]`.
fn of_json(text: &str) -> Vec<Issue> {
    let begins = text.match_indices(['[', '{']).map(|(at, _)| at).take(BEGINNINGS);
    for at in begins {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        let Some(Ok(value)) = values.next() else { continue };
        let mut found = Vec::new();
        gather(&value, &mut found, 3);
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

fn gather(value: &Value, into: &mut Vec<Issue>, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Array(items) => items.iter().take(MOST).for_each(|item| match issue(item) {
            Some(issue) => into.push(issue),
            None => gather(item, into, depth),
        }),
        Value::Object(members) => members.values().for_each(|member| gather(member, into, depth)),
        _ => {}
    }
}

/// One item of such a list; `None` if it has no path or no message.
fn issue(item: &Value) -> Option<Issue> {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    let message = text("message").or_else(|| text("msg")).or_else(|| text("error"))?;
    let place = ["path", "loc", "instancePath", "field", "param", "parameter", "property"]
        .iter()
        .find_map(|key| item.get(*key))?;
    let path: Vec<String> = match place {
        Value::Array(parts) => {
            parts.iter().map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned)).collect()
        }
        Value::String(path) => {
            path.split(['/', '.']).filter(|part| !part.is_empty()).map(str::to_owned).collect()
        }
        _ => return None,
    };
    let names = |list: Option<&Value>| -> Vec<String> {
        let list = list.and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let missing = item.pointer("/params/missingProperty").and_then(Value::as_str);
    let path = path.into_iter().chain(missing.map(str::to_owned)).collect();
    let lists = ["/options", "/values", "/expected", "/allowed", "/allowedValues", "/params/allowedValues"];
    let mut values = lists.iter().map(|list| names(item.pointer(list)));
    let values = values.find(|values| !values.is_empty());
    let is_missing =
        missing.is_some() || text("received") == Some("undefined") || message.contains("received undefined");
    let code = text("code").or_else(|| text("type")).unwrap_or_default();
    let requested = match (code, values) {
        _ if is_missing => Some(RequestedChange::Given),
        ("missing" | "extra_forbidden" | "unexpected_keyword_argument", _) => of_code(code),
        (_, Some(values)) => Some(RequestedChange::OneOf(values)),
        ("invalid_type", None) => text("expected").and_then(type_named).map(RequestedChange::Kind),
        (_, None) => of_code(code),
    };
    let unwanted = names(item.get("keys"));
    Some(Issue { path, message: message.to_owned(), requested, unwanted })
}

/// The bound that zod gives in members besides the message.
pub(super) fn bound_of(text: &str, slot: &ArgumentSlot) -> Option<RequestedChange> {
    let found = pattern!("bound/member").captures(text)?;
    let number = found["number"].parse::<f64>().ok();
    let of = if slot.takes("string") { BoundUnit::Length } else { BoundUnit::Value };
    match &found["which"] {
        "minimum" => broken(slot, number, None, of),
        _ => broken(slot, None, number, of),
    }
}

/// The slot at a path. Wrappers around the tool's own parameters, and numbers of alternatives, are skipped.
pub(super) fn slot_at<'s>(path: &[String], slots: &'s [ArgumentSlot]) -> Option<&'s ArgumentSlot> {
    let find = |path: &[String]| {
        let path = path.join(".");
        slots.iter().find(|slot| !path.is_empty() && slot.path() == path)
    };
    let shorter = (1..=path.len()).rev().filter_map(|end| find(&path[..end]));
    let without_first = (2..=path.len()).rev().filter_map(|end| find(&path[1..end]));
    shorter.chain(without_first).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text of a validator, and the place of each issue with what is asked for there.
    #[derive(serde::Deserialize)]
    struct Case {
        text: String,
        issues: Vec<(String, Option<String>)>,
    }

    #[test]
    fn each_text_has_the_issues_of_its_line() {
        for line in include_str!("validation.jsonl").lines() {
            let case: Case = serde_json::from_str(line).expect("a line is a case");
            let told =
                |issue: Issue| (issue.path.join("."), issue.requested.map(|change| format!("{change:?}")));
            assert_eq!(issues(&case.text).into_iter().map(told).collect::<Vec<_>>(), case.issues, "{line}");
        }
    }
}
