//! The right code and the right words in an object that is not the contract's, or where none belongs.

use serde_json::{Value, json};

use super::edits::text_of;
use super::{Fault, is_refusal, wire, with_message};
use crate::contract::{Channel, Reply, told};
use crate::failure::Code;

pub(super) const FAULTS: &[(&str, Fault)] = &[
    (
        "envelope/not-json",
        Fault::ReplyTo(Code::BashTaskNotFound, |_, failure, _| Reply::tool_error(told(failure))),
    ),
    ("envelope/schema", Fault::ReplyTo(Code::PathNotFound, |_, _, reply| reply.mistyped())),
    ("envelope/retryability", Fault::ReplyTo(Code::BashTaskLimit, |_, _, reply| reply.denying_retries())),
    (
        "envelope/hints",
        Fault::ReplyTo(Code::BashTaskNotFound, |_, failure, reply| {
            reply.reworded(|_| told(failure)).advised(&[])
        }),
    ),
    (
        "envelope/hints/closest",
        Fault::FailureOf(Code::StrReplaceNotFound, |failure, call, session| {
            if call.tool.name == "str_replace" {
                let text = text_of(call, session);
                let line = text.lines().max_by_key(|line| line.len()).unwrap_or_default();
                let hint = format!("Call view to see the file again, or replace the line '{line}' instead.");
                failure.hint = Some(hint.into());
            }
        }),
    ),
    (
        "envelope/error-in-success",
        Fault::Reply(|call, _, reply| {
            let is_command = call.tool.name == "bash" && reply.channel == Channel::Success;
            let has_failed = |result: &Value| {
                result["timed_out"] == true || result["exit_code"].as_i64().is_some_and(|code| code != 0)
            };
            let result = serde_json::from_str::<Value>(&reply.text).ok().filter(has_failed);
            let Some(mut result) = result.filter(|_| is_command) else { return reply };
            result["error"] = json!("");
            result["error_code"] = json!("");
            Reply::success(result.to_string())
        }),
    ),
    (
        "envelope/second-shape",
        Fault::Line(|line| {
            let is_of_tasks = [wire::UNKNOWN_TASK, "task_id"].iter().any(|words| is_refusal(&line, words));
            if !is_of_tasks {
                return line.into();
            }
            let moved = with_message(line, |reply| {
                let text = reply.pointer("/result/content/0/text")?.as_str()?;
                reply["result"]["structuredContent"] = serde_json::from_str(text).ok()?;
                reply["result"]["content"][0]["text"] = json!("The error stands beside this text.");
                Some(())
            });
            moved.into()
        }),
    ),
];
