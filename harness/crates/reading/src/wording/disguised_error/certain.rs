//! Error objects in replies without `isError` that show a failure whatever was asked for: the reply to a call that
//! succeeded has another shape.

use serde_json::{Map, Value};

use super::batch::{TellingReply, telling_reply};
use super::member::{self, Kind};
use crate::exchange::Exchange;
use crate::words;

/// Whether a reply is that of a failed call, whatever was asked for: it is an error object, or a list of nothing
/// else, and the reply to the call that succeeded has no such member.
pub fn is_certain(exchange: &Exchange, control: &Exchange) -> bool {
    telling_reply(exchange).is_some_and(|reply| is_of_another_shape(&reply, exchange, control))
}

/// Whether it is such a reply and says nothing besides the error: a file, or an entry of a log, contains more.
pub fn is_error_alone(exchange: &Exchange, control: &Exchange) -> bool {
    telling_reply(exchange).is_some_and(|reply| {
        objects(&reply.value).objects.iter().all(|object| is_bare(object, exchange))
            && is_of_another_shape(&reply, exchange, control)
    })
}

fn is_of_another_shape(reply: &TellingReply, exchange: &Exchange, control: &Exchange) -> bool {
    let Objects { objects, is_list } = objects(&reply.value);
    let others = values(control);
    let is_unlike = |object: &&Map<String, Value>| {
        is_unlike(object, &others, exchange) && (!is_list || is_bare(object, exchange))
    };
    !objects.is_empty() && objects.iter().all(is_unlike) && !(is_list && may_be_empty_list(control, &others))
}

/// The objects that say that the call failed.
struct Objects<'v> {
    objects: Vec<&'v Map<String, Value>>,
    is_list: bool,
}

fn objects(value: &Value) -> Objects<'_> {
    let list = match value {
        Value::Array(items) => Some(items),
        Value::Object(object) if member::telling(object).is_some_and(|sign| sign.kind == Kind::Items) => {
            let mut lists = member::inner(object).values().filter_map(Value::as_array);
            lists.find(|items| member::telling_items(*items).is_some())
        }
        _ => None,
    };
    match (list, value) {
        (Some(items), _) => {
            Objects { objects: items.iter().filter_map(Value::as_object).collect(), is_list: true }
        }
        (None, Value::Object(object)) => Objects { objects: vec![member::inner(object)], is_list: false },
        _ => Objects { objects: Vec::new(), is_list: false },
    }
}

/// Whether an object says that the call failed by a member that no object in the other reply has, and describes no
/// thing that the other reply describes too.
fn is_unlike(object: &Map<String, Value>, others: &[Value], exchange: &Exchange) -> bool {
    let Some(sign) = member::telling(object) else { return false };
    let denies = member::denies(object);
    let is_clear = match sign.kind {
        Kind::Named => true,
        Kind::Outcome => member::tells_why(object),
        Kind::Listed => is_bare(object, exchange),
        Kind::Status | Kind::State | Kind::Counted | Kind::Items | Kind::Refused => false,
    };
    let name = sign.name.split(':').next().unwrap_or_default();
    let has = |other: &Map<String, Value>| match sign.kind {
        Kind::Outcome => other.get(name) == object.get(name),
        _ => other.contains_key(name),
    };
    let describes_the_same = || {
        let own =
            member::filled(object).filter(|own| !words!("messages/certain-outcomes").contains(&own.as_str()));
        own.filter(|own| !is_sent(&object[own.as_str()], exchange))
            .any(|own| any_object(others, &|other| other.contains_key(own)))
    };
    is_clear
        && !exchange.call.arguments.to_string().contains(name)
        && !any_object(others, &has)
        && (denies || !describes_the_same())
}

/// Whether an object has no members but those about an error, and what was sent.
fn is_bare(object: &Map<String, Value>, exchange: &Exchange) -> bool {
    object.iter().all(|(name, value)| {
        let is_empty = match value {
            Value::Null | Value::Bool(false) => true,
            Value::Number(number) => number.as_f64() == Some(0.0),
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            Value::Bool(true) => false,
        };
        let is_about_errors = member::is_error_name(name)
            || name == "errors"
            || words!("messages/certain-outcomes").contains(&name.as_str())
            || words!("messages/certain-about-errors").contains(&name.as_str());
        is_empty || is_about_errors || is_sent(value, exchange)
    })
}

/// Whether a value is that of an argument.
fn is_sent(value: &Value, exchange: &Exchange) -> bool {
    exchange.call.arguments.as_object().is_some_and(|sent| sent.values().any(|sent| sent == value))
}

/// What a reply contains as JSON.
fn values(exchange: &Exchange) -> Vec<Value> {
    let structured = exchange.outcome.result().and_then(|result| result.get("structuredContent")).cloned();
    structured.into_iter().chain(exchange.outcome.texts().into_iter().filter_map(member::json)).collect()
}

fn any_object(values: &[Value], is_it: &dyn Fn(&Map<String, Value>) -> bool) -> bool {
    values.iter().any(|value| match value {
        Value::Object(object) => {
            is_it(object) || object.values().any(|value| any_object(std::slice::from_ref(value), is_it))
        }
        Value::Array(items) => any_object(items, is_it),
        _ => false,
    })
}

/// Whether a reply may be a list without items, which does not show what its items look like.
fn may_be_empty_list(exchange: &Exchange, values: &[Value]) -> bool {
    let is_empty_list = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    let has_empty_list = |value: &Value| match value {
        Value::Object(object) => object.values().any(is_empty_list),
        value => is_empty_list(value),
    };
    exchange.outcome.texts().is_empty() && values.is_empty() || values.iter().any(has_empty_list)
}
