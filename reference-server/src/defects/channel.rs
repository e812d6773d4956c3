//! The wrong channel: an error where a result belongs, a result where an error belongs.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use globset::Glob;
use serde_json::{Value, json};

use super::{Fault, Together, with_message};
use crate::contract::{Channel, Reply, told};
use crate::failure::{Code, Failure};
use crate::parameter::{Kind, Presence};
use crate::tools::{self, Call, Outcome, Session};

/// How many calls were refused, and how many had been when a call succeeded, by its tool and arguments.
static SESSION: Mutex<(usize, BTreeMap<String, usize>)> = Mutex::new((0, BTreeMap::new()));

pub(super) const FAULTS: &[(&str, Fault)] = &[
    (
        "channel/protocol-error",
        Fault::ReplyTo(Code::InvalidInput, |_, failure, _| Reply::protocol_error(told(failure))),
    ),
    (
        "channel/accepted-bad-input/empty-command",
        Fault::Call(|call, _| {
            if call.text("command").is_some_and(|command| command.trim().is_empty()) {
                call.arguments.insert("command".into(), ":".into());
            }
        }),
    ),
    (
        "channel/accepted-bad-input/unknown-task",
        Fault::Accept(Code::BashTaskNotFound, |_| "status: finished\nexit code: 0".into()),
    ),
    (
        "channel/accepted-bad-input/not-found",
        Fault::Accept(Code::StrReplaceNotFound, |call| format!("Replaced 0 occurrences in {}.", path(call))),
    ),
    ("channel/accepted-bad-input/ambiguous", Fault::Outcome(replace_the_first)),
    (
        "channel/accepted-bad-input/invalid-regex",
        Fault::Call(|call, _| {
            take_literally(call, "grep", |pattern| {
                regex_syntax::parse(pattern).is_err().then(|| regex_syntax::escape(pattern))
            });
        }),
    ),
    (
        "channel/accepted-bad-input/invalid-mode",
        Fault::Call(|call, _| ignore_unknown_choice(call, "output_mode")),
    ),
    (
        "channel/accepted-bad-input/unlisted-mode",
        Fault::CallAndLine(|call| ignore_unknown_choice(call, "output_mode"), without_listed_modes),
    ),
    (
        "channel/accepted-bad-input/number-as-text",
        Fault::Call(|call, _| {
            if call.text("max_results").is_some_and(|text| text.parse::<u64>().is_ok()) {
                call.arguments.shift_remove("max_results");
            }
        }),
    ),
    (
        "channel/accepted-bad-input/fraction",
        Fault::Call(|call, _| {
            if let Some(number) = call.text("max_results").and_then(|text| text.parse::<u64>().ok()) {
                call.arguments.insert("max_results".to_owned(), number.into());
            }
            if call.arguments.get("max_results").is_some_and(Value::is_f64) {
                call.arguments.shift_remove("max_results");
            }
        }),
    ),
    (
        "channel/accepted-bad-input/invalid-glob",
        Fault::Call(|call, _| {
            take_literally(call, "glob", |glob| Glob::new(glob).is_err().then(|| globset::escape(glob)));
        }),
    ),
    ("channel/accepted-bad-input/invalid-type", Fault::Call(|call, _| ignore_unknown_choice(call, "type"))),
    (
        "channel/accepted-bad-input/missing-path",
        Fault::Accept(Code::PathNotFound, |call| match call.tool.name {
            "view" => "(the file is empty)".into(),
            "str_replace" => format!("Replaced 0 occurrences in {}.", path(call)),
            _ => "No match.".into(),
        }),
    ),
    (
        "channel/accepted-bad-input/missing-argument",
        Fault::Outcome(|call, outcome, _| {
            let is_missing = call.tool.parameters.iter().any(|parameter| {
                parameter.presence == Presence::Required && !call.arguments.contains_key(parameter.name)
            });
            if is_missing { Ok("Done, there was nothing to do.".into()) } else { outcome }
        }),
    ),
    ("channel/accepted-bad-input/schema", Fault::Call(|call, _| pass_over_unknown(call))),
    (
        "channel/ignored-argument",
        Fault::CallAndLine(pass_over_unknown, |line| line.replace(r#","additionalProperties":false"#, "")),
    ),
    (
        "channel/accepted-bad-input/over-limit",
        Fault::Call(|_, session| session.change_limits(|limits| limits.file_size = u64::MAX)),
    ),
    (
        "channel/accepted-bad-input/io-fault",
        Fault::Accept(Code::IoError, |call| format!("Wrote {}.", path(call))),
    ),
    ("channel/accepted-bad-input/unknown-tool", Fault::UnknownTool(|_, _| Reply::success("Done."))),
    (
        "channel/disguised-error/error-member",
        Fault::Reply(|call, failure, reply| {
            disguise(call, reply, |_| json!({"error": failure.map(told)}).to_string())
        }),
    ),
    (
        "channel/disguised-error/success-false",
        Fault::Reply(|call, failure, reply| {
            disguise(call, reply, |_| {
                json!({"success": false, "file": path(call), "message": failure.map(told)}).to_string()
            })
        }),
    ),
    (
        "channel/disguised-error/another-language",
        Fault::Reply(|call, failure, reply| {
            disguise(call, reply, |_| json!({"errore": failure.map(told)}).to_string())
        }),
    ),
    (
        "channel/disguised-error/all-failed",
        Fault::Reply(|call, failure, reply| {
            disguise(call, reply, |_| {
                let item = json!({"file": path(call), "success": false, "reason": failure.map(told)});
                json!({"items": [item], "summary": {"changed": 0, "failed": 1}}).to_string()
            })
        }),
    ),
    (
        "channel/disguised-error/sign",
        Fault::Reply(|call, _, reply| {
            disguise(call, reply, |text| format!("\u{274c} **Edit failed:** {text}"))
        }),
    ),
    (
        "channel/disguised-error/unflagged-problem",
        Fault::Reply(|_, _, reply| match reply.channel {
            Channel::ToolError => Reply::success(reply.text),
            _ => reply,
        }),
    ),
    ("channel/disguised-error/text", Fault::Reply(|call, _, reply| disguise(call, reply, str::to_owned))),
    (
        "channel/accepted-bad-input/no-value",
        Fault::Line(|line| line.replacen("No path matches.", "Paths that match: NaN", 1).into()),
    ),
    (
        "channel/false-error/exit-status",
        Fault::Outcome(|call, outcome, _| match outcome {
            Ok(success)
                if call.tool.name == "bash"
                    && success.text.starts_with("exit code: ")
                    && !super::shell::is_zero(&success.text) =>
            {
                Err(Failure::new(Code::BashStartFailed, "The command did not succeed")
                    .because(success.text)
                    .hint("Correct the command and call bash again."))
            }
            outcome => outcome,
        }),
    ),
    (
        "channel/false-error/short-answer",
        Fault::Outcome(|call, outcome, _| match outcome {
            Ok(success) if call.tool.name == "http_get" && success.text.len() < 10 => {
                Err(Failure::new(Code::UpstreamUnavailable, "The service answered nothing")
                    .hint("Call http_get again in a minute."))
            }
            outcome => outcome,
        }),
    ),
    (
        "channel/false-error/no-arguments",
        Fault::Refuse(|call| {
            let what = "The request has no `arguments`: an object is expected";
            let failure =
                Failure::new(Code::InvalidInput, what).hint("Call it again with {\"arguments\": {}}.");
            (!call.has_arguments).then_some(failure)
        }),
    ),
    (
        "channel/false-error/in-flight",
        Fault::Together(Together::Fail(|| {
            Failure::new(Code::IoError, "A part of the reply was gone before it could be sent")
        })),
    ),
    (
        "channel/false-error/cancelled",
        Fault::Together(Together::FailOnceCancelled(|| {
            Failure::new(Code::IoError, "The last call has left the session in pieces")
        })),
    ),
    (
        "channel/false-error/after-refusal",
        Fault::Outcome(|call, outcome, _| match call.tool.name {
            // Calls of others are repeated on the way of a case.
            "view" | "grep" | "glob" => spoil(call, outcome),
            _ => outcome,
        }),
    ),
    (
        "channel/false-error/under-limit",
        Fault::Call(|_, session| {
            session.change_limits(|limits| limits.file_size = limits.file_size.saturating_sub(16));
        }),
    ),
    (
        "channel/false-error/panic",
        Fault::Call(|_, session| {
            session.mishap = Some(|session, arguments| {
                let command = arguments.text("command").unwrap_or_default();
                assert!(!command.ends_with("exit 255"), "the exit status does not fit");
                let path = session.limits.scope.workdir().join(arguments.text("path").unwrap_or_default());
                let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
                assert!(size + 1 != session.limits.file_size, "the buffer of {size} bytes is full");
            });
        }),
    ),
];

/// The outcome, but for a call that succeeded before another one was refused.
fn spoil(call: &Call, outcome: Outcome) -> Outcome {
    let (refused, succeeded) = &mut *SESSION.lock().unwrap_or_else(PoisonError::into_inner);
    let Ok(success) = outcome else {
        *refused += 1;
        return outcome;
    };
    let key = format!("{} {}", call.tool.name, Value::Object(call.arguments.clone()));
    match *succeeded.entry(key).or_insert(*refused) == *refused {
        true => Ok(success),
        false => Err(Failure::new(Code::IoError, "The last failure has not been cleared away")),
    }
}

/// The path as it was sent.
fn path(call: &Call) -> &str {
    call.text("path").unwrap_or_default()
}

fn pass_over_unknown(call: &mut Call) {
    let tool = call.tool;
    call.arguments.retain(|name, _| tool.parameters.iter().any(|parameter| parameter.name == name));
}

fn replace_the_first(call: &Call, outcome: Outcome, session: &Session) -> Outcome {
    match outcome {
        Err(failure) if failure.code == Code::StrReplaceAmbiguous && call.tool.name == "str_replace" => {
            super::effect::replace_first(call, session)?;
            Ok(format!("Replaced 1 occurrence in {}.", path(call)).into())
        }
        outcome => outcome,
    }
}

fn take_literally(call: &mut Call, tool: &str, literal: impl FnOnce(&str) -> Option<String>) {
    let literal = call.text("pattern").filter(|_| call.tool.name == tool).and_then(literal);
    if let Some(literal) = literal {
        call.arguments.insert("pattern".into(), literal.into());
    }
}

fn ignore_unknown_choice(call: &mut Call, name: &str) {
    let is_unknown = call.tool.parameters.iter().any(|parameter| match parameter.kind {
        Kind::Choice(values, _) if parameter.name == name => {
            call.text(name).is_some_and(|value| !values.contains(&value))
        }
        _ => false,
    });
    if is_unknown {
        call.arguments.shift_remove(name);
    }
}

/// The line, with the output modes in words where it lists the tools.
fn without_listed_modes(line: String) -> String {
    if !line.contains(r#""output_mode":{"#) {
        return line;
    }
    with_message(line, |message| {
        for tool in message.pointer_mut("/result/tools")?.as_array_mut()? {
            if let Some(mode) = tool.pointer_mut("/inputSchema/properties/output_mode") {
                mode.as_object_mut()?.remove("enum");
                mode["description"] = "One of content (default), files_with_matches or count.".into();
            }
        }
        Some(())
    })
}

fn disguise(call: &Call, reply: Reply, text: impl FnOnce(&str) -> String) -> Reply {
    if reply.channel == Channel::ToolError && call.tool.effect == tools::Effect::Writes {
        Reply::success(text(&reply.text))
    } else {
        reply
    }
}
