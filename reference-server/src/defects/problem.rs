//! Problems that are not as RFC 9457 and the contract want them, and results that are not emptied beside them.

use serde_json::{Map, Value, json};

use super::Fault;
use crate::contract::Reply;
use crate::failure::Code;

pub(super) const FAULTS: &[(&str, Fault)] = &[
    (
        "envelope/not-emptied/missing",
        Fault::ReplyTo(Code::BashTaskNotFound, |call, _, reply| {
            reply.with_members(|object| {
                for field in &call.tool.result {
                    object.shift_remove(field.name);
                }
            })
        }),
    ),
    (
        "envelope/not-emptied/full",
        Fault::ReplyTo(Code::StrReplaceNotFound, |call, _, reply| {
            reply.with_members(|object| drop(object.insert("path".to_owned(), json!(call.text("path")))))
        }),
    ),
    (
        "envelope/problem/extensions",
        Fault::ReplyTo(Code::GrepInvalidPattern, |call, _, reply| {
            with(reply, "extensions", call.arguments.values().cloned().collect::<Vec<_>>())
        }),
    ),
    (
        "envelope/second-shape/member",
        Fault::Reply(|call, _, reply| match call.tool.name {
            "search_text" => with(reply, "help", "https://example.org/help"),
            _ => reply,
        }),
    ),
    (
        "message/value-missing/range",
        Fault::ReplyTo(Code::InvalidInput, |call, failure, reply| {
            let ends = ["start_line", "end_line"];
            let is_range =
                ends.iter().all(|name| call.arguments.contains_key(*name)) && ends.contains(&&*failure.about);
            if is_range { reply.with_members(without_numbers) } else { reply }
        }),
    ),
    (
        "leak/runtime-error/exception-type",
        Fault::ReplyTo(Code::IoError, |_, _, reply| {
            reply.with_members(|object| {
                let problem = object.get_mut("problem");
                if let Some(extensions) = problem.and_then(|problem| problem.get_mut("extensions")) {
                    extensions["exception_type"] = json!("IsADirectoryError");
                }
            })
        }),
    ),
];

/// Tells of a range by the names of its ends alone.
fn without_numbers(object: &mut Map<String, Value>) {
    let told = "No line lies between 'start_line' and 'end_line': send an 'end_line' that is not before 'start_line', and \
                neither before the first line nor behind the last.";
    object.insert("error".to_owned(), json!(told));
    if let Some(problem) = object.get_mut("problem").and_then(Value::as_object_mut) {
        problem.insert("detail".to_owned(), json!(told));
        if let Some(extensions) = problem.get_mut("extensions").and_then(Value::as_object_mut) {
            extensions.retain(|_, value| !value.is_number());
        }
    }
}

/// Gives a member of the problem another value.
pub(super) fn with(reply: Reply, name: &str, value: impl Into<Value>) -> Reply {
    reply.with_members(|object| {
        if let Some(problem) = object.get_mut("problem").and_then(Value::as_object_mut) {
            problem.insert(name.to_owned(), value.into());
        }
    })
}
