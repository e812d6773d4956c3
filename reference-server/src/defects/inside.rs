//! More of the server's inside that gets into a message: its places, its values, its surroundings.

use serde_json::{Value, json};

use super::{Fault, Sent, wire, with_message};
use crate::failure::Code;

pub(super) const FAULTS: &[(&str, Fault)] = &[
    (
        "leak/source-location",
        Fault::BehindReason(Code::IoError, |_| format!("raised at {}:{}", file!(), line!())),
    ),
    (
        "leak/memory-address",
        Fault::BehindReason(Code::FileTooLarge, |failure| format!("see the failure at {failure:p}")),
    ),
    (
        "leak/internal-path",
        Fault::BehindReason(Code::StrReplaceNotFound, |_| {
            let program = std::env::current_exe().unwrap_or_default();
            format!("its settings are those of {}", program.display())
        }),
    ),
    (
        "leak/secret",
        Fault::BehindReason(Code::GlobInvalidPattern, |_| format!("the environment was {}", secrets())),
    ),
    (
        "leak/logged-secret",
        Fault::Refusal(wire::UNKNOWN_TASK, |line| {
            let data = format!("the environment is {}", secrets());
            let params = json!({"level": "info", "data": data});
            let message = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params});
            Sent::Lines(vec![message.to_string(), line])
        }),
    ),
    (
        "envelope/structured-mismatch",
        Fault::Refusal(wire::UNKNOWN_TASK, |line| {
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
    ),
];

/// The values of the variables whose names speak of a secret.
fn secrets() -> String {
    let secrets = std::env::vars().filter(|(name, _)| name.contains("SECRET"));
    secrets.map(|(_, value)| value).collect::<Vec<_>>().join(" ")
}
