//! Lines of JSON-RPC in, lines out.
//!
//! The main type is [`Server`]. What stands in a line is read as late as can be, so that the id of a call is known though
//! its arguments cannot be read.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::fault::{Kind, Showed};
use crate::plan::Plan;
use crate::refusal::{Refusal, quoted};
use crate::store::Store;
use crate::tool::Tool;

/// Versions of MCP that the server speaks, the one that it prefers last.
const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The server and what it keeps.
#[derive(Debug)]
pub(crate) struct Server {
    plan: Plan,
    store: Store,
}

/// What a line is answered with.
#[derive(Debug, PartialEq)]
pub(crate) enum Answer {
    /// A line.
    Line(Value),
    /// Nothing: a notification, or an answer of the client's.
    Nothing,
    /// A fault that is no reply.
    Fault(Showed),
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// Members as they stand in the line: `null` is not the same as nothing.
type Members<'a> = BTreeMap<String, &'a RawValue>;

impl Server {
    /// The server of a plan.
    pub(crate) fn new(plan: Plan) -> Self {
        Self { store: Store::new(plan.naming), plan }
    }

    /// Answers a line.
    pub(crate) fn answer(&mut self, line: &[u8]) -> Answer {
        if line.trim_ascii().is_empty() {
            return Answer::Nothing;
        }
        let text = String::from_utf8_lossy(line);
        let request: Request<'_> = match serde_json::from_str(&text) {
            Ok(request) => request,
            Err(error) => {
                let (code, what) = match error.is_data() {
                    true => (-32600, "The line is no request of JSON-RPC 2.0."),
                    false => (-32700, "The line cannot be read as JSON."),
                };
                return error_line(&id_of(&text), code, what);
            }
        };
        let Some(id) = request.id.map(|id| serde_json::from_str(id.get()).unwrap_or(Value::Null)) else {
            return Answer::Nothing;
        };
        let Some(method) = request.method else { return Answer::Nothing };
        match method.as_str() {
            "initialize" => result_line(&id, &initialized(request.params)),
            "ping" => result_line(&id, &json!({})),
            "tools/list" => {
                let tools: Vec<Value> = self.plan.tools.iter().map(Tool::listed).collect();
                result_line(&id, &json!({"tools": tools}))
            }
            "tools/call" => self.call(&id, request.params),
            _ => error_line(
                &id,
                -32601,
                &format!(
                    "There is no method {}. Known: initialize, ping, tools/list, tools/call.",
                    quoted(&method)
                ),
            ),
        }
    }

    fn call(&mut self, id: &Value, params: Option<&RawValue>) -> Answer {
        let params: Members<'_> =
            params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default();
        let name = params.get("name");
        let Some(name) = name.and_then(|name| serde_json::from_str::<String>(name.get()).ok()) else {
            return error_line(id, -32602, "The params of tools/call need the name of a tool.");
        };
        let Some(tool) = self.plan.tool(&name) else {
            let known: Vec<_> = self.plan.tools.iter().map(|tool| tool.name.as_str()).collect();
            let what = format!("There is no tool {}. Known tools: {}.", quoted(&name), known.join(", "));
            return error_line(id, -32602, &what);
        };
        let arguments = match arguments(params.get("arguments").copied()) {
            Ok(arguments) => arguments,
            Err(refusal) => return tool_line(id, &Err(refusal)),
        };
        match fault(tool, &self.store, &arguments) {
            Some(Showed::Reply(text)) => text_line(id, &text, true),
            Some(showed) => Answer::Fault(showed),
            None => {
                let checked = tool.check(&arguments);
                tool_line(id, &checked.and_then(|()| tool.work(&arguments, &mut self.store)))
            }
        }
    }
}

/// The fault that a call brings about. Whatever else is wrong with the arguments is refused before the fault is met.
fn fault(tool: &Tool, store: &Store, arguments: &Map<String, Value>) -> Option<Showed> {
    let fault = tool.fault.as_ref()?;
    let whole = Value::Object(arguments.clone());
    match &fault.kind {
        Kind::LeakAfterDelete(words) => {
            let id = whole[fault.spot[0]].as_str().filter(|id| store.was_deleted(id))?;
            tool.check(arguments).ok()?;
            let words = words.replace("{}", id);
            Some(Showed::Reply(format!("[INVALID_INPUT] Could not show '{id}' ({words}). Check the name.")))
        }
        // What these are about is itself forbidden by the schema: with it fixed, the rest must be allowed.
        Kind::DebugFormatOnCase { .. } | Kind::UndefinedOnMissingKey { .. } => {
            let showed = fault.shows(&whole)?;
            let mended = mended(tool, &fault.spot, whole)?;
            tool.check(&mended).ok()?;
            Some(showed)
        }
        _ => {
            tool.check(arguments).ok()?;
            fault.shows(&whole)
        }
    }
}

/// The arguments with the value at the fault's spot in the smallest form that the tool takes.
fn mended(tool: &Tool, spot: &[&'static str], mut arguments: Value) -> Option<Map<String, Value>> {
    let smallest = spot.iter().try_fold(&tool.smallest(), |value, key| value.get(key)).cloned()?;
    let (last, around) = spot.split_last()?;
    let at = around.iter().try_fold(&mut arguments, |value, key| value.get_mut(key))?;
    at.as_object_mut()?.insert((*last).to_owned(), smallest);
    arguments.as_object().cloned()
}

/// The arguments of a call, each read by itself, so that the one which cannot be read is named.
fn arguments(given: Option<&RawValue>) -> Result<Map<String, Value>, Refusal> {
    let Some(given) = given else { return Ok(Map::new()) };
    if !given.get().starts_with('{') {
        return Err(Refusal::input("'arguments' must be an object with the parameters as its members."));
    }
    let members: Members<'_> =
        serde_json::from_str(given.get()).map_err(|error| unreadable("The name of an argument", &error))?;
    let read = |(name, value): (String, &RawValue)| match serde_json::from_str(value.get()) {
        Ok(value) => Ok((name, value)),
        Err(error) => Err(unreadable(&format!("The argument {}", quoted(&name)), &error)),
    };
    members.into_iter().map(read).collect()
}

/// What cannot be read, in words of our own.
fn unreadable(what: &str, error: &serde_json::Error) -> Refusal {
    let words = error.to_string();
    let why = if words.contains("recursion") {
        "it is nested more than 128 deep"
    } else if words.contains("out of range") {
        "it holds a number that is too large"
    } else {
        "it holds half of a surrogate pair"
    };
    Refusal::input(format!("{what} cannot be read: {why}. Send it as valid JSON."))
}

fn initialized(params: Option<&RawValue>) -> Value {
    let params: Value =
        params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or(Value::Null);
    let asked = params["protocolVersion"].as_str();
    let version = asked.filter(|asked| VERSIONS.contains(asked)).unwrap_or(VERSIONS[VERSIONS.len() - 1]);
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "eight-faults", "version": env!("CARGO_PKG_VERSION")},
    })
}

fn tool_line(id: &Value, outcome: &Result<String, Refusal>) -> Answer {
    match outcome {
        Ok(text) => text_line(id, text, false),
        Err(refusal) => text_line(id, &refusal.to_string(), true),
    }
}

fn text_line(id: &Value, text: &str, is_error: bool) -> Answer {
    result_line(id, &json!({"content": [{"type": "text", "text": text}], "isError": is_error}))
}

fn result_line(id: &Value, result: &Value) -> Answer {
    Answer::Line(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

fn error_line(id: &Value, code: i32, message: &str) -> Answer {
    Answer::Line(json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}))
}

/// The id of a request that cannot be read otherwise: the first number that a member of this name has outside of texts
/// and of other objects.
fn id_of(line: &str) -> Value {
    let (mut depth, mut in_text, mut escaped) = (0, false, false);
    for (at, letter) in line.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if in_text => escaped = true,
            '"' => {
                in_text = !in_text;
                if in_text
                    && depth == 1
                    && let Some(rest) = line[at..].strip_prefix("\"id\"")
                    && let Some(rest) = rest.trim_start().strip_prefix(':')
                {
                    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
                    return digits.parse::<u64>().map_or(Value::Null, Value::from);
                }
            }
            '{' | '[' if !in_text => depth += 1,
            '}' | ']' if !in_text => depth -= 1,
            _ => {}
        }
    }
    Value::Null
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::plan;

    fn send(server: &mut Server, calls: &[(String, Value)]) -> Vec<Answer> {
        let lines = calls.iter().enumerate().map(|(id, (name, arguments))| {
            let params = json!({"name": name, "arguments": arguments});
            server.answer(
                json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
                    .to_string()
                    .as_bytes(),
            )
        });
        lines.collect()
    }

    /// The text of an error reply.
    fn refused(answer: &Answer) -> Option<&str> {
        let Answer::Line(line) = answer else { return None };
        (line["result"]["isError"] == true).then(|| line["result"]["content"][0]["text"].as_str()).flatten()
    }

    #[test]
    fn every_seed_has_eight_faults_each_shown_by_its_smallest_calls_and_by_nothing_less() {
        for seed in 0..60 {
            let plan = Plan::of(seed);
            let faulty: Vec<_> = plan.tools.iter().filter(|tool| tool.fault.is_some()).collect();
            assert_eq!(faulty.len(), 8, "{seed}");
            for tool in faulty {
                let calls = plan::smallest(&plan, tool).expect("a fault has its calls");
                let kind = &tool.fault.as_ref().expect("it has one").kind;
                let place = format!("{seed}: {}: {calls:?}", kind.name());
                let answers = send(&mut Server::new(plan.clone()), &calls);
                let (last, before) = answers.split_last().expect("an answer to each call");
                assert!(before.iter().all(|answer| refused(answer).is_none()), "{place}: {before:?}");
                match (kind.rule(), last) {
                    ("liveness/crash", Answer::Fault(Showed::Abort(_) | Showed::Panic(_))) => {}
                    ("liveness/no-reply", Answer::Fault(Showed::Hang | Showed::Silence(_))) => {}
                    (rule, answer) => {
                        assert!(
                            rule.starts_with("leak/") && refused(answer).is_some(),
                            "{place}: {answer:?}"
                        );
                    }
                }
                let sound = send(&mut Server::new(plan.clone().mended()), &calls);
                let sound = sound.last().expect("an answer to each call");
                assert!(matches!(sound, Answer::Line(_)) && sound != last, "{place}: {sound:?}");
                // The tool's smallest sound call brings nothing about.
                let sound = send(&mut Server::new(plan.clone()), &[(tool.name.clone(), tool.smallest())]);
                assert!(matches!(sound[0], Answer::Line(_)), "{place}: {sound:?}");
            }
        }
    }

    #[test]
    fn names_thresholds_and_places_differ_between_seeds() {
        let output = |seed| {
            let faults = Plan::of(seed).tools.into_iter().filter_map(|tool| Some((tool.name, tool.fault?)));
            faults.map(|(name, fault)| format!("{name}: {fault}")).collect::<Vec<_>>()
        };
        let all: std::collections::BTreeSet<_> = (0..100).map(output).collect();
        assert_eq!(all.len(), 100);
    }

    #[test]
    fn the_id_of_a_call_is_known_though_its_arguments_cannot_be_read() {
        let mut server = Server::new(Plan::of(0));
        let name = server.plan.tools[0].name.clone();
        for bad in [
            r#"{"a":"\ud800"}"#,
            r#"{"a":1e999}"#,
            "[]",
            "null",
            &format!("{{\"a\":{}}}", "[".repeat(200) + &"]".repeat(200)),
        ] {
            let line = format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"{name}","arguments":{bad}}}}}"#
            );
            let answer = server.answer(line.as_bytes());
            assert!(
                refused(&answer).is_some_and(|text| text.starts_with("[INVALID_INPUT] ")),
                "{bad}: {answer:?}"
            );
            assert!(matches!(answer, Answer::Line(line) if line["id"] == 7));
        }
        let broken = server.answer(br#"{"method":"tools/call","params":{"id":3,"a":"\x"},"id":7}"#);
        assert!(matches!(broken, Answer::Line(line) if line["id"] == 7 && line["error"]["code"] == -32700));
    }
}
