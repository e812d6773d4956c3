//! The library as a test in Rust uses it.

use mcp_errconf::baseline::Baseline;
use mcp_errconf::confinement::SecondSessionResult;
use mcp_errconf::finding::State;
use mcp_errconf::judge::Status;
use mcp_errconf::testing::{Check, assert_conformant};
use mcp_errconf::transcript::Chosen;
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

fn check(text: &str) -> Check {
    let text = text.to_owned();
    Check::in_process(move |_| {
        let (ours, theirs) = duplex(64 * 1024);
        tokio::spawn(serve(theirs, text.clone()));
        split(ours)
    })
}

#[test]
fn probes_are_selected_like_cases() {
    let report = check("path '@' does not exist: list its folder first")
        .contract("plain")
        .filter("probe/*")
        .run_blocking();
    let report = report.expect("the server is exercised");
    assert!(!report.cases.is_empty());
    assert!(report.cases.iter().all(|case| case.id.0.starts_with("probe/read_file/")), "{:?}", report.cases);
}

#[tokio::test]
async fn a_check_may_block_within_a_runtime() {
    let report =
        check("path '@' does not exist: list its folder first").contract("plain").filter("read/missing-file");
    assert_conformant(&report.run_blocking().expect("the server is exercised"));
}

#[test]
fn a_check_has_what_a_configuration_has() {
    let folder = crate::program::folder()
        .with(
            "mcp-errconf.toml",
            "contract = 'plain'\nbaseline = 'accepted.toml'\n[levels]\n'leak/runtime-error' = 'off'\n",
        )
        .with("accepted.toml", "accepted = []\n");
    let file = |name: &str| folder.path().join(name);
    let bad = || check("ENOENT: no such file or directory, open '@'").filter("read/missing-file");
    let rules = |check: Check| {
        let report = check.run_blocking().expect("the server is exercised");
        report.findings.into_iter().map(|finding| finding.rule).collect::<Vec<_>>()
    };
    assert!(rules(bad().contract("plain")).contains(&"leak/runtime-error".to_owned()));
    assert!(!rules(bad().config(file("mcp-errconf.toml"))).contains(&"leak/runtime-error".to_owned()));

    let reports = ["r.json", "r.html", "r.md", "r.txt"];
    let check = reports.iter().fold(bad().contract("plain"), |check, name| check.report(file(name)));
    let report = check.run_blocking().expect("the server is exercised");
    let written: mcp_errconf::judge::Report = folder.report("r.json");
    assert_eq!(written.findings, report.findings);
    let read = |name: &str| std::fs::read_to_string(file(name)).expect("it was written");
    assert!(read("r.html").starts_with("<!DOCTYPE html>"));
    assert!(read("r.md").starts_with("## mcp-errconf: not conformant: "), "{}", read("r.md"));
    assert!(read("r.txt").contains("must[leak/runtime-error]"));

    let missing = check_error(bad().config(file("no.toml")));
    assert!(missing.contains("no.toml: cannot be read"), "{missing}");
    let wrong = check_error(bad().valid("read_file", json!("a.txt")));
    assert!(wrong.contains("the valid arguments of `read_file` must be an object"), "{wrong}");
}

#[test]
fn accepted_findings_are_known() {
    let bad =
        || check("ENOENT: no such file or directory, open '@'").contract("plain").filter("read/missing-file");
    let found = |check: Check| check.run_blocking().expect("the server is exercised").findings;
    let new = found(bad());
    assert!(!new.is_empty() && new.iter().all(|finding| finding.state == State::New), "{new:?}");
    let folder = crate::program::folder().with("accepted.toml", &Baseline::default().extended(&new).render());
    let known = found(bad().baseline(folder.path().join("accepted.toml")));
    assert_eq!(known.len(), new.len());
    assert!(known.iter().all(|finding| finding.state == State::Known), "{known:?}");
}

#[test]
fn a_call_that_is_said_to_succeed_is_sent() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let check = check("path '@' does not exist: list its folder first").contract("plain").filter("probe/*");
    let report =
        check.valid("read_file", json!({"path": file})).run_blocking().expect("the server is exercised");
    assert_eq!(report.tools[0].valid, Some(json!({"path": file})));
}

#[test]
fn a_contract_is_a_folder_or_what_the_replies_keep() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../conformance-cases/contracts/plain");
    let chosen = |contract: &str| {
        let check = check("[PATH_NOT_FOUND] `@` does not exist: list its folder first.");
        let report = check.contract(contract).filter("read/missing-file").run_blocking();
        let contract = report.expect("the server is exercised").contract;
        (contract.id, contract.chosen)
    };
    assert_eq!(chosen(folder), ("plain".to_owned(), Chosen::Flag));
    assert_eq!(chosen("auto"), ("bracket-code".to_owned(), Chosen::Detected));
}

#[cfg(all(target_os = "linux", feature = "reference-server"))]
#[test]
fn a_process_gets_a_second_session_in_which_every_tool_is_called() {
    let server = || {
        let command = [crate::program::PROGRAM, "serve", "--workdir", "{workspace}"];
        Check::command(command).filter("probe/create_file/*")
    };
    let report =
        server().sandboxed_by(crate::program::PROGRAM).run_blocking().expect("the server is exercised");
    let second = report.server.second.as_ref();
    assert!(matches!(second, Some(SecondSessionResult::Driven(_))), "{second:?}");
    assert!(report.cases.iter().any(|case| case.status == Status::Passed), "{:?}", report.cases);

    let without = server().sandboxed_by("/no/such/program").run_blocking().expect("the server is exercised");
    assert!(
        matches!(without.server.second, Some(SecondSessionResult::Missing(_))),
        "{:?}",
        without.server.second
    );
    assert!(without.cases.len() < report.cases.len());
}

fn check_error(check: Check) -> String {
    check.run_blocking().expect_err("it cannot be run").to_string()
}

#[cfg(unix)]
#[test]
fn a_server_process_gets_its_variables_and_its_folder() {
    let script = r#"read line; echo "$NOTES_DB in $(pwd)" >&2; exit 1"#;
    let check =
        Check::command(["sh", "-c", script]).env("NOTES_DB", "{workspace}/notes.db").cwd("{workspace}");
    let said = check_error(check);
    assert!(
        said.contains("/notes.db in /") && !said.contains("{workspace}/notes.db in {workspace}/"),
        "{said}"
    );
}
