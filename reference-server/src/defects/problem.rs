//! Problems that are not as RFC 9457 and the contract want them, and results that are not emptied beside them.

use serde_json::{Map, Value, json};

use super::{Breaks, Defect, Fault, cases, within};
use crate::contract::{Contract, Reply};
use crate::failure::Code;

const fn breaks(rule: &'static str, cases: &'static [&'static str]) -> Breaks {
    within(&[Contract::ProblemDetails], rule, cases)
}

const NOT_EMPTIED: &str = "envelope/not-emptied";
const PROBLEM: &str = "envelope/problem";
const RUNTIME_ERROR: &str = "leak/runtime-error";

pub(super) static DEFECTS: &[Defect] = &[
    Defect {
        name: "envelope/not-emptied/missing",
        summary: "Errors of one tool have no field of its result beside the problem.",
        breaks: &[
            breaks(NOT_EMPTIED, cases::UNKNOWN_TASK),
            breaks("wire/broken-output-schema", cases::UNKNOWN_TASK),
            breaks("wire/broken-output-schema", &["session/progress"]),
        ],
        fault: Fault::ReplyTo(Code::BashTaskNotFound, |call, _, reply| {
            reply.with_members(|object| {
                for field in call.tool.result {
                    object.shift_remove(field.name);
                }
            })
        }),
    },
    Defect {
        name: "envelope/not-emptied/full",
        summary: "An error still tells the path in a field of the result.",
        breaks: &[breaks(NOT_EMPTIED, cases::NOT_FOUND_REPLACE)],
        fault: Fault::ReplyTo(Code::StrReplaceNotFound, |call, _, reply| {
            reply.with_members(|object| drop(object.insert("path".to_owned(), json!(call.text("path")))))
        }),
    },
    Defect {
        name: "envelope/problem/error",
        summary: "What `error` says is longer than the problem's detail.",
        breaks: &[breaks(PROBLEM, cases::UNKNOWN_TASK)],
        fault: Fault::ReplyTo(Code::BashTaskNotFound, |_, _, reply| {
            with(reply, "detail", "There is no such task.")
        }),
    },
    Defect {
        name: "envelope/problem/title",
        summary: "One kind of problem has another title than the others of its type.",
        breaks: &[breaks(PROBLEM, cases::INVALID_GLOB)],
        fault: Fault::ReplyTo(Code::GlobInvalidPattern, |_, _, reply| {
            with(reply, "title", "InvalidGlobError")
        }),
    },
    Defect {
        name: "envelope/problem/type",
        summary: "The type of one kind of problem is a sentence and no URI reference.",
        breaks: &[breaks(PROBLEM, cases::INVALID_MODE)],
        fault: Fault::ReplyTo(Code::GrepInvalidOutputMode, |_, _, reply| {
            with(reply, "type", "invalid parameter")
        }),
    },
    Defect {
        name: "envelope/problem/code",
        summary: "Two codes of the catalogue share one type.",
        breaks: &[breaks(PROBLEM, &["{path-not-found,path-leads-nowhere,link-loop,upstream-not-found}"])],
        fault: Fault::ReplyTo(Code::PathNotFound, |_, _, reply| {
            with(reply, "type", "urn:mcp-errconf-reference:problem:invalid-parameter")
        }),
    },
    Defect {
        name: "envelope/problem/status",
        summary: "A path outside the root is a bad request, 400.",
        breaks: &[breaks(PROBLEM, cases::CLOSED_PATH)],
        fault: Fault::ReplyTo(Code::AccessDenied, |_, _, reply| with(reply, "status", 400)),
    },
    Defect {
        name: "envelope/problem/status-text",
        summary: "The status of one kind of problem is a text.",
        breaks: &[breaks(PROBLEM, cases::OVER_LIMIT)],
        fault: Fault::ReplyTo(Code::FileTooLarge, |_, _, reply| with(reply, "status", "400")),
    },
    Defect {
        name: "envelope/problem/extensions",
        summary: "The extensions of one kind of problem are a list.",
        breaks: &[breaks(PROBLEM, cases::INVALID_REGEX)],
        fault: Fault::ReplyTo(Code::GrepInvalidPattern, |call, _, reply| {
            with(reply, "extensions", call.arguments.values().cloned().collect::<Vec<_>>())
        }),
    },
    Defect {
        name: "envelope/second-shape/member",
        summary: "The problems of one tool have a member that those of the others do not have.",
        breaks: &[breaks("envelope/second-shape", &["^probe/search_text/*/*"])],
        fault: Fault::Reply(|call, _, reply| match call.tool.name {
            "search_text" => with(reply, "help", "https://example.org/help"),
            _ => reply,
        }),
    },
    Defect {
        name: "message/value-missing/range",
        summary: "A range of lines that cannot be is refused without its numbers.",
        breaks: &[breaks("message/value-missing", &["call.role=blame invalid-range requirements=PD-10"])],
        fault: Fault::ReplyTo(Code::InvalidInput, |call, failure, reply| {
            let ends = ["start_line", "end_line"];
            let is_range =
                ends.iter().all(|name| call.arguments.contains_key(*name)) && ends.contains(&&*failure.about);
            if is_range { reply.with_members(without_numbers) } else { reply }
        }),
    },
    Defect {
        name: "leak/runtime-error/exception-type",
        summary: "The problem of an unexpected failure tells the type of the exception.",
        breaks: &[breaks(RUNTIME_ERROR, cases::REFUSED_OPERATION)],
        fault: Fault::ReplyTo(Code::IoError, |_, _, reply| {
            reply.with_members(|object| {
                let problem = object.get_mut("problem");
                if let Some(extensions) = problem.and_then(|problem| problem.get_mut("extensions")) {
                    extensions["exception_type"] = json!("IsADirectoryError");
                }
            })
        }),
    },
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
fn with(reply: Reply, name: &str, value: impl Into<Value>) -> Reply {
    reply.with_members(|object| {
        if let Some(problem) = object.get_mut("problem").and_then(Value::as_object_mut) {
            problem.insert(name.to_owned(), value.into());
        }
    })
}
