//! A server with eight planted faults, for measuring what a campaign finds:
//!
//! ```sh
//! cargo run --example eight_faults -- --seed 7 --list
//! mcp-errconf fuzz --allow-destructive -- target/debug/examples/eight_faults --seed 7
//! ```
//!
//! The names of tools and parameters, the thresholds and the places are drawn from the seed (`--seed N`, else 0). In all
//! else it is an honest server of the contract `bracket-code`: it refuses what its schemas forbid, takes what they allow,
//! and says why. Beside the faulty tools stand sound ones, and `--sound` leaves the faults out.
//!
//! It answers calls in the order in which they come, one at a time, each before the next is read. A hang is one of the
//! whole process, which neither reads nor answers any more; it ends by itself after ten minutes. It keeps what it is given
//! in memory, bounded, and touches no file and no network.

mod check;
mod fault;
mod plan;
mod store;

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::process::{ExitCode, abort};
use std::thread::sleep;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use fault::Showed;
use plan::{Plan, Tool};
use store::Store;

const USAGE: &str = "usage: eight_faults [--seed N] [--sound] [--list]";

/// Versions of MCP that the server speaks, the one that it prefers last.
const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

fn main() -> ExitCode {
    let (mut seed, mut is_sound, mut lists) = (Some(0), false, false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seed" => seed = words.next().and_then(|seed| seed.parse().ok()),
            "--sound" => is_sound = true,
            "--list" => lists = true,
            _ => seed = None,
        }
    }
    let Some(seed) = seed else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let plan = if is_sound { Plan::of(seed).mended() } else { Plan::of(seed) };
    // A reader who went away is none of a server's trouble.
    if lists { list(&plan) } else { serve(Server::new(plan)) }.unwrap_or(ExitCode::SUCCESS)
}

/// One line a fault: its kind, the rule, the tool, and the smallest calls that bring it about; tabs between.
fn list(plan: &Plan) -> io::Result<ExitCode> {
    let mut out = io::stdout().lock();
    for tool in &plan.tools {
        let (Some(fault), Some(calls)) = (&tool.fault, plan.smallest(tool)) else { continue };
        let kind = json!(fault.kind);
        let kind = kind.as_str().unwrap_or_default();
        writeln!(out, "{kind}\t{}\t{}\t{}", fault.rule(), tool.name, json!(calls))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn serve(mut server: Server) -> io::Result<ExitCode> {
    let (mut input, mut out) = (io::stdin().lock(), io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(ExitCode::SUCCESS);
        }
        match server.answer(&String::from_utf8_lossy(&line)) {
            None => {}
            Some(Ok(answer)) => {
                writeln!(out, "{answer}")?;
                out.flush()?;
            }
            Some(Err(Showed::Reply(words) | Showed::Silence(words))) => eprintln!("{words}"),
            Some(Err(Showed::Hang)) => {
                sleep(Duration::from_secs(600));
                return Ok(ExitCode::FAILURE);
            }
            Some(Err(Showed::Abort(words))) => {
                eprintln!("{words}");
                abort();
            }
            Some(Err(Showed::Panic(words))) => {
                eprintln!("{words}");
                return Ok(ExitCode::from(101));
            }
        }
    }
}

/// The server and what it keeps.
struct Server {
    plan: Plan,
    store: Store,
}

/// A line. What stands in it is read as late as can be, so that the id of a call is known though its arguments cannot be
/// read.
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

/// The member of an answer beside its id: a result or an error.
type Member = (&'static str, Value);

impl Server {
    fn new(plan: Plan) -> Self {
        Self { plan, store: Store::default() }
    }

    /// Answers a line, if it asks for an answer; a fault that is no reply stands in the place of the answer.
    fn answer(&mut self, line: &str) -> Option<Result<Value, Showed>> {
        if line.trim().is_empty() {
            return None;
        }
        let (id, member) = match serde_json::from_str::<Request<'_>>(line) {
            Err(error) if error.is_data() => {
                (Value::Null, Ok(error_of(-32600, "The line is no request of JSON-RPC 2.0.")))
            }
            Err(_) => (Value::Null, Ok(error_of(-32700, "The line cannot be read as JSON."))),
            Ok(request) => {
                let id = serde_json::from_str(request.id?.get()).unwrap_or_default();
                (id, self.answered(&request.method?, request.params))
            }
        };
        Some(member.map(|(member, value)| json!({"jsonrpc": "2.0", "id": id, member: value})))
    }

    fn answered(&mut self, method: &str, params: Option<&RawValue>) -> Result<Member, Showed> {
        match method {
            "initialize" => Ok(("result", initialized(params))),
            "ping" => Ok(("result", json!({}))),
            "tools/list" => {
                let tools: Vec<Value> = self.plan.tools.iter().map(Tool::listed).collect();
                Ok(("result", json!({"tools": tools})))
            }
            "tools/call" => self.called(params),
            _ => Ok(error_of(
                -32601,
                &format!("There is no method '{method}'. Known: initialize, ping, tools/list, tools/call."),
            )),
        }
    }

    fn called(&mut self, params: Option<&RawValue>) -> Result<Member, Showed> {
        let params: Members<'_> =
            params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default();
        let name = params.get("name").and_then(|name| serde_json::from_str::<String>(name.get()).ok());
        let Some(name) = name else {
            return Ok(error_of(-32602, "The params of tools/call need the name of a tool."));
        };
        let Some(tool) = self.plan.tools.iter().find(|tool| tool.name == name) else {
            let known: Vec<_> = self.plan.tools.iter().map(|tool| tool.name.as_str()).collect();
            let known = known.join(", ");
            return Ok(error_of(-32602, &format!("There is no tool '{name}'. Known tools: {known}.")));
        };
        let outcome = match read(params.get("arguments").copied()) {
            Err(refusal) => Err(refusal),
            Ok(arguments) => {
                let fault = tool.fault.as_ref();
                match fault.and_then(|fault| fault.shows(tool, &arguments, &self.store)) {
                    Some(Showed::Reply(text)) => return Ok(text_of(&text, true)),
                    Some(showed) => return Err(showed),
                    None => match check::refusal(&tool.schema, "", &arguments) {
                        Some(refusal) => Err(refusal),
                        None => self.store.work(&self.plan, tool, &arguments),
                    },
                }
            }
        };
        Ok(match outcome {
            Ok(text) => text_of(&text, false),
            Err(refusal) => text_of(&format!("[INVALID_INPUT] {refusal}"), true),
        })
    }
}

/// The arguments of a call, or why they cannot be read, in words of our own.
fn read(arguments: Option<&RawValue>) -> Result<Value, String> {
    let Some(arguments) = arguments else { return Ok(json!({})) };
    let why = match serde_json::from_str(arguments.get()) {
        Ok(Value::Object(arguments)) => return Ok(arguments.into()),
        Ok(_) => {
            return Err("'arguments' must be an object with the parameters as its members.".to_owned());
        }
        Err(error) if error.to_string().contains("recursion") => "they are nested more than 128 deep",
        Err(error) if error.to_string().contains("out of range") => "a number in them is too large",
        Err(_) => "they hold half of a surrogate pair",
    };
    Err(format!("'arguments' cannot be read: {why}. Send them as valid JSON."))
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

fn text_of(text: &str, is_error: bool) -> Member {
    ("result", json!({"content": [{"type": "text", "text": text}], "isError": is_error}))
}

fn error_of(code: i32, message: &str) -> Member {
    ("error", json!({"code": code, "message": message}))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a server answers to calls, the last one's fault or text in the end.
    fn last(plan: &Plan, calls: &[Value]) -> Result<Value, Showed> {
        let mut server = Server::new(plan.clone());
        let lines = calls.iter().map(|call| {
            json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}).to_string()
        });
        let mut answers: Vec<_> = lines.map(|line| server.answer(&line).expect("it is a request")).collect();
        let last = answers.pop().expect("an answer to each call");
        let is_success = |answer: &Result<Value, _>| {
            answer.as_ref().is_ok_and(|answer| answer["result"]["isError"] == false)
        };
        assert!(answers.iter().all(is_success), "{answers:?}");
        last
    }

    #[test]
    fn every_seed_has_eight_faults_each_shown_by_its_smallest_calls_and_by_nothing_less() {
        for seed in 0..60 {
            let plan = Plan::of(seed);
            let faulty: Vec<_> = plan.tools.iter().filter(|tool| tool.fault.is_some()).collect();
            assert_eq!(faulty.len(), 8, "{seed}");
            for tool in faulty {
                let calls = plan.smallest(tool).expect("a fault has its calls");
                let rule = tool.fault.as_ref().map_or("", fault::Fault::rule);
                let shown = last(&plan, &calls);
                let is_shown = match (rule, &shown) {
                    ("liveness/crash", Err(Showed::Abort(_) | Showed::Panic(_)))
                    | ("liveness/no-reply", Err(Showed::Hang | Showed::Silence(_))) => true,
                    (_, Ok(answer)) => rule.starts_with("leak/") && answer["result"]["isError"] == true,
                    _ => false,
                };
                assert!(is_shown, "{seed}: {calls:?}: {shown:?}");
                let sound = last(&plan.clone().mended(), &calls);
                assert!(sound.is_ok() && sound != shown, "{seed}: {calls:?}: {sound:?}");
                let call = json!({"name": tool.name, "arguments": check::smallest(&tool.schema)});
                assert!(last(&plan, &[call]).is_ok(), "{seed}: {calls:?}");
            }
        }
    }

    #[test]
    fn names_thresholds_and_places_differ_between_seeds() {
        let all: std::collections::BTreeSet<_> =
            (0..100).map(|seed| format!("{:?}", Plan::of(seed).tools)).collect();
        assert_eq!(all.len(), 100);
    }

    #[test]
    fn the_id_of_a_call_is_known_though_its_arguments_cannot_be_read() {
        let plan = Plan::of(0);
        let name = &plan.tools[0].name;
        let deep = format!("{{\"a\":{}}}", "[".repeat(200) + &"]".repeat(200));
        for bad in [r#"{"a":"\ud800"}"#, r#"{"a":1e999}"#, "[]", "null", &deep] {
            let line = format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"{name}","arguments":{bad}}}}}"#
            );
            let answer = Server::new(plan.clone()).answer(&line).expect("it is a request").expect("no fault");
            let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
            assert!(answer["id"] == 7 && text.starts_with("[INVALID_INPUT] "), "{bad}: {answer}");
        }
    }
}
