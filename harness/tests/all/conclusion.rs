//! What a run comes to, and its exit code.

use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::finding::{Finding, Level, State};
use mcp_errconf::judge::{Report, Strictness};
use mcp_errconf::rules;
use mcp_errconf::transcript::Transcript;

use crate::program::{in_one_line, recorded, stdout};
use crate::sample::{finding, report, with_finding};

/// An empty run of a server with these tools.
pub(crate) fn transcript(tools: &[&str]) -> Transcript {
    let tools: Vec<_> = tools
        .iter()
        .map(|name| serde_json::json!({"name": name, "description": "", "input_schema": {}, "read_only": null, "destructive": null}))
        .collect();
    serde_json::from_value(serde_json::json!({
        "head": {
            "command": [], "bundled": false, "server_name": "", "server_version": "", "protocol_version": "",
            "lifecycle": "legacy", "contract": "bracket-code", "chosen": "default", "catalog": {"tools": tools},
            "bindings": [], "limits": {"root": true, "max_file_size": null, "background_tasks": null}, "seed": 0,
            "folders": {"workspace": "", "outside": "", "canary": ""}
        },
        "cases": [], "exchanges": [], "interrupted": false, "duration_ms": 0
    }))
    .expect("it is a transcript")
}

/// A run with such a report has this exit code.
fn check(report: &Report, strictness: Strictness, exit_code: u8) {
    let transcript = transcript(&[]);
    assert_eq!(Conclusion::from_report(&transcript, report, strictness).exit_code(), exit_code);
    let interrupted = Transcript { interrupted: true, ..transcript };
    assert_eq!(Conclusion::from_report(&interrupted, report, strictness).exit_code(), 130);
}

fn with(level: Level, state: State) -> Report {
    with_finding(report(), Finding { level, state, ..finding("it failed", "it") })
}

#[test]
fn no_finding_is_conformant() {
    check(&report(), Strictness::Should, 0);
}

#[test]
fn must_counts_always_and_should_where_it_is_strict() {
    check(&with(Level::Must, State::New), Strictness::Must, 1);
    check(&with(Level::Should, State::New), Strictness::Must, 0);
    check(&with(Level::Should, State::New), Strictness::Should, 1);
    check(&with(Level::Note, State::New), Strictness::Should, 0);
}

#[test]
fn a_known_finding_does_not_count() {
    check(&with(Level::Must, State::Known), Strictness::Should, 0);
}

#[test]
fn the_refusal_of_an_unknown_tool_alone_says_nothing_of_the_tools() {
    let exchange = |index: usize, tool: &str, outcome: serde_json::Value| {
        let failure = serde_json::json!({"failure": {"condition": "x", "value": null, "hint": null, "valid_values_of": null}});
        serde_json::json!({
            "index": index, "process": 0, "noise": [], "strays": [], "stderr": "", "changes": [], "elapsed_ms": 0,
            "place": {"case": null, "step": "call", "expected": failure, "control": null, "follows": null},
            "call": {"method": "tools/call", "tool": tool, "arguments": {}, "line": ""}, "outcome": outcome
        })
    };
    let refused = serde_json::json!({"error": {"code": -32602, "message": "Unknown tool", "data": null}});
    let flagged = serde_json::json!({"result": {"content": [], "isError": true}});
    let answered = serde_json::json!({"result": {"content": []}});
    let code = |replies: &[(&str, &serde_json::Value)]| {
        let exchanges = replies
            .iter()
            .enumerate()
            .map(|(index, (tool, outcome))| exchange(index, tool, (*outcome).clone()));
        let transcript = Transcript {
            exchanges: serde_json::from_value(exchanges.collect()).expect("they are exchanges"),
            ..transcript(&["read_file"])
        };
        let mut report = report();
        report.summary.error_replies = replies.iter().filter(|(_, outcome)| **outcome != answered).count();
        Conclusion::from_report(&transcript, &report, Strictness::Must).exit_code()
    };
    assert_eq!(code(&[("read_file", &answered), ("no_such_tool", &refused)]), 4);
    assert_eq!(code(&[("read_file", &flagged), ("no_such_tool", &refused)]), 0);
    assert_eq!(code(&[("read_file", &refused), ("no_such_tool", &refused)]), 0);
    assert_eq!(code(&[("no_such_tool", &refused)]), 0, "nothing else was asked for");
}

#[test]
fn without_an_error_reply_nothing_is_called_conformant() {
    let mut silent = with(Level::Should, State::New);
    silent.summary.error_replies = 0;
    check(&silent, Strictness::Must, 4);
    check(&silent, Strictness::Should, 1);
}

#[test]
fn a_server_whose_tools_flag_no_error_at_all_is_not_called_conformant() {
    let unflagged = crate::config::SERVER
        .replace(r#"\"isError\":true,"#, "")
        .replace("*present*|", "*no_such_tool*) printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32602,\"message\":\"Unknown tool no_such_tool\"}}\\n' \"$id\"; continue ;;\n    *present*|");
    let folder = crate::program::folder().with("server.sh", &unflagged);
    let text = "TEXT=There is nothing.";
    let server = ["--", "env", text, "sh", "server.sh"];
    let run = |filter: &str, code: i32| {
        let run = folder.run(&[&["run", "--filter", filter], &server[..]].concat()).code(code);
        stdout(&run)
    };
    let output = run("{read/missing-file,protocol/unknown-tool}", 4);
    assert!(output.contains("no tool answered a call with an error"), "{output}");
    run("protocol/unknown-tool", 0);
}

/// A server with one tool that only reads, and which answers every call of it with `TEXT` as an error; `noon` alone is right.
const FORECAST: &str = r#"while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -z "$id" ] && continue
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"forecast","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"get_forecast","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city","days"]}},{"name":"get_time","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"zone":{"type":"string"}},"required":["zone"]}}]}' ;;
    *get_time*'"zone":"noon"'*) result='{"content":[{"type":"text","text":"12:00"}]}' ;;
    *) result="{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"$TEXT\"}]}" ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// What is said about a run of that server, where it answers with this text; a recording of it comes to the same.
fn forecast(text: &str, configuration: &str, code: i32) -> String {
    let levels = "[levels]\n'message/value-missing' = 'off'\n'message/hint-missing' = 'off'\n";
    let configuration = format!(
        "contract = 'plain'\n[server]\ncommand = ['sh', 'server.sh']\nenv = {{ TEXT = \"{text}\" }}\n{levels}{configuration}"
    );
    let folder =
        crate::program::folder().with("server.sh", FORECAST).with("mcp-errconf.toml", &configuration);
    // A shell ends where it can open nothing, which says nothing about its tools.
    let filter = "probe/*/{arguments,city,days,zone}/*";
    let run = "run --transcript t.jsonl --report json=report.json --report human --filter";
    let output = stdout(&folder.run_with(run, &[filter]).code(code));
    let (report, conclusion) = recorded(&folder.read("t.jsonl")).judge(rules::all());
    assert_eq!((report, i32::from(conclusion.exit_code())), (folder.report("report.json"), code));
    output
}

const VALID: &str = "[tools.get_time]\nvalid = { zone = 'noon' }\n";

#[test]
fn where_every_control_was_refused_the_report_says_so_and_what_to_add() {
    let output = forecast("The place must be a known one. Give another.", "", 4);
    assert!(
        output.contains("no error written by a tool itself was judged: the ones received allow no verdict"),
        "{output}"
    );
    let output = in_one_line(&output);
    assert!(
        output.contains("set `[tools.get_forecast] valid`: its control was refused: The place must be"),
        "{output}"
    );
    let lines = "to have more judged, add to `mcp-errconf.toml` [tools.get_forecast] valid = { city = \
                 \"...\", days = 1 } [tools.get_time] valid = { zone = \"...\" }";
    assert!(output.contains(lines), "{output}");
}

#[test]
fn a_tool_that_asks_for_a_key_is_reported_with_the_option_that_hands_it_on() {
    let output = forecast("WEATHER_API_KEY is not set. Set it and start again.", "", 4);
    assert!(output.contains("it needs a key: its reply names WEATHER_API_KEY"), "{output}");
    assert!(output.contains("before `--`\n  --env WEATHER_API_KEY\n"), "{output}");
}

#[test]
fn the_validation_of_an_sdk_alone_says_nothing_of_the_tools() {
    let output = forecast("Input validation error: 'zone' is not right. Give another.", VALID, 4);
    let all = in_one_line(&output);
    assert!(all.contains("all of them were written by an MCP SDK's validation"), "{output}");
    assert!(all.contains("judged, but it wrote no error itself"), "{output}");
}

#[test]
fn fewer_tools_than_the_configuration_asks_for_fail_the_run() {
    let text = "The zone must be a known one. Give another.";
    // A tool's own error is enough for a verdict, as an SDK's is not.
    forecast(text, &format!("{VALID}[coverage]\ntools = 0.5\n"), 0);
    let output = forecast(text, &format!("{VALID}[coverage]\ntools = 0.6\n"), 1);
    let all = in_one_line(&output);
    let line = "1 of 2 tools were judged, a share of 0.5, but `[coverage] tools` requires 0.6; not judged: `get_forecast` \
                (set `[tools.get_forecast] valid`: its control was refused: The zone";
    assert!(all.contains(line), "{output}");
    assert!(output.contains("  [tools.get_forecast]\n  valid = { city = \"...\", days = 1 }\n"), "{output}");
    assert!(output.contains("\nexit      1: Fewer tools were judged"), "{output}");
}

#[test]
fn a_campaign_that_heard_an_sdk_alone_is_inconclusive() {
    let answer = crate::fuzz::REFUSES.replace(
        "[INVALID_INPUT] `name` must be a known name.",
        "Input validation error: `name` is not right.",
    );
    let options = ["--max-calls", "100", "--seed", "1", "--contract", "plain"];
    crate::fuzz::fuzz(&crate::program::folder(), &answer, &options).code(4);
    crate::fuzz::fuzz(&crate::program::folder(), crate::fuzz::REFUSES, &options).code(0);
}
