//! Lines that do not belong on standard output, that never come, or after which nothing comes.

use serde_json::{Value, json};

use super::{Defect, Fault, Progress, Sent, Together, breaks, cases, everywhere, with_message};

/// Calls that give a progress token.
const WITH_TOKEN: &[&str] = &["session/progress"];

pub(super) static DEFECTS: &[Defect] = &[
    Defect {
        name: "wire/stdout-noise",
        summary: "Regular expressions that do not compile are logged on standard output.",
        breaks: &[everywhere("wire/stdout-noise", cases::INVALID_REGEX)],
        fault: Fault::Refusal(INVALID_REGEX, |line| {
            Sent::Lines(vec!["WARN grep: the search was refused".into(), line])
        }),
    },
    Defect {
        name: "wire/bad-message",
        summary: "The refusal of an unknown task does not say that it is JSON-RPC.",
        breaks: &[everywhere("wire/bad-message", cases::UNKNOWN_TASK)],
        fault: Fault::Refusal(UNKNOWN_TASK, |line| line.replacen("\"jsonrpc\":\"2.0\",", "", 1).into()),
    },
    Defect {
        name: "wire/bad-message/spread",
        summary: "The refusal of an unknown task is printed over several lines.",
        breaks: &[breaks("wire/bad-message", cases::UNKNOWN_TASK)],
        fault: Fault::Refusal(UNKNOWN_TASK, |line| {
            let message = serde_json::from_str::<Value>(&line).ok();
            let pretty = message.and_then(|message| serde_json::to_string_pretty(&message).ok());
            pretty.unwrap_or(line).into()
        }),
    },
    Defect {
        name: "wire/bad-message/flag",
        summary: "The refusal of an unknown task has its flag as a text.",
        breaks: &[breaks("wire/bad-message", cases::UNKNOWN_TASK)],
        fault: Fault::Refusal(UNKNOWN_TASK, |line| {
            line.replacen("\"isError\":true", "\"isError\":\"true\"", 1).into()
        }),
    },
    Defect {
        name: "wire/bad-message/item",
        summary: "The text of the refusal of an unknown task does not say that it is a text.",
        breaks: &[breaks("wire/bad-message", cases::UNKNOWN_TASK)],
        fault: Fault::Refusal(UNKNOWN_TASK, |line| line.replacen("\"type\":\"text\",", "", 1).into()),
    },
    Defect {
        name: "wire/bad-message/block",
        summary: "The refusal of an unknown task has a block of a type that MCP does not have, beside its text.",
        breaks: &[breaks("wire/bad-message", cases::UNKNOWN_TASK)],
        fault: Fault::Refusal(UNKNOWN_TASK, |line| {
            line.replacen("\"content\":[", "\"content\":[{\"type\":\"error\",\"retry\":false},", 1).into()
        }),
    },
    Defect {
        name: "wire/bad-message/progress",
        summary: "Before the refusal of an unknown task progress is reported, for which nobody has asked.",
        breaks: &[breaks("wire/bad-message", cases::UNKNOWN_TASK)],
        fault: Fault::Refusal(UNKNOWN_TASK, |line| {
            let params = json!({"progressToken": "task_output", "progress": 1});
            let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
            Sent::Lines(vec![progress.to_string(), line])
        }),
    },
    Defect {
        name: "wire/bad-message/progress-backward",
        summary: "Progress is reported twice for a call with a progress token, and goes backwards.",
        breaks: &[everywhere("wire/bad-message", WITH_TOKEN)],
        fault: Fault::Progress(Progress::Backward),
    },
    Defect {
        name: "wire/bad-message/progress-late",
        summary: "Progress of a call with a progress token is reported after its reply.",
        breaks: &[everywhere("wire/bad-message", WITH_TOKEN)],
        fault: Fault::Progress(Progress::Late),
    },
    Defect {
        name: "wire/broken-output-schema",
        summary: "The refusal of an unknown task has structured content that the tool's output schema forbids.",
        breaks: &[everywhere("wire/broken-output-schema", cases::UNKNOWN_TASK)],
        fault: Fault::Line(|line| with_message(line, structured).into()),
    },
    Defect {
        name: "wire/wrong-id",
        summary: "The refusal of an unknown task has its id as a string.",
        breaks: &[everywhere("wire/wrong-id", cases::UNKNOWN_TASK)],
        fault: Fault::Refusal(UNKNOWN_TASK, |line| with_id(&line, |id| format!("\"{id}\"")).into()),
    },
    Defect {
        name: "wire/wrong-id/unsent",
        summary: "The refusal of an unknown task has an id that no request had.",
        breaks: &[breaks("wire/wrong-id", cases::UNKNOWN_TASK)],
        fault: Fault::Refusal(UNKNOWN_TASK, |line| with_id(&line, |id| format!("{id}000000")).into()),
    },
    Defect {
        name: "wire/wrong-id/in-flight",
        summary: "Of calls that come together each two get each other's replies.",
        breaks: &[everywhere("wire/wrong-id", cases::IN_FLIGHT)],
        fault: Fault::Together(Together::Swap),
    },
    Defect {
        name: "wire/duplicate-reply/cancelled",
        summary: "A call that is taken back while it runs is answered twice, as one that was cancelled.",
        breaks: &[everywhere("wire/duplicate-reply", cases::CANCELLED_IN_FLIGHT)],
        fault: Fault::CancelledAnswers(|id| {
            let error = json!({"code": 0, "message": "The request was cancelled."});
            vec![json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string(); 2]
        }),
    },
    Defect {
        name: "wire/duplicate-reply",
        summary: "The refusal of an unknown task is sent twice.",
        breaks: &[everywhere("wire/duplicate-reply", cases::UNKNOWN_TASK)],
        fault: Fault::Refusal(UNKNOWN_TASK, |line| Sent::Lines(vec![line; 2])),
    },
    Defect {
        name: "wire/reserved-code",
        summary: "An unknown tool is refused with a code that the protocol keeps for itself.",
        breaks: &[everywhere("wire/reserved-code", cases::UNKNOWN_TOOL)],
        fault: Fault::LineWith(UNKNOWN_TOOL, |line| recoded(&line, -32602, -32050)),
    },
    Defect {
        name: "wire/error-code",
        summary: "An unknown tool is refused as an unknown method.",
        breaks: &[everywhere("wire/error-code", cases::UNKNOWN_TOOL)],
        fault: Fault::LineWith(UNKNOWN_TOOL, |line| recoded(&line, -32602, -32601)),
    },
    Defect {
        name: "wire/error-code/method",
        summary: "An unknown method is refused as bad parameters.",
        breaks: &[breaks("wire/error-code", cases::UNKNOWN_METHOD)],
        fault: Fault::LineWith(UNKNOWN_METHOD, |line| recoded(&line, -32601, -32602)),
    },
    Defect {
        name: "wire/error-code/params",
        summary: "A call that does not say of which tool ends in an internal error.",
        breaks: &[breaks("wire/error-code", &["protocol/{call-without-name,name-no-text}"])],
        fault: Fault::LineWith("The params of tools/call must be an object", |line| {
            recoded(&line, -32602, -32603)
        }),
    },
    Defect {
        name: "wire/error-code/cursor",
        summary: "A cursor that the server has not given ends in an internal error.",
        breaks: &[breaks("wire/error-code", &["protocol/unknown-cursor"])],
        fault: Fault::LineWith("There is no page behind the cursor", |line| recoded(&line, -32602, -32603)),
    },
    Defect {
        name: "wire/error-code/form",
        summary: "A request that does not say for which resource or prompt ends in an internal error.",
        breaks: &[breaks("wire/error-code", &["{resource/without-uri,prompt/without-name}"])],
        fault: Fault::Line(|line| {
            let methods = ["'resources/read'", "'prompts/get'"];
            let is_meant = |method: &&str| line.contains(&format!("The params of {method} do not"));
            if methods.iter().any(is_meant) { recoded(&line, -32602, -32603) } else { line.into() }
        }),
    },
    Defect {
        name: "channel/accepted-bad-input/method",
        summary: "An unknown method is answered with an empty result.",
        breaks: &[breaks("channel/accepted-bad-input", cases::UNKNOWN_METHOD)],
        fault: Fault::LineWith(UNKNOWN_METHOD, |line| with_message(line, accept).into()),
    },
    Defect {
        name: "wire/oversized",
        summary: "The refusal of an unknown task is padded to many megabytes.",
        breaks: &[everywhere("wire/oversized", cases::UNKNOWN_TASK)],
        fault: Fault::Refusal(UNKNOWN_TASK, |line| match line.strip_suffix('}') {
            Some(body) => format!("{body}{}}}", " ".repeat(PADDING)).into(),
            None => line.into(),
        }),
    },
    Defect {
        name: "liveness/no-reply/cancelled",
        summary: "After a request that was taken back nothing is answered any more.",
        breaks: &[breaks("liveness/no-reply", &["{protocol,session}/cancelled"])],
        fault: Fault::Cancelled,
    },
    Defect {
        name: "liveness/no-reply/in-flight",
        summary: "Of calls that come together none is ever answered.",
        breaks: &[everywhere("liveness/no-reply", cases::IN_FLIGHT)],
        fault: Fault::Together(Together::Deadlock),
    },
    Defect {
        name: "liveness/no-reply/hung",
        summary: "After a question for an unknown task nothing is answered any more.",
        breaks: &[breaks("liveness/no-reply", cases::UNKNOWN_TASK)],
        fault: Fault::Refusal(UNKNOWN_TASK, |_| Sent::Hang),
    },
    Defect {
        name: "liveness/no-reply/retry-after",
        summary: "A call whose service asks to wait is not answered meanwhile.",
        breaks: &[breaks("liveness/no-reply", cases::WAIT)],
        fault: Fault::Refusal("Try again in ", |_| Sent::Lines(Vec::new())),
    },
    Defect {
        name: "liveness/lost-after-malformed",
        summary: "A line that is no JSON ends the server.",
        breaks: &[everywhere("liveness/lost-after-malformed", &["malformed/{not-json,cut,not-utf8}"])],
        fault: Fault::LineWith("\"code\":-32700", |_| Sent::Crash),
    },
    Defect {
        name: "liveness/no-reply",
        summary: "A question for an unknown task is never answered.",
        breaks: &[everywhere("liveness/no-reply", cases::UNKNOWN_TASK)],
        fault: Fault::Refusal(UNKNOWN_TASK, |_| Sent::Lines(Vec::new())),
    },
    Defect {
        name: "liveness/crash",
        summary: "A regular expression that does not compile ends the server.",
        breaks: &[everywhere("liveness/crash", cases::INVALID_REGEX)],
        fault: Fault::Refusal(INVALID_REGEX, |_| Sent::Crash),
    },
];

/// The refusal of an unknown method, as a result without a word.
fn accept(message: &mut Value) -> Option<()> {
    message.pointer("/error/message")?.as_str()?.starts_with(UNKNOWN_METHOD).then_some(())?;
    *message = json!({"jsonrpc": "2.0", "id": message.get("id")?, "result": {}});
    Some(())
}

/// How the refusal of an unknown method begins.
const UNKNOWN_METHOD: &str = "Unknown method ";
/// How that of an unknown tool begins, with the member before it.
pub(super) const UNKNOWN_TOOL: &str = "\"message\":\"Unknown tool";
/// What a refused task says in every contract.
pub(super) const UNKNOWN_TASK: &str = "There is no background task ";
/// What a refused regular expression says in every contract.
const INVALID_REGEX: &str = " is not a valid regular expression";

/// Longer than what a careful client reads of one line.
const PADDING: usize = 17 * 1024 * 1024;

/// Gives structured content to a refusal of an unknown task, and to a success without any: as of a tool with an output
/// schema, which the refusal breaks.
fn structured(message: &mut Value) -> Option<()> {
    let result = message.get_mut("result")?;
    let is_error = result["isError"] == true;
    let text = result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default();
    let is_of_unknown_task = is_error && text.contains(UNKNOWN_TASK);
    if let Some(tools) = result.get_mut("tools").and_then(Value::as_array_mut) {
        let tool = tools.iter_mut().find(|tool| tool["name"] == "task_output")?;
        let members = json!({"refused": {"type": "string"}});
        tool["outputSchema"] = json!({"type": "object", "properties": members});
    } else if is_of_unknown_task {
        result.as_object_mut()?.entry("structuredContent").or_insert(json!({}))["refused"] = json!(true);
    } else if result.get("content").is_some() && !is_error {
        result.as_object_mut()?.entry("structuredContent").or_insert(json!({}));
    }
    Some(())
}

/// The line with its number as an id written in another way.
fn with_id(line: &str, rewrite: impl FnOnce(&str) -> String) -> String {
    let Some((before, rest)) = line.split_once("\"id\":") else { return line.to_owned() };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (id, after) = rest.split_at(digits);
    format!("{before}\"id\":{}{after}", rewrite(id))
}

/// The line with another code of its error.
pub(super) fn recoded(line: &str, from: i32, to: i32) -> Sent {
    line.replacen(&format!("\"code\":{from}"), &format!("\"code\":{to}"), 1).into()
}
