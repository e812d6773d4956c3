//! Lines that do not belong on standard output, that never come, or after which nothing comes.

use serde_json::{Value, json};

use super::{Defect, Fault, Sent, Together, breaks, cases, everywhere};

pub(super) static DEFECTS: &[Defect] = &[
    Defect {
        name: "wire/stdout-noise",
        summary: "Regular expressions that do not compile are logged on standard output.",
        breaks: &[everywhere("wire/stdout-noise", cases::INVALID_REGEX)],
        fault: Fault::Line(|line| {
            if is_refusal(&line, INVALID_REGEX) {
                Sent::Lines(vec!["WARN grep: the search was refused".into(), line])
            } else {
                Sent::Lines(vec![line])
            }
        }),
    },
    Defect {
        name: "wire/bad-message",
        summary: "The refusal of an unknown task does not say that it is JSON-RPC.",
        breaks: &[everywhere("wire/bad-message", cases::UNKNOWN_TASK)],
        fault: Fault::Line(|line| {
            let spoilt = is_refusal(&line, UNKNOWN_TASK);
            Sent::Lines(vec![if spoilt { line.replacen("\"jsonrpc\":\"2.0\",", "", 1) } else { line }])
        }),
    },
    Defect {
        name: "wire/bad-message/spread",
        summary: "The refusal of an unknown task is printed over several lines.",
        breaks: &[breaks("wire/bad-message", cases::UNKNOWN_TASK)],
        fault: Fault::Line(|line| {
            let spread = is_refusal(&line, UNKNOWN_TASK);
            let pretty = serde_json::from_str::<serde_json::Value>(&line).ok().filter(|_| spread);
            let pretty = pretty.and_then(|message| serde_json::to_string_pretty(&message).ok());
            Sent::Lines(vec![pretty.unwrap_or(line)])
        }),
    },
    Defect {
        name: "wire/bad-message/flag",
        summary: "The refusal of an unknown task has its flag as a text.",
        breaks: &[breaks("wire/bad-message", cases::UNKNOWN_TASK)],
        fault: Fault::Line(|line| {
            let spoilt = is_refusal(&line, UNKNOWN_TASK);
            let text = || line.replacen("\"isError\":true", "\"isError\":\"true\"", 1);
            Sent::Lines(vec![if spoilt { text() } else { line }])
        }),
    },
    Defect {
        name: "wire/bad-message/item",
        summary: "The text of the refusal of an unknown task does not say that it is a text.",
        breaks: &[breaks("wire/bad-message", cases::UNKNOWN_TASK)],
        fault: Fault::Line(|line| {
            let spoilt = is_refusal(&line, UNKNOWN_TASK);
            let untyped = || line.replacen("\"type\":\"text\",", "", 1);
            Sent::Lines(vec![if spoilt { untyped() } else { line }])
        }),
    },
    Defect {
        name: "wire/bad-message/block",
        summary: "The refusal of an unknown task has a block of a type that MCP does not have, beside its text.",
        breaks: &[breaks("wire/bad-message", cases::UNKNOWN_TASK)],
        fault: Fault::Line(|line| {
            let spoilt = is_refusal(&line, UNKNOWN_TASK);
            let beside =
                || line.replacen("\"content\":[", "\"content\":[{\"type\":\"error\",\"retry\":false},", 1);
            Sent::Lines(vec![if spoilt { beside() } else { line }])
        }),
    },
    Defect {
        name: "wire/bad-message/progress",
        summary: "Before the refusal of an unknown task progress is reported, for which nobody has asked.",
        breaks: &[breaks("wire/bad-message", cases::UNKNOWN_TASK)],
        fault: Fault::Line(|line| {
            let params = json!({"progressToken": "task_output", "progress": 1});
            let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
            let before = is_refusal(&line, UNKNOWN_TASK).then(|| progress.to_string());
            Sent::Lines(before.into_iter().chain([line]).collect())
        }),
    },
    Defect {
        name: "wire/broken-output-schema",
        summary: "The refusal of an unknown task has structured content that the tool's output schema forbids.",
        breaks: &[everywhere("wire/broken-output-schema", cases::UNKNOWN_TASK)],
        fault: Fault::Line(|line| Sent::Lines(vec![structured(&line).unwrap_or(line)])),
    },
    Defect {
        name: "wire/wrong-id",
        summary: "The refusal of an unknown task has its id as a string.",
        breaks: &[everywhere("wire/wrong-id", cases::UNKNOWN_TASK)],
        fault: Fault::Line(|line| {
            let spoilt = is_refusal(&line, UNKNOWN_TASK);
            Sent::Lines(vec![if spoilt { with_id(&line, |id| format!("\"{id}\"")) } else { line }])
        }),
    },
    Defect {
        name: "wire/wrong-id/unsent",
        summary: "The refusal of an unknown task has an id that no request had.",
        breaks: &[breaks("wire/wrong-id", cases::UNKNOWN_TASK)],
        fault: Fault::Line(|line| {
            let spoilt = is_refusal(&line, UNKNOWN_TASK);
            Sent::Lines(vec![if spoilt { with_id(&line, |id| format!("{id}000000")) } else { line }])
        }),
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
        fault: Fault::Line(|line| {
            let times = if is_refusal(&line, UNKNOWN_TASK) { 2 } else { 1 };
            Sent::Lines(vec![line; times])
        }),
    },
    Defect {
        name: "wire/reserved-code",
        summary: "An unknown tool is refused with a code that the protocol keeps for itself.",
        breaks: &[everywhere("wire/reserved-code", cases::UNKNOWN_TOOL)],
        fault: Fault::Line(|line| Sent::Lines(vec![with_unknown_tool_code(line, "-32050")])),
    },
    Defect {
        name: "wire/error-code",
        summary: "An unknown tool is refused as an unknown method.",
        breaks: &[everywhere("wire/error-code", cases::UNKNOWN_TOOL)],
        fault: Fault::Line(|line| Sent::Lines(vec![with_unknown_tool_code(line, "-32601")])),
    },
    Defect {
        name: "wire/error-code/method",
        summary: "An unknown method is refused as bad parameters.",
        breaks: &[breaks("wire/error-code", cases::UNKNOWN_METHOD)],
        fault: Fault::Line(|line| {
            let spoilt = line.contains(UNKNOWN_METHOD);
            Sent::Lines(vec![if spoilt { line.replacen("-32601", "-32602", 1) } else { line }])
        }),
    },
    Defect {
        name: "wire/error-code/params",
        summary: "A call that does not say of which tool ends in an internal error.",
        breaks: &[breaks("wire/error-code", cases::CALL_WITHOUT_NAME)],
        fault: Fault::Line(|line| {
            let spoilt = line.contains("The params of tools/call must be an object");
            Sent::Lines(vec![if spoilt { line.replacen("-32602", "-32603", 1) } else { line }])
        }),
    },
    Defect {
        name: "wire/error-code/cursor",
        summary: "A cursor that the server has not given ends in an internal error.",
        breaks: &[breaks("wire/error-code", cases::UNKNOWN_CURSOR)],
        fault: Fault::Line(|line| {
            let is_spoilt = line.contains("There is no page behind the cursor");
            Sent::Lines(vec![if is_spoilt { line.replacen("-32602", "-32603", 1) } else { line }])
        }),
    },
    Defect {
        name: "wire/error-code/form",
        summary: "A request that does not say for which resource or prompt ends in an internal error.",
        breaks: &[breaks("wire/error-code", cases::WITHOUT_URI_OR_NAME)],
        fault: Fault::Line(|line| {
            let of =
                ["'resources/read'", "'prompts/get'"].map(|method| format!("The params of {method} do not"));
            let spoilt = of.iter().any(|words| line.contains(words.as_str()));
            Sent::Lines(vec![if spoilt { line.replacen("-32602", "-32603", 1) } else { line }])
        }),
    },
    Defect {
        name: "channel/accepted-bad-input/method",
        summary: "An unknown method is answered with an empty result.",
        breaks: &[breaks("channel/accepted-bad-input", cases::UNKNOWN_METHOD)],
        fault: Fault::Line(|line| Sent::Lines(vec![accepted(&line, UNKNOWN_METHOD).unwrap_or(line)])),
    },
    Defect {
        name: "wire/oversized",
        summary: "The refusal of an unknown task is padded to many megabytes.",
        breaks: &[everywhere("wire/oversized", cases::UNKNOWN_TASK)],
        fault: Fault::Line(|line| {
            let padded = is_refusal(&line, UNKNOWN_TASK);
            let body = line.strip_suffix('}').filter(|_| padded);
            Sent::Lines(vec![body.map(|body| format!("{body}{}}}", " ".repeat(PADDING))).unwrap_or(line)])
        }),
    },
    Defect {
        name: "liveness/no-reply/cancelled",
        summary: "After a request that was taken back nothing is answered any more.",
        breaks: &[breaks("liveness/no-reply", cases::CANCELLED)],
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
        fault: Fault::Line(|line| {
            if is_refusal(&line, UNKNOWN_TASK) { Sent::Hang } else { Sent::Lines(vec![line]) }
        }),
    },
    Defect {
        name: "liveness/no-reply/retry-after",
        summary: "A call whose service asks to wait is not answered meanwhile.",
        breaks: &[breaks("liveness/no-reply", cases::WAIT)],
        fault: Fault::Line(|line| {
            let asks_to_wait = is_refusal(&line, "Try again in ");
            Sent::Lines(if asks_to_wait { Vec::new() } else { vec![line] })
        }),
    },
    Defect {
        name: "liveness/lost-after-malformed",
        summary: "A line that is no JSON ends the server.",
        breaks: &[everywhere("liveness/lost-after-malformed", &["malformed/{not-json,cut,not-utf8}"])],
        fault: Fault::Line(|line| {
            if line.contains("\"code\":-32700") { Sent::Crash } else { Sent::Lines(vec![line]) }
        }),
    },
    Defect {
        name: "liveness/no-reply",
        summary: "A question for an unknown task is never answered.",
        breaks: &[everywhere("liveness/no-reply", cases::UNKNOWN_TASK)],
        fault: Fault::Line(|line| {
            let answered = !is_refusal(&line, UNKNOWN_TASK);
            Sent::Lines(if answered { vec![line] } else { Vec::new() })
        }),
    },
    Defect {
        name: "liveness/crash",
        summary: "A regular expression that does not compile ends the server.",
        breaks: &[everywhere("liveness/crash", cases::INVALID_REGEX)],
        fault: Fault::Line(|line| {
            if is_refusal(&line, INVALID_REGEX) { Sent::Crash } else { Sent::Lines(vec![line]) }
        }),
    },
];

/// The line, if it is an error of this text, as a result without a word.
fn accepted(line: &str, text: &str) -> Option<String> {
    let message: Value = serde_json::from_str(line).ok()?;
    message.pointer("/error/message")?.as_str()?.starts_with(text).then_some(())?;
    Some(json!({"jsonrpc": "2.0", "id": message.get("id")?, "result": {}}).to_string())
}

/// How the refusal of an unknown method begins.
const UNKNOWN_METHOD: &str = "Unknown method ";
/// What a refused task says in every contract.
pub(super) const UNKNOWN_TASK: &str = "There is no background task ";
/// What a refused regular expression says in every contract.
const INVALID_REGEX: &str = " is not a valid regular expression";

/// Longer than what a careful client reads of one line.
const PADDING: usize = 17 * 1024 * 1024;

/// The line, if it is a list of tools, a refusal of an unknown task, or a success without structured content: as of a tool
/// with an output schema, which the refusal breaks.
fn structured(line: &str) -> Option<String> {
    let mut message: Value = serde_json::from_str(line).ok()?;
    let result = message.get_mut("result")?;
    if let Some(tools) = result.get_mut("tools").and_then(Value::as_array_mut) {
        let tool = tools.iter_mut().find(|tool| tool["name"] == "task_output")?;
        let members = json!({"refused": {"type": "string"}});
        tool["outputSchema"] = json!({"type": "object", "properties": members});
    } else if is_refusal(line, UNKNOWN_TASK) {
        result.as_object_mut()?.entry("structuredContent").or_insert(json!({}))["refused"] = json!(true);
    } else if result.get("content").is_some() && result["isError"] != true {
        result.as_object_mut()?.entry("structuredContent").or_insert(json!({}));
    }
    Some(message.to_string())
}

/// The line with its number as an id written in another way.
fn with_id(line: &str, rewrite: impl FnOnce(&str) -> String) -> String {
    let Some((before, rest)) = line.split_once("\"id\":") else { return line.to_owned() };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (id, after) = rest.split_at(digits);
    format!("{before}\"id\":{}{after}", rewrite(id))
}

/// The line with another code, if it refuses an unknown tool.
pub(super) fn with_unknown_tool_code(line: String, code: &str) -> String {
    if !line.contains("\"message\":\"Unknown tool") {
        return line;
    }
    line.replacen("\"code\":-32602", &format!("\"code\":{code}"), 1)
}

/// Whether the line is an error reply with these words.
pub(super) fn is_refusal(line: &str, words: &str) -> bool {
    line.contains("\"isError\":true") && line.contains(words)
}
