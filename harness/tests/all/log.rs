//! The reference server's log: each error that a client gets stands on standard error once, and on one line.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::program::{PROGRAM, folder};

/// The code and status of an error; none if the call succeeds.
type Told = Option<(&'static str, u64)>;

/// Calls, and the code and status of each as `problem-details` has them; none if the call succeeds.
fn calls() -> Vec<(&'static str, Value, Told)> {
    vec![
        ("view", json!({"path": "a.txt"}), None),
        ("view", json!({"path": "missing.txt"}), Some(("file-not-found", 404))),
        (
            "open_file",
            json!({"path": "a.txt", "start_line": 3, "end_line": 1}),
            Some(("invalid-parameter", 400)),
        ),
        ("open_file", json!({"path": "/"}), Some(("path-outside-repo", 403))),
        ("create_file", json!({"path": "folder", "content": ""}), Some(("internal-error", 500))),
        ("blame_range", json!({"path": "a.txt"}), Some(("git-operation-error", 500))),
        ("grep", json!({"pattern": "(\n"}), Some(("invalid-parameter", 400))),
    ]
}

/// What the server answers, and what it logs, to these calls in a session of their own.
fn served(form: &str) -> (Vec<Value>, Vec<String>) {
    let calls: Vec<_> = calls().into_iter().map(|(tool, arguments, _)| (tool, arguments)).collect();
    answered(&["--log", form], &calls)
}

/// Checks the log of a server with these options and these calls.
fn answered(options: &[&str], calls: &[(&str, Value)]) -> (Vec<Value>, Vec<String>) {
    let folder = folder().with("a.txt", "green apple\n");
    std::fs::create_dir(folder.path().join("folder")).expect("the folder is ours");
    let mut server = Command::new(PROGRAM)
        .args(["serve", "--contract", "problem-details"])
        .args(options)
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let client = json!({"name": "test", "version": "0"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let mut lines = vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ];
    lines.extend(calls.iter().enumerate().map(|(number, (tool, arguments))| {
        let params = json!({"name": tool, "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": number + 1, "method": "tools/call", "params": params})
    }));
    let mut stdin = server.stdin.take().expect("a pipe");
    let sent: String = lines.iter().map(|line| format!("{line}\n")).collect();
    stdin.write_all(sent.as_bytes()).expect("it is read");
    // Replies to what is in flight when the client goes are not promised, so each is awaited.
    let mut replies = Vec::new();
    let mut reader = std::io::BufReader::new(server.stdout.take().expect("a pipe"));
    while replies.len() <= calls.len() {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut reader, &mut line).expect("it is text");
        replies.push(serde_json::from_str::<Value>(&line).expect("a reply is JSON"));
    }
    drop(stdin);
    let output = server.wait_with_output().expect("it ends");
    replies.sort_by_key(|reply| reply["id"].as_u64());
    let logged = String::from_utf8(output.stderr).expect("the log is text");
    (replies, logged.lines().map(str::to_owned).collect())
}

/// The one line about a code and a tool.
fn line_of<'l>(lines: &'l [String], tool: &str, status: u64) -> &'l str {
    let is_meant = |line: &&String| line.contains(tool) && line.contains(&status.to_string());
    let found: Vec<_> = lines.iter().filter(is_meant).collect();
    assert_eq!(found.len(), 1, "{tool} {status}: {lines:#?}");
    found[0]
}

#[test]
fn each_error_is_logged_on_one_line_with_the_level_of_its_status_and_its_cause_stays_there() {
    for form in ["text", "json"] {
        let (replies, lines) = served(form);
        let failed: Vec<_> =
            calls().into_iter().filter_map(|(tool, _, printed)| Some((tool, printed?))).collect();
        assert_eq!(lines.len(), failed.len(), "{lines:#?}");
        for (tool, (code, status)) in failed {
            let line = line_of(&lines, tool, status);
            assert!(line.contains(code) && line.contains("about"), "{line}");
            let level = if status >= 500 { "ERROR" } else { "WARN" };
            assert!(line.contains(level), "{line}");
            if form == "json" {
                let line: Value = serde_json::from_str(line).expect("a line of JSON");
                assert_eq!((&line["operation"], &line["code"]), (&json!(tool), &json!(code)));
                assert_eq!((&line["status"], &line["level"]), (&json!(status), &json!(level)));
            }
        }
        let missing = line_of(&lines, "view", 404);
        assert!(missing.contains("os error 2") && missing.contains("std::io::error::Error"), "{missing}");
        for reply in &replies {
            let reply = reply.to_string();
            assert!(!reply.contains("os error") && !reply.contains("io::error"), "{reply}");
        }
    }
}

#[test]
fn a_panic_of_a_tool_is_one_structured_line_and_an_internal_error_and_the_runtime_prints_nothing() {
    // One tool that waits without a thread, and one that runs on a thread of its own.
    let calls = [
        ("bash", json!({"command": "exit 255"}), "the exit status does not fit"),
        ("view", json!({"path": "a.txt"}), "the buffer of 12 bytes is full"),
    ];
    let sent = calls.clone().map(|(tool, arguments, _)| (tool, arguments));
    for form in ["text", "json"] {
        let options = ["--defect", "channel/false-error/panic", "--max-file-size", "13", "--log", form];
        let (replies, lines) = answered(&options, &sent);
        assert_eq!(lines.len(), calls.len(), "{form}: {lines:#?}");
        for ((tool, _, said), reply) in std::iter::zip(&calls, &replies[1..]) {
            let line = line_of(&lines, tool, 500);
            for part in ["ERROR", "internal-error", "cause_type", said] {
                assert!(line.contains(part), "{part}: {line}");
            }
            if form == "json" {
                let line: Value = serde_json::from_str(line).expect("a line of JSON");
                assert_eq!((&line["operation"], &line["cause"]), (&json!(tool), &json!(said)));
            }
            assert_eq!(reply["result"]["structuredContent"]["problem"]["code"], "internal-error", "{reply}");
            assert!(!reply.to_string().contains(said), "{reply}");
        }
        for line in &lines {
            assert!(!line.contains("panicked at") && !line.contains("RUST_BACKTRACE"), "{line}");
        }
    }
}

#[test]
fn every_result_is_one_object_and_an_error_is_that_object_with_nothing_in_it() {
    let (replies, _) = served("text");
    for (reply, (tool, _, printed)) in std::iter::zip(&replies[1..], calls()) {
        let result = &reply["result"];
        let text = result["content"][0]["text"].as_str().expect("a text");
        assert_eq!(result["structuredContent"], serde_json::from_str::<Value>(text).expect("JSON"), "{tool}");
        let object = result["structuredContent"].as_object().expect("an object");
        assert_eq!(result["isError"], printed.is_some(), "{tool}");
        let own: Vec<_> =
            object.iter().filter(|(name, _)| !["error", "problem"].contains(&name.as_str())).collect();
        assert!(!own.is_empty(), "{tool}");
        if let Some((code, status)) = printed {
            assert_eq!(
                (&object["problem"]["code"], &object["problem"]["status"]),
                (&json!(code), &json!(status))
            );
            let nothing = [json!(""), json!(0), json!(false), json!([]), json!(null)];
            assert!(own.iter().all(|(_, value)| nothing.contains(value)), "{tool}: {text}");
        } else {
            assert!(!object.contains_key("error") && !object.contains_key("problem"), "{tool}: {text}");
        }
    }
}
