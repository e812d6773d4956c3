//! The library as a test in Rust uses it.

use mcp_errconf::testing::{Check, assert_conformant};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex, split};

/// A server in this process that refuses every call with this text, but for files that are there.
async fn serve(stream: DuplexStream, text: String) {
    let (reader, mut writer) = split(stream);
    let mut lines = BufReader::new(reader).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let request: Value = serde_json::from_str(&line).expect("the harness sends JSON");
        let path = request["params"]["arguments"]["path"].as_str().unwrap_or_default();
        let result = match request["method"].as_str() {
            Some("initialize") => {
                json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "within", "version": "1"}})
            }
            Some("tools/list") => json!({"tools": [{"name": "read_file", "description": "Reads a text file.",
                "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}]}),
            Some("tools/call") => match std::fs::read_to_string(path) {
                Ok(content) => json!({"content": [{"type": "text", "text": content}]}),
                Err(_) => {
                    json!({"isError": true, "content": [{"type": "text", "text": text.replace("@", path)}]})
                }
            },
            _ => continue,
        };
        let reply = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
        if writer.write_all(format!("{reply}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

fn report(text: &str) -> mcp_errconf::judge::Report {
    let text = text.to_owned();
    let check = Check::in_process(move |workspace| {
        assert!(workspace.is_dir(), "the folder is there before the server is");
        let (ours, theirs) = duplex(64 * 1024);
        tokio::spawn(serve(theirs, text.clone()));
        split(ours)
    });
    check
        .contract("bracket-code")
        .filter("read/missing-file")
        .run_blocking()
        .expect("the server is exercised")
}

#[test]
fn a_server_within_the_process_is_judged_like_any_other() {
    let report = report("[PATH_NOT_FOUND] `@` does not exist: list its folder first.");
    assert_eq!(report.server.name, "within");
    assert_eq!(report.findings, []);
    assert_eq!(report.summary.error_replies, 1);
    assert_conformant(&report);
}

#[test]
#[should_panic(expected = "must[code/missing]")]
fn what_is_not_conformant_panics_with_the_human_report() {
    assert_conformant(&report("@ is not there"));
}

#[test]
fn a_contract_or_filter_that_is_not_there_is_reported() {
    let check = || Check::command(["./no-such-server"]);
    let output = |check: Check| check.run_blocking().expect_err("it cannot be run").to_string();
    assert!(output(check().contract("nonsense")).contains("there is no contract `nonsense`"));
    assert!(output(check().filter("nothing")).contains("no case matches `nothing`"));
    assert!(output(check()).contains("./no-such-server"));
}
