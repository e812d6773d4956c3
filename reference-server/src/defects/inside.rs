//! More of the server's inside that gets into a message: its places, its values, its surroundings.

use serde_json::{Value, json};

use super::{Defect, Fault, Sent, cases, everywhere, wire, with_message};
use crate::failure::Code;

pub(super) static DEFECTS: &[Defect] = &[
    Defect {
        name: "leak/format-accident",
        summary: "A value of JavaScript stands in the message as an object's name.",
        breaks: &[everywhere("leak/format-accident", cases::UNKNOWN_TASK)],
        fault: Fault::BehindReason(Code::BashTaskNotFound, |_| "it was [object Object]".into()),
    },
    Defect {
        name: "leak/validation-dump",
        summary: "What pydantic says of an argument follows the message.",
        breaks: &[everywhere("leak/validation-dump", cases::INVALID_ARGUMENT)],
        fault: Fault::BehindReason(Code::InvalidInput, |_| {
            "1 validation error for Arguments\nvalue\n  Field required [type=missing, input_value={}, \
             input_type=dict]\n    For further information visit https://errors.pydantic.dev/2.14/v/missing"
                .into()
        }),
    },
    Defect {
        name: "leak/source-location",
        summary: "The place in the server's own source stands in the message.",
        breaks: &[everywhere("leak/source-location", cases::REFUSED_OPERATION)],
        fault: Fault::BehindReason(Code::IoError, |_| format!("raised at {}:{}", file!(), line!())),
    },
    Defect {
        name: "leak/memory-address",
        summary: "The address of the failure stands in the message.",
        breaks: &[everywhere("leak/memory-address", cases::OVER_LIMIT)],
        fault: Fault::BehindReason(Code::FileTooLarge, |failure| format!("see the failure at {failure:p}")),
    },
    Defect {
        name: "leak/internal-path",
        summary: "The path of the server's own program stands in the message.",
        breaks: &[everywhere("leak/internal-path", cases::NOT_FOUND)],
        fault: Fault::BehindReason(Code::StrReplaceNotFound, |_| {
            let program = std::env::current_exe().unwrap_or_default();
            format!("its settings are those of {}", program.display())
        }),
    },
    Defect {
        name: "leak/secret",
        summary: "What the server's environment calls a secret stands in the message.",
        breaks: &[everywhere("leak/secret", cases::INVALID_GLOB)],
        fault: Fault::BehindReason(Code::GlobInvalidPattern, |_| {
            format!("the environment was {}", secrets())
        }),
    },
    Defect {
        name: "leak/logged-secret",
        summary: "Before the refusal of an unknown task a log message tells what the server's environment calls a secret.",
        breaks: &[everywhere("leak/logged-secret", cases::UNKNOWN_TASK)],
        fault: Fault::Refusal(wire::UNKNOWN_TASK, |line| {
            let data = format!("the environment is {}", secrets());
            let params = json!({"level": "info", "data": data});
            let message = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params});
            Sent::Lines(vec![message.to_string(), line])
        }),
    },
    Defect {
        name: "envelope/structured-mismatch",
        summary: "The structured content of a refusal tells another code than its text.",
        breaks: &[everywhere("envelope/structured-mismatch", cases::UNKNOWN_TASK)],
        fault: Fault::Refusal(wire::UNKNOWN_TASK, |line| {
            let told = with_message(line, |reply| {
                let text = reply.pointer("/result/content/0/text")?.as_str()?;
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
                Some(())
            });
            told.into()
        }),
    },
];

/// The values of the variables whose names speak of a secret.
fn secrets() -> String {
    let secrets = std::env::vars().filter(|(name, _)| name.contains("SECRET"));
    secrets.map(|(_, value)| value).collect::<Vec<_>>().join(" ")
}
