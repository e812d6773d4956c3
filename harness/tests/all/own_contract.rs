//! A contract that this program does not have, written down in a folder, and a server that keeps it.

use std::path::Path;

use mcp_errconf::finding::Level;
use mcp_errconf::judge::Report;

use crate::program::{Folder, folder, stdout};

/// A server in `sh` with one tool that reads files. Its errors are those of the contract in the tests' data, but for what
/// `$1` says is wrong with them.
const SERVER: &str = r#"
say() { printf '%s\n' "$1"; }
result() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
refuse() { result "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
fault() { refuse "{\\\"fault\\\": {\\\"kind\\\": \\\"$1\\\", \\\"says\\\": \\\"$2\\\"}, \\\"again\\\": $3}"; }
wrong=$1
while IFS= read -r line; do
  id=${line#'{"jsonrpc":"2.0","id":'}; id=${id%%[!0-9]*}
  path=$(printf '%s' "$line" | sed -n 's/.*"path":"\([^"]*\)".*/\1/p')
  case "$line" in
    *'"method":"initialize"'*) result '{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"own","version":"1"}}' ;;
    *'"method":"notifications/initialized"'*) ;;
    *'"method":"tools/list"'*) result '{"tools":[{"name":"view","description":"Reads a file","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}]}' ;;
    *'"name":"view"'*)
      if [ -z "$path" ]; then
        fault bad-call "The argument path is missing: send the path of a file." true
      elif [ -f "$path" ]; then
        result "{\"content\":[{\"type\":\"text\",\"text\":\"$(tr '\n' ' ' < "$path")\"}]}"
      else
        told="Nothing exists at $path. Check the path."
        case "$wrong" in
          code) fault bad-call "$told" true ;;
          retry) fault thing-missing "$told" false ;;
          schema) fault thing-missing "$told" '\"yes\"' ;;
          plain) refuse "$told" ;;
          *) fault thing-missing "$told" true ;;
        esac
      fi ;;
    *) say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32602,\"message\":\"Unknown tool. Call view.\"}}" ;;
  esac
done
"#;

/// A folder with the contract and the server.
fn server() -> Folder {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/own-contract");
    let folder = folder().with("server.sh", SERVER);
    std::fs::create_dir(folder.path().join("mine")).expect("the folder is ours");
    for name in ["contract.toml", "fault.schema.json"] {
        std::fs::copy(data.join(name), folder.path().join("mine").join(name)).expect("the data is there");
    }
    folder
}

/// The report of a run by the user's own contract.
fn judged(wrong: &str, exit_code: i32) -> Report {
    let folder = server();
    let run = "run --contract ./mine --filter read/missing-* --report json=report.json -- sh server.sh";
    folder.run_with(run, &[wrong]).code(exit_code);
    folder.report("report.json")
}

#[test]
fn a_server_that_keeps_the_users_own_contract_is_conformant() {
    let report = judged("nothing", 0);
    assert_eq!(report.contract.id, "fault-note");
    assert_eq!(report.findings, []);
    assert_eq!((report.summary.cases.passed, report.summary.cases.total), (2, 2));
}

#[test]
fn what_breaks_the_users_own_contract_is_found_by_the_rules_that_are_there() {
    for (wrong, rule) in [
        ("code", "code/wrong"),
        ("retry", "envelope/retryability"),
        ("schema", "envelope/schema"),
        ("plain", "envelope/not-json"),
    ] {
        let report = judged(wrong, 1);
        let found: Vec<_> =
            report.findings.iter().map(|finding| (finding.rule.as_str(), finding.level)).collect();
        assert_eq!(found, [(rule, Level::Must)], "{wrong}");
        let cases: Vec<_> = report.findings[0].places.iter().flat_map(|place| &place.case).collect();
        assert_eq!(
            cases.iter().map(|case| case.0.as_str()).collect::<Vec<_>>(),
            ["read/missing-file"],
            "{wrong}"
        );
    }
}

#[test]
fn a_recording_is_judged_by_the_users_own_contract_as_the_run_was() {
    let folder = server();
    let options = "--contract ./mine --filter read/missing-* --transcript t.jsonl";
    let live = folder.judged(options, &["sh", "server.sh", "schema"]);
    // The recording has the schema in itself.
    std::fs::remove_dir_all(folder.path().join("mine")).expect("the folder is ours");
    assert_eq!(folder.rejudged(), live);
}

/// A server whose errors have the vocabulary of `tool-error`.
const TOOL_ERROR: &str = r#"
while IFS= read -r line; do
  id=${line#'{"jsonrpc":"2.0","id":'}; id=${id%%[!0-9]*}
  result() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
  case "$line" in
    *'"method":"initialize"'*) result '{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"own","version":"1"}}' ;;
    *'"method":"notifications/initialized"'*) ;;
    *'"method":"tools/list"'*) result '{"tools":[{"name":"view","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}]}' ;;
    *) result '{"isError":true,"content":[{"type":"text","text":"{\"type\":\"VALIDATION\",\"message\":\"The argument path is missing: send the path of a file.\",\"recoverable\":true}"}]}' ;;
  esac
done
"#;

#[test]
fn the_contract_whose_vocabulary_the_replies_have_is_named_in_the_first_lines_with_its_flag() {
    let folder = folder().with("server.sh", TOOL_ERROR);
    let run = "run --filter read/missing-argument --report human --report json=report.json -- sh server.sh";
    let run = folder.run_with(run, &[]);
    let report = folder.report("report.json");
    assert_eq!(
        (report.contract.id.as_str(), report.contract.looks_like.as_deref()),
        ("bracket-code", Some("tool-error"))
    );
    let text = stdout(&run);
    // The lines are as wide as the terminal.
    let first: Vec<&str> = text.lines().take(5).flat_map(str::split_whitespace).collect();
    let output = "most error replies use the codes of tool-error: `--contract tool-error` judges by that one";
    assert!(first.join(" ").contains(output), "{text}");
}

#[test]
fn with_auto_the_contract_whose_vocabulary_the_replies_have_is_judged() {
    let folder = folder().with("server.sh", TOOL_ERROR);
    let run =
        "run --contract auto --filter read/missing-argument --report human --report json=report.json --";
    let run = folder.run_with(run, &["sh", "server.sh"]);
    let report = folder.report("report.json");
    let contract = serde_json::to_value(&report.contract).expect("it is data");
    assert_eq!(contract, serde_json::json!({"id": "tool-error", "chosen": "detected", "looks_like": null}));
    assert!(stdout(&run).contains("tool-error (inferred from the replies)"), "{}", stdout(&run));
    assert!(report.findings.iter().all(|finding| finding.rule != "code/missing"), "{:?}", report.findings);
}
