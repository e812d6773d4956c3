//! More of the server's inside that gets into a message: its places, its values, its surroundings.

use serde_json::{Value, json};

use super::{Defect, Fault, Sent, cases, everywhere, wire};
use crate::failure::{Code, Failure};

pub(super) static DEFECTS: &[Defect] = &[
    Defect {
        name: "leak/format-accident",
        summary: "A value of JavaScript stands in the message as an object's name.",
        breaks: &[everywhere("leak/format-accident", cases::UNKNOWN_TASK)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome
                .map_err(|failure| also(failure, Code::BashTaskNotFound, || "it was [object Object]".into()))
        }),
    },
    Defect {
        name: "leak/validation-dump",
        summary: "What pydantic says of an argument follows the message.",
        breaks: &[everywhere("leak/validation-dump", cases::INVALID_ARGUMENT)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|failure| {
                also(failure, Code::InvalidInput, || {
                    "1 validation error for Arguments\nvalue\n  Field required [type=missing, input_value={}, \
                     input_type=dict]\n    For further information visit https://errors.pydantic.dev/2.14/v/missing"
                        .into()
                })
            })
        }),
    },
    Defect {
        name: "leak/source-location",
        summary: "The place in the server's own source stands in the message.",
        breaks: &[everywhere("leak/source-location", cases::REFUSED_OPERATION)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|failure| {
                also(failure, Code::IoError, || format!("raised at {}:{}", file!(), line!()))
            })
        }),
    },
    Defect {
        name: "leak/memory-address",
        summary: "The address of the failure stands in the message.",
        breaks: &[everywhere("leak/memory-address", cases::OVER_LIMIT)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|failure| {
                let address = format!("{:p}", &raw const failure);
                also(failure, Code::FileTooLarge, || format!("see the failure at {address}"))
            })
        }),
    },
    Defect {
        name: "leak/internal-path",
        summary: "The path of the server's own program stands in the message.",
        breaks: &[everywhere("leak/internal-path", cases::NOT_FOUND)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|failure| {
                also(failure, Code::StrReplaceNotFound, || {
                    let program = std::env::current_exe().unwrap_or_default();
                    format!("its settings are those of {}", program.display())
                })
            })
        }),
    },
    Defect {
        name: "leak/secret",
        summary: "What the server's environment calls a secret stands in the message.",
        breaks: &[everywhere("leak/secret", cases::INVALID_GLOB)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|failure| {
                also(failure, Code::GlobInvalidPattern, || {
                    let secrets = std::env::vars().filter(|(name, _)| name.contains("SECRET"));
                    let told: Vec<_> = secrets.map(|(_, value)| value).collect();
                    format!("the environment was {}", told.join(" "))
                })
            })
        }),
    },
    Defect {
        name: "envelope/structured-mismatch",
        summary: "The structured content of a refusal tells another code than its text.",
        breaks: &[everywhere("envelope/structured-mismatch", cases::UNKNOWN_TASK)],
        fault: Fault::Line(|line| {
            let told = serde_json::from_str::<Value>(&line).ok().and_then(|mut reply| {
                let text = reply.pointer("/result/content/0/text")?.as_str()?;
                wire::is_refusal(&line, wire::UNKNOWN_TASK).then_some(())?;
                let structured = serde_json::from_str::<Value>(text).map_or_else(
                    |_| json!({"code": "BASH_TASK_LIMIT"}),
                    |mut object| {
                        let members = object.as_object_mut().into_iter().flatten();
                        let texts = members.filter(|(_, value)| value.is_string());
                        texts.for_each(|(_, value)| *value = json!("Nobody knows."));
                        object
                    },
                );
                reply["result"]["structuredContent"] = structured;
                Some(reply.to_string())
            });
            Sent::Lines(vec![told.unwrap_or(line)])
        }),
    },
];

/// Lets one kind of failure have something more behind its reason.
pub(super) fn also(mut failure: Failure, code: Code, more: impl FnOnce() -> String) -> Failure {
    if failure.code.kind() == code {
        let more = more();
        failure.reason = Some(match failure.reason {
            Some(reason) => format!("{reason}; {more}").into(),
            None => more.into(),
        });
    }
    failure
}
