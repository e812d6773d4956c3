//! What a run comes to, and its exit code.

use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::finding::{Finding, Level, State};
use mcp_errconf::judge::{Report, Strictness};
use mcp_errconf::transcript::Transcript;

use crate::sample::{finding, report, with_finding};

/// An empty run of a server with these tools.
fn transcript(tools: &[&str]) -> Transcript {
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
    assert_eq!(Conclusion::of(&transcript, report, strictness).exit_code(), exit_code);
    let interrupted = Transcript { interrupted: true, ..transcript };
    assert_eq!(Conclusion::of(&interrupted, report, strictness).exit_code(), 130);
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
            "index": index, "process": 0, "noise": [], "asides": [], "stderr": "", "changes": [], "elapsed_ms": 0,
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
        Conclusion::of(&transcript, &report, Strictness::Must).exit_code()
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
        crate::program::stdout(&run)
    };
    let told = run("{read/missing-file,protocol/unknown-tool}", 4);
    assert!(told.contains("no tool answered a call with an error"), "{told}");
    run("protocol/unknown-tool", 0);
}
