//! Lines that do not belong on standard output, that never come, or after which nothing comes.

use serde_json::{Value, json};

use super::{Fault, Progress, Sent, Together, with_message};

pub(super) const FAULTS: &[(&str, Fault)] = &[
    (
        "wire/stdout-noise",
        Fault::Refusal(INVALID_REGEX, |line| {
            Sent::Lines(vec!["WARN grep: the search was refused".into(), line])
        }),
    ),
    (
        "wire/bad-message/spread",
        Fault::Refusal(UNKNOWN_TASK, |line| {
            let message = serde_json::from_str::<Value>(&line).ok();
            let pretty = message.and_then(|message| serde_json::to_string_pretty(&message).ok());
            pretty.unwrap_or(line).into()
        }),
    ),
    (
        "wire/bad-message/progress",
        Fault::Refusal(UNKNOWN_TASK, |line| {
            let params = json!({"progressToken": "task_output", "progress": 1});
            let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
            Sent::Lines(vec![progress.to_string(), line])
        }),
    ),
    ("wire/bad-message/progress-backward", Fault::Progress(Progress::Backward)),
    ("wire/bad-message/progress-late", Fault::Progress(Progress::Late)),
    ("wire/broken-output-schema", Fault::Line(|line| with_message(line, structured).into())),
    ("wire/wrong-id", Fault::Refusal(UNKNOWN_TASK, |line| with_id(&line, |id| format!("\"{id}\"")).into())),
    (
        "wire/wrong-id/unsent",
        Fault::Refusal(UNKNOWN_TASK, |line| with_id(&line, |id| format!("{id}000000")).into()),
    ),
    ("wire/wrong-id/in-flight", Fault::Together(Together::Swap)),
    (
        "wire/duplicate-reply/cancelled",
        Fault::CancelledAnswers(|id| {
            let error = json!({"code": 0, "message": "The request was cancelled."});
            vec![json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string(); 2]
        }),
    ),
    ("wire/duplicate-reply", Fault::Refusal(UNKNOWN_TASK, |line| Sent::Lines(vec![line; 2]))),
    ("wire/reserved-code", Fault::LineWith(UNKNOWN_TOOL, |line| recoded(&line, -32602, -32050))),
    ("wire/error-code", Fault::LineWith(UNKNOWN_TOOL, |line| recoded(&line, -32602, -32601))),
    ("wire/error-code/method", Fault::LineWith(UNKNOWN_METHOD, |line| recoded(&line, -32601, -32602))),
    (
        "wire/error-code/params",
        Fault::LineWith("The params of tools/call must be an object", |line| recoded(&line, -32602, -32603)),
    ),
    (
        "wire/error-code/cursor",
        Fault::LineWith("There is no page behind the cursor", |line| recoded(&line, -32602, -32603)),
    ),
    (
        "wire/error-code/form",
        Fault::Line(|line| {
            let methods = ["'resources/read'", "'prompts/get'"];
            let is_meant = |method: &&str| line.contains(&format!("The params of {method} do not"));
            if methods.iter().any(is_meant) { recoded(&line, -32602, -32603) } else { line.into() }
        }),
    ),
    (
        "channel/accepted-bad-input/method",
        Fault::LineWith(UNKNOWN_METHOD, |line| with_message(line, accept).into()),
    ),
    (
        "wire/oversized",
        Fault::Refusal(UNKNOWN_TASK, |line| match line.strip_suffix('}') {
            Some(body) => format!("{body}{}}}", " ".repeat(PADDING)).into(),
            None => line.into(),
        }),
    ),
    ("liveness/no-reply/cancelled", Fault::Cancelled),
    ("liveness/no-reply/in-flight", Fault::Together(Together::Deadlock)),
    ("liveness/no-reply/hung", Fault::Refusal(UNKNOWN_TASK, |_| Sent::Hang)),
    ("liveness/no-reply/retry-after", Fault::Refusal("Try again in ", |_| Sent::Lines(Vec::new()))),
    ("liveness/lost-after-malformed", Fault::LineWith("\"code\":-32700", |_| Sent::Crash)),
    ("liveness/no-reply", Fault::Refusal(UNKNOWN_TASK, |_| Sent::Lines(Vec::new()))),
    ("liveness/crash", Fault::Refusal(INVALID_REGEX, |_| Sent::Crash)),
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
