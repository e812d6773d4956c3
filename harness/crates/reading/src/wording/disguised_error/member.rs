//! Members of a JSON object that say that a call failed.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{count, literal};
use crate::exchange::Exchange;
use crate::words;

/// The sign for a tool result within the text of another result.
pub(super) const WITHIN: &str = "isError: true, within a text";

/// Suffixes of such names, in any spelling.
const FOLLOWING: &[&str] = &["code", "message", "msg", "meldung", "melding", "信息", "消息", "訊息"];

/// Values of such a member if there was no error.
const NOTHING: &[&str] = &["none", "null", "nil", "ok", "success", "false", "0"];

/// What a result is called in an envelope.
const RESULTS: [&str; 5] = ["result", "data", "response", "output", "payload"];

/// How a member says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `success: false`: nobody sends that with a success.
    Outcome,
    /// A text in a member named for an error.
    Named,
    /// `status: error`.
    Status,
    /// `state: failed`, which may be an answer about a thing that was looked up.
    State,
    /// A count of failures without successes.
    Counted,
    /// A non-empty list called `errors`.
    Listed,
    /// A list in which each item says that it failed.
    Items,
    /// A status that refuses, such as `not_found`, which is an answer about a thing that was looked up.
    Refused,
}

/// A member that says that a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sign {
    /// The member, such as `error` or `success: false`.
    pub(super) name: String,
    pub(super) kind: Kind,
}

impl Sign {
    pub(super) fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self { name: name.into(), kind }
    }

    /// Whether it stands for several things: a count, a list of items, or the status of each item in a list.
    pub(super) fn is_of_several(&self) -> bool {
        match self.kind {
            Kind::Counted | Kind::Items => true,
            Kind::Refused => !self.name.starts_with("status:"),
            Kind::Outcome | Kind::Named | Kind::Status | Kind::State | Kind::Listed => false,
        }
    }
}

/// The members of a reply that is a JSON object, each with whether it is not null; empty for anything else.
pub(super) fn members(exchange: &Exchange) -> BTreeMap<String, bool> {
    let names = |object: &Map<String, Value>| {
        inner(object).iter().map(|(name, value)| (name.clone(), !value.is_null())).collect()
    };
    let structured = exchange.outcome.result().and_then(|result| result.get("structuredContent"));
    let of_texts =
        || exchange.outcome.texts().into_iter().find_map(|text| json(text)?.as_object().map(names));
    structured.and_then(Value::as_object).map(names).or_else(of_texts).unwrap_or_default()
}

/// The names of the members that are not null. Servers whose replies all have the same members write
/// `"error": null` in a success and `"value": null` in an error.
pub(super) fn filled(object: &Map<String, Value>) -> impl Iterator<Item = &String> {
    object.iter().filter(|(_, value)| !value.is_null()).map(|(name, _)| name)
}

/// The text in a JSON object that has nothing else: its only member, or the text of another result,
/// `{"content": [{"type": "text", "text": ..}]}`.
pub(super) fn text_within(text: &str) -> Option<String> {
    let object = text.trim_start().starts_with('{').then(|| json(text))??;
    let mut members = object.as_object()?.values();
    if let (Some(Value::String(only)), None) = (members.next(), members.next()) {
        return Some(only.clone());
    }
    let block = object.get("content")?.as_array()?.first()?;
    (block.get("type")? == "text").then(|| block.get("text")?.as_str().map(str::to_owned))?
}

/// The content of an object: if its only member is an object about success or failure, that one.
pub(super) fn inner(object: &Map<String, Value>) -> &Map<String, Value> {
    enveloped(object).filter(|inner| flat(inner).is_some()).unwrap_or(object)
}

/// Whether an object says that nothing was done: nobody sends that with a success.
pub(super) fn denies(object: &Map<String, Value>) -> bool {
    ["success", "ok", "succeeded"].iter().any(|name| object.get(*name) == Some(&Value::Bool(false)))
        || object.get("isError") == Some(&Value::Bool(true))
}

/// The value in a text of JSON or in Python's notation, or in a JSON string with such a text, as sent by a
/// server whose tool returns JSON as a string that its library serializes again. A text with an object in each line
/// is a list of these.
pub(super) fn json(text: &str) -> Option<Value> {
    let plain = |text: &str| {
        let read = || serde_json::from_str(text).ok().or_else(|| literal::read(text));
        text.trim_start().starts_with(['{', '[']).then(read).flatten()
    };
    let quoted = || text.trim_start().starts_with('"').then(|| serde_json::from_str::<String>(text).ok())?;
    plain(text).or_else(|| plain(&quoted()?)).or_else(|| lines(text))
}

/// The objects in a text of several lines with a JSON object each.
fn lines(text: &str) -> Option<Value> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let object = |line: &str| serde_json::from_str::<Map<String, Value>>(line).ok().map(Value::Object);
    let (first, second) = (object(lines.next()?)?, object(lines.next()?)?);
    let rest: Option<Vec<Value>> = lines.map(object).collect();
    Some(Value::Array([first, second].into_iter().chain(rest?).collect()))
}

pub(super) fn telling(object: &Map<String, Value>) -> Option<Sign> {
    enveloped(object).and_then(flat).or_else(|| flat(object))
}

/// What stands in an envelope: the object that is the only member of another one, or the result in one that says how the call
/// went on the way, where that result says that it failed: `{"success": true, "result": {"success": false, ..}, "took": 3}`.
fn enveloped(object: &Map<String, Value>) -> Option<&Map<String, Value>> {
    let only = || object.values().next().filter(|_| object.len() == 1)?.as_object();
    let result =
        || RESULTS.iter().find_map(|name| object.get(*name)?.as_object().filter(|inner| denies(inner)));
    only().or_else(result)
}

fn flat(object: &Map<String, Value>) -> Option<Sign> {
    let is_error = |(name, value): &(&String, &Value)| {
        is_error_name(name) && holds_error(name, value) && !is_task(name, object)
    };
    if let Some((name, _)) = object.iter().find(is_error) {
        return Some(Sign::new(name.as_str(), Kind::Named));
    }
    if object.get("isError") == Some(&Value::Bool(true)) {
        return Some(Sign::new(WITHIN, Kind::Outcome));
    }
    for name in ["success", "ok", "succeeded"] {
        if object.get(name) == Some(&Value::Bool(false)) {
            return Some(Sign::new(format!("{name}: false"), Kind::Outcome));
        }
    }
    let failed = |name: &str| {
        let value = object.get(name)?.as_str()?.to_ascii_lowercase();
        ["error", "failed", "failure"].contains(&&*value).then(|| format!("{name}: {value}"))
    };
    // A result that failed may be that of a test, or of a job that was looked up; one that is an error is the call's.
    let is_error = |name: &String| name.ends_with(": error");
    let ended = || ["result", "outcome"].into_iter().find_map(failed).filter(is_error);
    if let Some(name) = failed("status").or_else(ended) {
        return Some(Sign::new(name, Kind::Status));
    }
    let stated = ["state", "result", "outcome"].into_iter().find_map(failed);
    if let Some(name) = stated.or_else(|| refused_status(object)) {
        return Some(Sign::new(name, Kind::State));
    }
    let counted =
        |object: &Map<String, Value>| count::failed_count(object).map(|name| Sign::new(name, Kind::Counted));
    let summary = || object.values().filter_map(Value::as_object).find_map(counted);
    if let Some(sign) = counted(object).or_else(summary) {
        return Some(sign);
    }
    let filled = |value: &Value| value.as_array().is_some_and(|items| !items.is_empty());
    if object.get("errors").is_some_and(filled) && !count::did_some(object) {
        return Some(Sign::new("errors", Kind::Listed));
    }
    let of_list = |(name, value): (&String, &Value)| {
        let sign = telling_items(value.as_array()?)?;
        Some(Sign::new(format!("{name}: {}", sign.name), Kind::Items))
    };
    object.iter().find_map(of_list).or_else(|| telling_items(object.values()))
}

/// Names of members with the reason of a failure.
const REASONS: &[&str] = &["message", "msg", "detail", "details", "reason", "why", "description"];

/// Whether an object has a member with the reason of a failure as text.
pub(super) fn tells_why(object: &Map<String, Value>) -> bool {
    REASONS.iter().any(|name| object.get(*name).is_some_and(Value::is_string))
}

/// An HTTP status from 400 to 599 beside nothing but a reason: `{"code": 404, "msg": "..", "data": null}`.
fn refused_status(object: &Map<String, Value>) -> Option<String> {
    const NAMES: [&str; 4] = ["code", "status", "status_code", "statusCode"];
    let refuses = |name: &&str| {
        object.get(*name).and_then(Value::as_u64).is_some_and(|code| (400..600).contains(&code))
    };
    let name = NAMES.into_iter().find(refuses)?;
    let is_reason = |other: &String| other == name || REASONS.contains(&other.as_str());
    let is_bare = filled(object).all(is_reason) && tells_why(object);
    is_bare.then(|| format!("{name}: {}", object[name]))
}

/// A member that says of something which the control says was done that it was not, beside the reason, and the text that it
/// stands in: `{"created": false, "reason": ".."}`.
pub(super) fn undone(exchange: &Exchange, control: &Exchange) -> Option<(String, String)> {
    let object = |exchange: &Exchange| {
        exchange.outcome.texts().into_iter().find_map(|text| match json(text)? {
            Value::Object(object) => Some((object, text.to_owned())),
            _ => None,
        })
    };
    let ((own, text), (other, _)) = (object(exchange).filter(|(own, _)| tells_why(own))?, object(control)?);
    let is_undone = |(name, value): &(&String, &Value)| {
        words!("messages/done-members").contains(&name.as_str())
            && **value == Value::Bool(false)
            && other.get(*name) == Some(&Value::Bool(true))
    };
    // What was not made may have been changed instead.
    let is_done = |(name, value): (&String, &Value)| {
        words!("messages/done-members").contains(&name.as_str()) && *value == Value::Bool(true)
    };
    if own.iter().any(is_done) {
        return None;
    }
    let (name, _) = own.iter().find(is_undone)?;
    Some((format!("{name}: false"), text))
}

/// A member that every object of a list, or of a map by what was sent, has and that says that each of them failed.
pub(super) fn telling_items<'v>(items: impl IntoIterator<Item = &'v Value>) -> Option<Sign> {
    let signs: Option<Vec<Sign>> = items.into_iter().map(|item| telling(item.as_object()?)).collect();
    signs?.into_iter().next().map(|sign| Sign::new(sign.name, Kind::Items))
}

/// Whether a member's name means an error, in some language.
pub(super) fn is_error_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    let rest = |known: &&str| lower.strip_prefix(*known);
    words!("messages/error-member").iter().filter_map(rest).any(|rest| {
        let rest = rest.trim_start_matches(['_', '-', ' ']);
        rest.is_empty() || FOLLOWING.contains(&rest)
    })
}

/// Whether a member is the problem that was to be solved: beside it stands what came of it.
fn is_task(name: &str, object: &Map<String, Value>) -> bool {
    let comes_of_it = |(other, value): (&String, &Value)| {
        let lower = other.to_lowercase();
        ["solution", "answer", "result"].contains(&lower.trim_end_matches('s')) && !value.is_null()
            || other != name && is_error_name(other)
    };
    name.eq_ignore_ascii_case("problem") && object.iter().any(comes_of_it)
}

/// Whether what a member of that name holds can say that something failed.
fn holds_error(name: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let text = text.trim();
            !text.is_empty() && !NOTHING.iter().any(|nothing| text.eq_ignore_ascii_case(nothing))
        }
        Value::Object(members) => !members.is_empty(),
        // In other languages the word has further meanings.
        Value::Bool(said) => *said && ["error", "problem"].contains(&name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    #[test]
    fn json_is_read_within_a_string_of_json_once() {
        let object = json!({"isValid": false, "errors": [{"code": "configuration-error"}]});
        let once = Value::String(object.to_string()).to_string();
        assert_eq!(super::json(&object.to_string()), Some(object.clone()));
        assert_eq!(super::json(&once), Some(object));
        assert_eq!(super::json(&Value::String(once).to_string()), None);
        assert_eq!(super::json(r#""{not json""#), None);
        assert_eq!(super::json(r#""error""#), None);
    }
}
