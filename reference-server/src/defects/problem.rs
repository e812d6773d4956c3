//! Problems that are not as RFC 9457 and the contract want them, and results that are not emptied beside them.

use serde_json::{Map, Value, json};

use super::{Breaks, Defect, Fault, cases, within};
use crate::contract::{Channel, Contract, Reply};
use crate::failure::{Code, Failure};

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
        ],
        fault: Fault::Reply(|call, failure, reply| {
            changed(failure, Code::BashTaskNotFound, reply, |object| {
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
        fault: Fault::Reply(|call, failure, reply| {
            changed(failure, Code::StrReplaceNotFound, reply, |object| {
                object.insert("path".to_owned(), json!(call.text("path")));
            })
        }),
    },
    Defect {
        name: "envelope/problem/error",
        summary: "What `error` says is longer than the problem's detail.",
        breaks: &[breaks(PROBLEM, cases::UNKNOWN_TASK)],
        fault: Fault::Reply(|_, failure, reply| {
            member(failure, Code::BashTaskNotFound, reply, "detail", json!("There is no such task."))
        }),
    },
    Defect {
        name: "envelope/problem/title",
        summary: "One kind of problem has another title than the others of its type.",
        breaks: &[breaks(PROBLEM, cases::INVALID_GLOB)],
        fault: Fault::Reply(|_, failure, reply| {
            member(failure, Code::GlobInvalidPattern, reply, "title", json!("InvalidGlobError"))
        }),
    },
    Defect {
        name: "envelope/problem/type",
        summary: "The type of one kind of problem is a sentence and no URI reference.",
        breaks: &[breaks(PROBLEM, cases::INVALID_MODE)],
        fault: Fault::Reply(|_, failure, reply| {
            member(failure, Code::GrepInvalidOutputMode, reply, "type", json!("invalid parameter"))
        }),
    },
    Defect {
        name: "envelope/problem/code",
        summary: "Two codes of the catalogue share one type.",
        breaks: &[breaks(PROBLEM, &["{path-not-found,path-leads-nowhere,link-loop,upstream-not-found}"])],
        fault: Fault::Reply(|_, failure, reply| {
            let kind = json!("urn:mcp-errconf-reference:problem:invalid-parameter");
            member(failure, Code::PathNotFound, reply, "type", kind)
        }),
    },
    Defect {
        name: "envelope/problem/status",
        summary: "A path outside the root is a bad request, 400.",
        breaks: &[breaks(PROBLEM, cases::CLOSED_PATH)],
        fault: Fault::Reply(|_, failure, reply| {
            member(failure, Code::AccessDenied, reply, "status", json!(400))
        }),
    },
    Defect {
        name: "envelope/problem/status-text",
        summary: "The status of one kind of problem is a text.",
        breaks: &[breaks(PROBLEM, cases::OVER_LIMIT)],
        fault: Fault::Reply(|_, failure, reply| {
            member(failure, Code::FileTooLarge, reply, "status", json!("400"))
        }),
    },
    Defect {
        name: "envelope/problem/extensions",
        summary: "The extensions of one kind of problem are a list.",
        breaks: &[breaks(PROBLEM, cases::INVALID_REGEX)],
        fault: Fault::Reply(|call, failure, reply| {
            let values: Vec<_> = call.arguments.values().cloned().collect();
            member(failure, Code::GrepInvalidPattern, reply, "extensions", json!(values))
        }),
    },
    Defect {
        name: "envelope/second-shape/member",
        summary: "The problems of one tool have a member that those of the others do not have.",
        breaks: &[breaks("envelope/second-shape", &["^probe/search_text/*/*"])],
        fault: Fault::Reply(|call, _, reply| {
            if call.tool.name != "search_text" {
                return reply;
            }
            with_object(reply, |object| {
                if let Some(problem) = object.get_mut("problem") {
                    problem["help"] = json!("https://example.org/help");
                }
            })
        }),
    },
    Defect {
        name: "message/value-missing/range",
        summary: "A range of lines that cannot be is refused without its numbers.",
        breaks: &[breaks("message/value-missing", &["call.role=blame invalid-range requirements=PD-10"])],
        fault: Fault::Reply(|call, failure, reply| {
            let ends = ["start_line", "end_line"];
            let is_range = ends.iter().all(|name| call.arguments.contains_key(*name))
                && failure.is_some_and(|failure| ends.contains(&&*failure.about));
            match is_range {
                true => changed(failure, Code::InvalidInput, reply, without_numbers),
                false => reply,
            }
        }),
    },
    Defect {
        name: "leak/runtime-error/exception-type",
        summary: "The problem of an unexpected failure tells the type of the exception.",
        breaks: &[breaks(RUNTIME_ERROR, cases::REFUSED_OPERATION)],
        fault: Fault::Reply(|_, failure, reply| {
            changed(failure, Code::IoError, reply, |object| {
                if let Some(extensions) =
                    object.get_mut("problem").and_then(|problem| problem.get_mut("extensions"))
                {
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

/// Changes the object of an error of one kind.
fn changed(
    failure: Option<&Failure>,
    code: Code,
    reply: Reply,
    change: impl FnOnce(&mut Map<String, Value>),
) -> Reply {
    let is_meant = failure.is_some_and(|failure| failure.code.kind() == code);
    if is_meant { with_object(reply, change) } else { reply }
}

/// Changes the object of any error.
fn with_object(reply: Reply, change: impl FnOnce(&mut Map<String, Value>)) -> Reply {
    match serde_json::from_str::<Map<String, Value>>(&reply.text) {
        Ok(mut object) if reply.channel == Channel::ToolError => {
            change(&mut object);
            Reply { text: Value::Object(object).to_string(), ..reply }
        }
        _ => reply,
    }
}

/// Gives a member of the problem another value.
fn member(failure: Option<&Failure>, code: Code, reply: Reply, name: &str, value: Value) -> Reply {
    changed(failure, code, reply, |object| {
        if let Some(problem) = object.get_mut("problem").and_then(Value::as_object_mut) {
            problem.insert(name.to_owned(), value);
        }
    })
}
