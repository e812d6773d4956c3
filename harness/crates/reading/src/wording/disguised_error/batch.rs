//! Which member of a reply says that the call failed, by itself or for all the things that the call named.

use serde_json::{Map, Value};

use super::count::{FAILURES, counts, did_some, done, fails, lists, succeeds};
use super::member::{Kind, Sign, json, telling, telling_items};
use super::purpose::seeks;
use crate::exchange::Exchange;

/// Participles that may also be the state of a thing that was looked up.
const STATES: &[&str] =
    &["completed", "finished", "started", "scheduled", "queued", "closed", "merged", "resolved", "succeeded"];

/// Endings of a status that says that something was refused.
const REFUSED: &[&str] =
    &["mismatch", "not_found", "rejected", "refused", "denied", "failed", "failure", "error"];

/// Lists of things that were named and are not there.
const MISSING: &[&str] = &["not_found", "notfound", "missing", "unknown", "nonexistent"];

/// Members that give the reason.
const REASONS: &[&str] = &["message", "reason", "detail", "details", "error"];

/// A reply that says in a JSON object that its call failed.
pub(super) struct TellingReply {
    pub(super) sign: Sign,
    /// The text that contains it, or the object as JSON.
    pub(super) text: String,
    /// What says it: an object, or a list of objects that all do.
    pub(super) value: Value,
}

/// The member of a reply that says that the call failed, and the text that contains it.
pub(super) fn telling_member(exchange: &Exchange) -> Option<(Sign, String)> {
    telling_reply(exchange).map(|reply| (reply.sign, reply.text))
}

/// What in a reply says that the call failed: its `structuredContent`, the result itself, or a text that is a JSON
/// object or a list of objects. Several texts with an object each are a list, which some servers send like this.
pub(super) fn telling_reply(exchange: &Exchange) -> Option<TellingReply> {
    let result = exchange.outcome.result()?.as_object()?;
    let structured = result.get("structuredContent").and_then(Value::as_object);
    let says = |object: &Map<String, Value>| telling(object).or_else(|| refused(exchange, object));
    let found = structured.into_iter().chain([result]).find_map(|object| {
        let value = || Value::Object(object.clone());
        says(object).map(|sign| TellingReply { sign, text: value().to_string(), value: value() })
    });
    if found.is_some() {
        return found;
    }
    let texts = exchange.outcome.texts();
    let read: Vec<(&str, Value)> = texts.into_iter().filter_map(|text| Some((text, json(text)?))).collect();
    if let [(text, _), _, ..] = read.as_slice()
        && read.iter().all(|(_, value)| value.is_object())
    {
        let items: Vec<Value> = read.iter().map(|(_, value)| value.clone()).collect();
        let sign = telling_items(&items)?;
        return Some(TellingReply { sign, text: (*text).to_owned(), value: Value::Array(items) });
    }
    read.into_iter().find_map(|(text, value)| {
        let sign = match &value {
            Value::Object(object) => says(object),
            Value::Array(items) => telling_items(items),
            _ => None,
        };
        sign.map(|sign| TellingReply { sign, text: text.to_owned(), value })
    })
}

/// The sign that nothing was done for all the things that the call named, or that they were refused.
pub(super) fn refused(exchange: &Exchange, object: &Map<String, Value>) -> Option<Sign> {
    let sent = exchange.call.arguments.as_object();
    let sizes: Vec<usize> =
        sent.into_iter().flat_map(Map::values).filter_map(Value::as_array).map(Vec::len).collect();
    let is_whole = |size: usize| size > 0 && sizes.contains(&size);
    all_listed(object)
        .or_else(|| all_missing(object).filter(|_| !exchange.tool().is_some_and(seeks)))
        .or_else(|| none_of_all(object, is_whole))
        .or_else(|| each_refused(object, is_whole))
        .or_else(|| refused_status(object).filter(|_| !exchange.tool().is_some_and(seeks)))
}

/// A list of failures beside an empty list of successes: `failed_files` beside `deleted_files`.
fn all_listed(object: &Map<String, Value>) -> Option<Sign> {
    let (name, failed, _) = lists(object).find(|(_, words, items)| fails(words) && !items.is_empty())?;
    let rest = |words: &[String], is_one: fn(&str) -> bool| -> Vec<String> {
        words.iter().filter(|word| !is_one(word)).cloned().collect()
    };
    let things = rest(&failed, |word| FAILURES.contains(&word));
    let is_beside = |(_, words, items): (_, Vec<String>, &Vec<Value>)| {
        let is_state = words.iter().any(|word| STATES.contains(&word.as_str()));
        items.is_empty() && succeeds(&words) && !is_state && rest(&words, done) == things
    };
    (lists(object).any(is_beside) && !did_some(object)).then(|| Sign::new(name.as_str(), Kind::Items))
}

/// A list of things that are not there beside an empty list of successes: `not_found` beside `moved`.
fn all_missing(object: &Map<String, Value>) -> Option<Sign> {
    let is_missing = |(_, words, items): &(_, Vec<String>, &Vec<Value>)| {
        !items.is_empty() && MISSING.contains(&words.join("_").as_str())
    };
    let (name, ..) = lists(object).find(is_missing)?;
    let is_beside = |(_, words, items): (_, Vec<String>, &Vec<Value>)| {
        let is_state = words.iter().any(|word| STATES.contains(&word.as_str()));
        items.is_empty() && succeeds(&words) && !is_state
    };
    (lists(object).any(is_beside) && !did_some(object)).then(|| Sign::new(name.as_str(), Kind::Counted))
}

/// A success count of zero beside the number of all the things that the call named.
fn none_of_all(object: &Map<String, Value>, is_whole: impl Fn(usize) -> bool) -> Option<Sign> {
    let has = |words: &[String], wanted: &str| words.iter().any(|word| word.starts_with(wanted));
    let is_total = |(_, words, count): &(_, Vec<String>, u64)| {
        has(words, "total") && usize::try_from(*count).is_ok_and(&is_whole)
    };
    let is_idle = |(_, words, count): (_, Vec<String>, u64)| {
        count > 0 && (has(&words, "skipped") || has(&words, "unchanged") || has(&words, "ignored"))
    };
    let (name, ..) = counts(object).find(|(_, words, count)| has(words, "succe") && *count == 0)?;
    let is_none =
        counts(object).any(|found| is_total(&found)) && !did_some(object) && !counts(object).any(is_idle);
    is_none.then(|| Sign::new(format!("{name}: 0"), Kind::Counted))
}

/// A list with one object for each thing that the call named, all of them refused.
fn each_refused(object: &Map<String, Value>, is_whole: impl Fn(usize) -> bool) -> Option<Sign> {
    let says = |item: &Value| {
        let item = item.as_object()?;
        refusing(item).or_else(|| telling(item).map(|sign| sign.name))
    };
    lists(object).filter(|(_, _, items)| is_whole(items.len())).find_map(|(name, _, items)| {
        let first = says(items.first()?)?;
        let all = items.iter().all(|item| says(item).is_some());
        all.then(|| Sign::new(format!("{name}: {first}"), Kind::Refused))
    })
}

/// A status of the whole reply that refuses, with a reason.
fn refused_status(object: &Map<String, Value>) -> Option<Sign> {
    let status = refusing(object).filter(|_| tells_why(object))?;
    Some(Sign::new(status, Kind::Refused))
}

/// The status of an object that says it was refused. A skipped thing may have been done earlier, unless a
/// reason is given.
fn refusing(object: &Map<String, Value>) -> Option<String> {
    let status = object.get("status")?.as_str()?.to_ascii_lowercase();
    let plain = status.replace(['-', ' '], "_");
    let ends =
        |word: &str| plain.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with('_'));
    let is_refused = REFUSED.iter().any(|word| ends(word)) || plain == "skipped" && tells_why(object);
    is_refused.then(|| format!("status: {status}"))
}

fn tells_why(object: &Map<String, Value>) -> bool {
    REASONS
        .iter()
        .any(|name| object.get(*name).and_then(Value::as_str).is_some_and(|why| !why.trim().is_empty()))
}
