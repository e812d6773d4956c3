//! The right code and the right words in an object that is not the contract's, or where none belongs.

use serde_json::{Value, json};

use super::edits::text_of;
use super::{Defect, Fault, cases, is_refusal, wire, with_message, within};
use crate::contract::{Channel, Contract, Reply, told};
use crate::failure::Code;

/// The contracts whose errors are JSON objects.
const JSON: &[Contract] = &[Contract::ErrorEnvelope, Contract::ToolError, Contract::ProblemDetails];
const ENVELOPE: &[Contract] = &[Contract::ErrorEnvelope];
const HINTS: &str = "envelope/hints";

pub(super) static DEFECTS: &[Defect] = &[
    Defect {
        name: "envelope/not-json",
        summary: "An unknown task is refused in plain text.",
        breaks: &[within(JSON, "envelope/not-json", cases::UNKNOWN_TASK)],
        fault: Fault::ReplyTo(Code::BashTaskNotFound, |_, failure, _| Reply::tool_error(told(failure))),
    },
    Defect {
        name: "envelope/schema",
        summary: "A member of the error for a missing path has another type than the contract's.",
        breaks: &[within(JSON, "envelope/schema", cases::MISSING_PATH)],
        fault: Fault::ReplyTo(Code::PathNotFound, |_, _, reply| reply.mistyped()),
    },
    Defect {
        name: "envelope/retryability",
        summary: "Too many background tasks are an error that no retry helps.",
        breaks: &[within(
            &[Contract::ErrorEnvelope, Contract::ToolError],
            "envelope/retryability",
            cases::TASK_LIMIT,
        )],
        fault: Fault::ReplyTo(Code::BashTaskLimit, |_, _, reply| reply.denying_retries()),
    },
    Defect {
        name: "envelope/hints",
        summary: "The way out of an unknown task stands in the message, and the list of hints is empty.",
        breaks: &[within(ENVELOPE, HINTS, cases::UNKNOWN_TASK)],
        fault: Fault::ReplyTo(Code::BashTaskNotFound, |_, failure, reply| {
            reply.reworded(|_| told(failure)).advised(&[])
        }),
    },
    Defect {
        name: "envelope/hints/suggestion",
        summary: "Where the text is not in the file, a hint asks whether another one was meant.",
        breaks: &[within(ENVELOPE, HINTS, cases::NOT_FOUND)],
        fault: Fault::Hint(
            Code::StrReplaceNotFound,
            "Did you mean a text further down? Call view to read the file.",
        ),
    },
    Defect {
        name: "envelope/hints/closest",
        summary: "Where the text is not in the file, a hint shows a line of the file instead.",
        breaks: &[within(ENVELOPE, HINTS, cases::NOT_FOUND_REPLACE)],
        fault: Fault::FailureOf(Code::StrReplaceNotFound, |failure, call, session| {
            if call.tool.name == "str_replace" {
                let text = text_of(call, session);
                let line = text.lines().max_by_key(|line| line.len()).unwrap_or_default();
                let hint = format!("Call view to see the file again, or replace the line '{line}' instead.");
                failure.hint = Some(hint.into());
            }
        }),
    },
    Defect {
        name: "envelope/error-in-success",
        summary: "What a command printed before it exited non-zero comes with the members of an error, empty.",
        breaks: &[within(
            &[Contract::ErrorEnvelope, Contract::ProblemDetails],
            "envelope/error-in-success",
            cases::FAILED_COMMAND,
        )],
        fault: Fault::Reply(|call, _, reply| {
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
    },
    Defect {
        name: "envelope/second-shape",
        summary: "The errors of one tool stand in the structured content alone.",
        breaks: &[within(ENVELOPE, "envelope/second-shape", &["^call.role=task-output *"])],
        fault: Fault::Line(|line| {
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
    },
];
