//! Tests a target in this process, with servers that break a rule at a known call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, split};

use super::*;

/// A server with one tool that takes a number and a text; `says` gives its reply to a call.
async fn serve(stream: DuplexStream, says: fn(&Value) -> Option<Value>) {
    let (reader, mut writer) = split(stream);
    let mut lines = BufReader::new(reader).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let line: Value = serde_json::from_str(&line).expect("the lines that are sent are JSON");
        let result = match line["method"].as_str() {
            Some("initialize") => {
                json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}})
            }
            Some("tools/list") => json!({"tools": [{"name": "take", "inputSchema": {
                "type": "object",
                "properties": {"count": {"type": "integer"}, "mode": {"enum": ["one", "two"]}},
                "required": ["count"],
            }}]}),
            Some("tools/call") => match says(&line["params"]["arguments"]) {
                Some(result) => result,
                None => return,
            },
            _ => continue,
        };
        let reply = json!({"jsonrpc": "2.0", "id": line["id"], "result": result});
        if writer.write_all(format!("{reply}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

fn refused(text: &str) -> Option<Value> {
    Some(json!({"isError": true, "content": [{"type": "text", "text": text}]}))
}

/// Refuses all but small numbers properly, and answers with the words of a panic for one of them.
fn faulty(arguments: &Value) -> Option<Value> {
    match arguments["count"].as_i64() {
        Some(7) => refused("[INVALID_INPUT] runtime error: index out of range [7] with length 7"),
        Some(8) => None,
        Some(9) => refused("count is 9"),
        _ => refused("[INVALID_INPUT] `count` must be a number below 7. Give another one."),
    }
}

fn server(says: fn(&Value) -> Option<Value>) -> InProcess {
    InProcess::serve(move |stream| serve(stream, says)).contract("bracket-code")
}

fn rules(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|finding| finding.rule.as_str()).collect()
}

#[test]
fn a_reply_is_judged_by_the_rules_of_a_run() {
    let mut server = server(faulty);
    assert_eq!(rules(&server.call("take", &json!({"count": 70}))), [""; 0]);
    assert_eq!(rules(&server.call("take", &json!({"count": 7}))), ["leak/panic"]);
    assert_eq!(rules(&server.call("take", &json!({"count": 9}))), ["code/missing"]);
}

#[test]
fn a_server_that_ends_is_a_finding_and_the_next_call_has_a_fresh_one() {
    let mut server = server(faulty);
    assert_eq!(rules(&server.call("take", &json!({"count": 8}))), ["liveness/crash"]);
    assert_eq!(rules(&server.call("take", &json!({"count": 70}))), [""; 0]);
}

#[test]
fn the_same_bytes_are_the_same_calls_and_changing_one_changes_little() {
    let mut server = server(faulty);
    let bytes = [0, 1, 0, 0, 7, 1, 0xa0, 1];
    let lines = server.lines(&bytes);
    assert_eq!(lines, server.lines(&bytes));
    assert_eq!(
        lines,
        [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"take","arguments":{"count":7,"mode":"two"}}}"#
        ]
    );
    let changed = server.lines(&[0, 1, 0, 0, 6, 1, 0xa0, 1]);
    assert_eq!(changed, [lines[0].replace('7', "6")]);
    assert_eq!(server.lines(&[]), [""; 0]);
}

#[test]
#[should_panic(expected = "must[leak/panic]")]
fn what_is_found_panics_with_the_lines_that_bring_it_about() {
    server(faulty).fuzz(&[0, 1, 0, 0, 7]);
}

#[test]
fn a_finding_that_a_fresh_session_does_not_show_is_reported_as_such() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let mut server = server(|_| match CALLS.fetch_add(1, Ordering::Relaxed) {
        0 => refused("[INVALID_INPUT] runtime error: index out of range [7] with length 7"),
        _ => refused("[INVALID_INPUT] `count` must be a number below 7. Give another one."),
    });
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| server.fuzz(&[0, 1])));
    let message = *caught.expect_err("it panics").downcast::<String>().expect("with words");
    assert!(message.contains("depends on earlier calls"), "{message}");
    assert!(message.contains(r#""method":"tools/call""#), "{message}");
}

#[test]
fn any_bytes_make_calls_that_a_sound_server_answers() {
    let sessions = Arc::new(AtomicUsize::new(0));
    let opened = Arc::clone(&sessions);
    let mut server = InProcess::serve(move |stream| {
        opened.fetch_add(1, Ordering::Relaxed);
        serve(stream, |_| refused("[INVALID_INPUT] `count` must be a number below 7. Give another one."))
    });
    let mut state = 1_u32;
    for length in 0..300 {
        let bytes = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        });
        let bytes: Vec<u8> = bytes.take(length % 60).collect();
        server.fuzz(&bytes);
    }
    assert_eq!(sessions.load(Ordering::Relaxed), 1, "one session serves them all");
}
