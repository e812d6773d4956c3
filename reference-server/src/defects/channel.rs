//! The wrong channel: an error where a result belongs, a result where an error belongs.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use globset::Glob;
use serde_json::{Value, json};

use super::{Defect, Fault, Together, breaks, cases, everywhere, with_message, within};
use crate::contract::{Channel, Contract, Reply, told};
use crate::failure::{Code, Failure};
use crate::parameter::{Kind, Presence};
use crate::tools::{self, Call, Outcome, Session};

/// How many calls were refused, and how many had been when a call succeeded, by its tool and arguments.
static SESSION: Mutex<(usize, BTreeMap<String, usize>)> = Mutex::new((0, BTreeMap::new()));

const PROTOCOL_ERROR: &str = "channel/protocol-error";
const ACCEPTED: &str = "channel/accepted-bad-input";
const DISGUISED: &str = "channel/disguised-error";
const FALSE_ERROR: &str = "channel/false-error";

pub(super) static DEFECTS: &[Defect] = &[
    Defect {
        name: "channel/protocol-error",
        summary: "Arguments that do not fit are answered by a JSON-RPC error, with a fine message.",
        breaks: &[everywhere(PROTOCOL_ERROR, cases::INVALID_ARGUMENT)],
        fault: Fault::ReplyTo(Code::InvalidInput, |_, failure, _| Reply::protocol_error(told(failure))),
    },
    Defect {
        name: "channel/accepted-bad-input/empty-command",
        summary: "An empty command is run.",
        breaks: &[breaks(ACCEPTED, cases::EMPTY_COMMAND)],
        fault: Fault::Call(|call, _| {
            if call.text("command").is_some_and(|command| command.trim().is_empty()) {
                call.arguments.insert("command".into(), ":".into());
            }
        }),
    },
    Defect {
        name: "channel/accepted-bad-input/unknown-task",
        summary: "A task that was never started is reported as finished.",
        breaks: &[everywhere(ACCEPTED, cases::UNKNOWN_TASK)],
        fault: Fault::Accept(Code::BashTaskNotFound, |_| "status: finished\nexit code: 0".into()),
    },
    Defect {
        name: "channel/accepted-bad-input/not-found",
        summary: "A replacement of text that is not there is reported as done.",
        breaks: &[breaks(ACCEPTED, cases::NOT_FOUND)],
        fault: Fault::Accept(Code::StrReplaceNotFound, |call| {
            format!("Replaced 0 occurrences in {}.", path(call))
        }),
    },
    Defect {
        name: "channel/accepted-bad-input/ambiguous",
        summary: "Of several matches the first is replaced without a word.",
        breaks: &[breaks(ACCEPTED, cases::AMBIGUOUS_REPLACE)],
        fault: Fault::Outcome(replace_the_first),
    },
    Defect {
        name: "channel/accepted-bad-input/invalid-regex",
        summary: "A regular expression that does not compile is searched for as plain text.",
        breaks: &[breaks(ACCEPTED, cases::INVALID_REGEX)],
        fault: Fault::Call(|call, _| {
            take_literally(call, "grep", |pattern| {
                regex_syntax::parse(pattern).is_err().then(|| regex_syntax::escape(pattern))
            });
        }),
    },
    Defect {
        name: "channel/accepted-bad-input/invalid-mode",
        summary: "An output mode that does not exist is taken as the default one.",
        breaks: &[breaks(ACCEPTED, cases::INVALID_MODE)],
        fault: Fault::Call(|call, _| ignore_unknown_choice(call, "output_mode")),
    },
    Defect {
        name: "channel/accepted-bad-input/unlisted-mode",
        summary: "The output modes stand in the description alone, and one that does not exist is taken as the default one.",
        breaks: &[everywhere(ACCEPTED, &["invalid-output-mode", "probe/grep/output_mode/unlisted"])],
        fault: Fault::CallAndLine(|call| ignore_unknown_choice(call, "output_mode"), without_listed_modes),
    },
    Defect {
        name: "channel/accepted-bad-input/number-as-text",
        summary: "A number that is sent as a text is ignored.",
        breaks: &[everywhere(ACCEPTED, &["probe/{list_paths,search_text}/max_results/as-text"])],
        fault: Fault::Call(|call, _| {
            if call.text("max_results").is_some_and(|text| text.parse::<u64>().is_ok()) {
                call.arguments.shift_remove("max_results");
            }
        }),
    },
    Defect {
        name: "channel/accepted-bad-input/fraction",
        summary: "A number that is sent as a text is taken for what it means, and an integer with a fraction of zero is ignored.",
        breaks: &[everywhere(ACCEPTED, &["probe/{list_paths,search_text}/max_results/as-text"])],
        fault: Fault::Call(|call, _| {
            if let Some(number) = call.text("max_results").and_then(|text| text.parse::<u64>().ok()) {
                call.arguments.insert("max_results".to_owned(), number.into());
            }
            if call.arguments.get("max_results").is_some_and(Value::is_f64) {
                call.arguments.shift_remove("max_results");
            }
        }),
    },
    Defect {
        name: "channel/accepted-bad-input/invalid-glob",
        summary: "A glob that does not compile is matched as a plain name.",
        breaks: &[breaks(ACCEPTED, cases::INVALID_GLOB)],
        fault: Fault::Call(|call, _| {
            take_literally(call, "glob", |glob| Glob::new(glob).is_err().then(|| globset::escape(glob)));
        }),
    },
    Defect {
        name: "channel/accepted-bad-input/invalid-type",
        summary: "A type filter that does not exist filters nothing.",
        breaks: &[breaks(ACCEPTED, &["invalid-file-type", "probe/glob/type/unknown-value"])],
        fault: Fault::Call(|call, _| ignore_unknown_choice(call, "type")),
    },
    Defect {
        name: "channel/accepted-bad-input/missing-path",
        summary: "A path where nothing is counts as an empty file or directory.",
        breaks: &[breaks(ACCEPTED, cases::MISSING_PATH)],
        fault: Fault::Accept(Code::PathNotFound, |call| match call.tool.name {
            "view" => "(the file is empty)".into(),
            "str_replace" => format!("Replaced 0 occurrences in {}.", path(call)),
            _ => "No match.".into(),
        }),
    },
    Defect {
        name: "channel/accepted-bad-input/missing-argument",
        summary: "A call without a required argument does nothing, and says that this is done.",
        breaks: &[breaks(ACCEPTED, &["missing-argument"])],
        fault: Fault::Outcome(|call, outcome, _| {
            let is_missing = call.tool.parameters.iter().any(|parameter| {
                parameter.presence == Presence::Required && !call.arguments.contains_key(parameter.name)
            });
            if is_missing { Ok("Done, there was nothing to do.".into()) } else { outcome }
        }),
    },
    Defect {
        name: "channel/accepted-bad-input/schema",
        summary: "An argument that the schema forbids is passed over.",
        breaks: &[breaks(ACCEPTED, &["unknown-argument"])],
        fault: Fault::Call(|call, _| pass_over_unknown(call)),
    },
    Defect {
        name: "channel/ignored-argument",
        summary: "The schemas say nothing of further arguments, and one that no parameter takes is passed over.",
        breaks: &[everywhere("channel/ignored-argument", &["probe/*/*/misspelt"])],
        fault: Fault::CallAndLine(pass_over_unknown, |line| {
            line.replace(r#","additionalProperties":false"#, "")
        }),
    },
    Defect {
        name: "channel/accepted-bad-input/over-limit",
        summary: "The size limit for files is not kept.",
        breaks: &[breaks(ACCEPTED, cases::OVER_LIMIT)],
        fault: Fault::Call(|_, session| session.change_limits(|limits| limits.file_size = u64::MAX)),
    },
    Defect {
        name: "channel/accepted-bad-input/io-fault",
        summary: "A write that the operating system refuses is reported as done.",
        breaks: &[breaks(ACCEPTED, &["io-failure"])],
        fault: Fault::Accept(Code::IoError, |call| format!("Wrote {}.", path(call))),
    },
    Defect {
        name: "channel/accepted-bad-input/unknown-tool",
        summary: "A call of a tool that does not exist is taken for done.",
        breaks: &[breaks(ACCEPTED, cases::UNKNOWN_TOOL)],
        fault: Fault::UnknownTool(|_, _| Reply::success("Done.")),
    },
    Defect {
        name: "channel/disguised-error/error-member",
        summary: "Tools that change files report errors as {\"error\": ...} in a success.",
        breaks: &[breaks(DISGUISED, cases::CHANGING)],
        fault: Fault::Reply(|call, failure, reply| {
            disguise(call, reply, |_| json!({"error": failure.map(told)}).to_string())
        }),
    },
    Defect {
        name: "channel/disguised-error/success-false",
        summary: "Tools that change files report errors as {\"success\": false, ...} in a success.",
        breaks: &[everywhere(DISGUISED, cases::CHANGING)],
        fault: Fault::Reply(|call, failure, reply| {
            disguise(call, reply, |_| {
                json!({"success": false, "file": path(call), "message": failure.map(told)}).to_string()
            })
        }),
    },
    Defect {
        name: "channel/disguised-error/another-language",
        summary: "Tools that change files report errors as {\"errore\": ...} in a success.",
        breaks: &[breaks(DISGUISED, cases::CHANGING)],
        fault: Fault::Reply(|call, failure, reply| {
            disguise(call, reply, |_| json!({"errore": failure.map(told)}).to_string())
        }),
    },
    Defect {
        name: "channel/disguised-error/all-failed",
        summary: "Tools that change files answer like a batch of which every item failed.",
        breaks: &[breaks(DISGUISED, cases::CHANGING)],
        fault: Fault::Reply(|call, failure, reply| {
            disguise(call, reply, |_| {
                let item = json!({"file": path(call), "success": false, "reason": failure.map(told)});
                json!({"items": [item], "summary": {"changed": 0, "failed": 1}}).to_string()
            })
        }),
    },
    Defect {
        name: "channel/disguised-error/sign",
        summary: "Tools that change files put a cross before an error, and no flag.",
        breaks: &[breaks(DISGUISED, cases::CHANGING)],
        fault: Fault::Reply(|call, _, reply| {
            disguise(call, reply, |text| format!("\u{274c} **Edit failed:** {text}"))
        }),
    },
    Defect {
        name: "channel/disguised-error/unflagged-problem",
        summary: "Every error is an RFC 9457 problem, as promised, in a result without isError.",
        breaks: &[within(&[Contract::ProblemDetails], DISGUISED, cases::TOOL_ERROR)],
        fault: Fault::Reply(|_, _, reply| match reply.channel {
            Channel::ToolError => Reply::success(reply.text),
            _ => reply,
        }),
    },
    Defect {
        name: "channel/disguised-error/text",
        summary: "Tools that change files forget to set isError.",
        breaks: &[breaks(DISGUISED, cases::CHANGING)],
        fault: Fault::Reply(|call, _, reply| disguise(call, reply, str::to_owned)),
    },
    Defect {
        name: "channel/accepted-bad-input/no-value",
        summary: "A search for paths that finds none reports how many there are as no number.",
        breaks: &[breaks("channel/accepted-bad-input", &["glob/invalid-type"])],
        fault: Fault::Line(|line| line.replacen("No path matches.", "Paths that match: NaN", 1).into()),
    },
    Defect {
        name: "channel/false-error/exit-status",
        summary: "A command that exits non-zero is a failed call.",
        breaks: &[everywhere(FALSE_ERROR, cases::FAILED_COMMAND)],
        fault: Fault::Outcome(|call, outcome, _| match outcome {
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
    },
    Defect {
        name: "channel/false-error/short-answer",
        summary: "An answer of the service with fewer than ten characters is taken for none.",
        breaks: &[everywhere(FALSE_ERROR, &["upstream.answer.page.status=201"])],
        fault: Fault::Outcome(|call, outcome, _| match outcome {
            Ok(success) if call.tool.name == "http_get" && success.text.len() < 10 => {
                Err(Failure::new(Code::UpstreamUnavailable, "The service answered nothing")
                    .hint("Call http_get again in a minute."))
            }
            outcome => outcome,
        }),
    },
    Defect {
        name: "channel/false-error/no-arguments",
        summary: "A call without `arguments` is refused, although the tool requires none.",
        breaks: &[everywhere(FALSE_ERROR, &["protocol/without-arguments/*"])],
        fault: Fault::Refuse(|call| {
            let what = "The request has no `arguments`: an object is expected";
            let failure =
                Failure::new(Code::InvalidInput, what).hint("Call it again with {\"arguments\": {}}.");
            (!call.has_arguments).then_some(failure)
        }),
    },
    Defect {
        name: "channel/false-error/in-flight",
        summary: "Of calls that come together only the last one succeeds.",
        breaks: &[everywhere(FALSE_ERROR, cases::IN_FLIGHT)],
        fault: Fault::Together(Together::Fail(|| {
            Failure::new(Code::IoError, "A part of the reply was gone before it could be sent")
        })),
    },
    Defect {
        name: "channel/false-error/cancelled",
        summary: "Once a call is taken back while it runs, every other one fails.",
        breaks: &[everywhere(FALSE_ERROR, cases::CANCELLED_IN_FLIGHT)],
        fault: Fault::Together(Together::FailOnceCancelled(|| {
            Failure::new(Code::IoError, "The last call has left the session in pieces")
        })),
    },
    Defect {
        name: "channel/false-error/after-refusal",
        summary: "A call of view, grep or glob that succeeded is refused once another one of these was refused.",
        breaks: &[everywhere(FALSE_ERROR, &["session/after-refusal"])],
        fault: Fault::Outcome(|call, outcome, _| match call.tool.name {
            // Calls of others are repeated on the way of a case.
            "view" | "grep" | "glob" => spoil(call, outcome),
            _ => outcome,
        }),
    },
    Defect {
        name: "channel/false-error/under-limit",
        summary: "A file a little smaller than the size limit is refused.",
        breaks: &[breaks(FALSE_ERROR, &["needs=max-file-size !*"])],
        fault: Fault::Call(|_, session| {
            session.change_limits(|limits| limits.file_size = limits.file_size.saturating_sub(16));
        }),
    },
    Defect {
        name: "channel/false-error/panic",
        summary: "An exit status or a size at the end of what a byte or a file can hold makes the tool panic.",
        breaks: &[everywhere(FALSE_ERROR, &["shell/exit-255", "read/under-limit"])],
        fault: Fault::Call(|_, session| {
            session.mishap = Some(|session, arguments| {
                let command = arguments.text("command").unwrap_or_default();
                assert!(!command.ends_with("exit 255"), "the exit status does not fit");
                let path = session.limits.scope.workdir().join(arguments.text("path").unwrap_or_default());
                let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
                assert!(size + 1 != session.limits.file_size, "the buffer of {size} bytes is full");
            });
        }),
    },
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
