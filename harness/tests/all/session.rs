//! What a session does with servers that are not like ours: scripts that answer as some real ones do.

use mcp_errconf::finding::{FindingPlace, Shared};

use crate::program::{Folder, case_of, first_of, folder, rules_of, stdout};

/// A server in `sh`. It answers `initialize`, and every other line by `answer`, in which `$line` and `$id` stand.
fn server(answer: &str) -> Folder {
    let script = format!(
        r#"
say() {{ printf '%s\n' "$1"; }}
result() {{ say "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}}"; }}
tool() {{ printf '{{"name":"%s","inputSchema":{{"type":"object","properties":{{"%s":{{"type":"string"}}}},"required":["%s"]}}}}' "$1" "$2" "$2"; }}
refuse() {{ result "{{\"isError\":true,\"content\":[{{\"type\":\"text\",\"text\":\"$1\"}}]}}"; }}
accept() {{ result '{{"content":[{{"type":"text","text":"done"}}]}}'; }}
while IFS= read -r line; do
  id=${{line#'{{"jsonrpc":"2.0","id":'}}; id=${{id%%[!0-9]*}}
  case "$line" in
    *'"method":"initialize"'*) result '{{"protocolVersion":"2025-06-18","capabilities":{{}},"serverInfo":{{"name":"scripted","version":"1"}}}}' ;;
    *'"method":"notifications/initialized"'*) ;;
    {answer}
  esac
done
"#
    );
    folder().with("server.sh", &script)
}

/// The report of a run on such a server, of one case.
fn judged(folder: &Folder, case: &str, exit_code: i32) -> mcp_errconf::judge::Report {
    let run = "run --report json=report.json --timeout 5 --filter";
    folder.run_with(run, &[case, "--", "sh", "server.sh"]).code(exit_code);
    folder.report("report.json")
}

#[test]
fn tools_are_listed_over_all_pages_and_a_cursor_that_comes_again_ends_them() {
    let folder = server(
        r#"*'"cursor":"two"'*) result "{\"tools\":[$(tool bash command)],\"nextCursor\":\"two\"}" ;;
    *'"method":"tools/list"'*) result "{\"tools\":[$(tool view path)],\"nextCursor\":\"two\"}" ;;
    *) refuse 'no' ;;"#,
    );
    let report = judged(&folder, "protocol/unknown-tool", 0);
    let tools: Vec<&str> = report.bindings.iter().map(|binding| binding.tool.as_str()).collect();
    assert_eq!(tools, ["bash", "view"]);
}

#[test]
fn requests_of_the_server_are_answered_while_a_call_is_in_flight() {
    let folder = server(
        r#"*'"method":"tools/list"'*) result "{\"tools\":[$(tool view path)]}" ;;
    *'"method":"tools/call"'*)
      say '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
      say '{"jsonrpc":"2.0","id":"ask-1","method":"ping"}'
      say '{"jsonrpc":"2.0","id":"ask-2","method":"roots/list"}'
      say '{"jsonrpc":"2.0","id":"ask-3","method":"sampling/createMessage"}'
      IFS= read -r one; IFS= read -r two; IFS= read -r three
      printf '%s\n%s\n%s\n' "$one" "$two" "$three" > answers.txt
      refuse '[INVALID_INPUT] There is no such tool. Call view.' ;;"#,
    );
    judged(&folder, "protocol/unknown-tool", 0);
    let answers = folder.read("answers.txt");
    let answers: Vec<serde_json::Value> =
        answers.lines().map(|line| serde_json::from_str(line).expect("each is a message")).collect();
    assert_eq!(answers[0], serde_json::json!({"jsonrpc": "2.0", "id": "ask-1", "result": {}}));
    let uri = answers[1]["result"]["roots"][0]["uri"].as_str().expect("a root");
    assert!(uri.starts_with("file:///") && uri.ends_with("/workspace"), "{uri}");
    assert_eq!(answers[2]["error"]["code"], -32601);
}

#[test]
fn a_server_that_lists_no_tool_could_not_be_exercised() {
    let folder = server(r#"*'"method":"tools/list"'*) result '{"tools":[]}' ;;"#);
    let report = judged(&folder, "protocol/unknown-tool", 3);
    assert_eq!(report.summary.calls, 0);
}

#[test]
fn a_version_that_we_do_not_speak_could_not_be_exercised() {
    let script =
        r#"read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"1999-01-01"}}'; sleep 60"#;
    let folder = folder().with("server.sh", script);
    let run = folder.run(&["run", "--", "sh", "server.sh"]).code(3);
    assert!(stdout(&run).contains("\"1999-01-01\""));
}

#[test]
fn what_is_no_message_is_reported_and_the_call_goes_on() {
    let folder = server(
        r#"*'"method":"tools/list"'*) result "{\"tools\":[$(tool view path)]}" ;;
    *'"method":"tools/call"'*)
      say 'WARN about to refuse'
      say '{"jsonrpc":"2.0","result":{}}'
      refuse '[INVALID_INPUT] There is no such tool. Call view.' ;;"#,
    );
    let report = judged(&folder, "protocol/unknown-tool", 1);
    assert_eq!(rules_of(&report), ["wire/bad-message", "wire/stdout-noise"]);
}

#[test]
fn after_a_crash_the_rest_goes_on_in_a_new_process() {
    let folder = server(
        r#"*'"method":"tools/list"'*) result "{\"tools\":[$(tool view path)]}" ;;
    *absent*) echo 'out of memory' >&2; exit 7 ;;
    *no_such_tool*) refuse '[INVALID_INPUT] There is no such tool. Call view.' ;;
    *) accept ;;"#,
    );
    let report = judged(&folder, "{read/missing-file,protocol/unknown-tool}", 1);
    let crash = first_of(&report, "liveness/crash");
    assert!(crash.message.contains("status 7"), "{}", crash.message);
    assert!(crash.evidence.as_ref().is_some_and(|evidence| evidence.text.contains("out of memory")));
    let of = |id: &str| case_of(&report, id).status;
    assert_eq!(of("read/missing-file"), mcp_errconf::judge::Status::Errored);
    assert_eq!(report.summary.error_replies, 1, "the unknown tool was asked for in another process");
}

#[test]
fn a_server_that_answers_nothing_more_does_not_cost_every_call_its_time() {
    let folder = server(
        r#"*'"method":"tools/list"'*) result "{\"tools\":[$(tool view path)]}" ;;
    *) ;;"#,
    );
    let report = folder.judged("--timeout 1", &["sh", "server.sh", "{workspace}"]);
    let unanswered = first_of(&report, "liveness/no-reply");
    assert!(unanswered.places.len() <= 4, "{} calls were left unanswered", unanswered.places.len());
    let withheld = |case: &&mcp_errconf::judge::CaseVerdict| {
        case.reason.as_deref().is_some_and(|reason| reason.starts_with("withheld"))
    };
    assert!(report.cases.iter().any(|case| withheld(&case)));
}

#[test]
fn a_control_that_did_not_do_what_it_was_asked_for_grounds_no_verdict() {
    let folder = server(
        r#"*'"method":"tools/list"'*) result "{\"tools\":[$(tool bash command)]}" ;;
    *'"method":"tools/call"'*) result '{"content":[{"type":"text","text":"The operator ; is out of bounds here."}]}' ;;"#,
    );
    let report = judged(&folder, "shell/exit-false", 4);
    assert_eq!(report.findings, []);
    assert_eq!(report.cases[0].status, mcp_errconf::judge::Status::NotJudged);
    let reason = report.cases[0].reason.as_deref().expect("it has a reason");
    assert!(reason.contains("The operator ; is out of bounds here."), "{reason}");
}

#[test]
fn a_control_that_wrote_nothing_that_this_program_sees_grounds_no_verdict() {
    let folder = server(
        r#"*'"method":"tools/list"'*) result '{"tools":[{"name":"write_file","description":"Writes a file","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}}]}' ;;
    *'"method":"tools/call"'*) result '{"content":[{"type":"text","text":"Wrote 12 bytes."}]}' ;;"#,
    );
    let report = judged(&folder, "write/onto-directory", 4);
    assert_eq!(report.findings, []);
    assert_eq!(report.cases[0].status, mcp_errconf::judge::Status::NotJudged);
    let reason = report.cases[0].reason.as_deref().expect("it has a reason");
    assert!(reason.contains("the control succeeded but changed no file"), "{reason}");
}

#[test]
fn a_glob_that_only_some_dialects_refuse_may_be_accepted_where_no_contract_is_declared() {
    let folder = server(
        r#"*'"method":"tools/list"'*) result '{"tools":[{"name":"glob","description":"Finds files by name","inputSchema":{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string"}},"required":["pattern"]}}]}' ;;
    *) result '{"content":[{"type":"text","text":"fruit.txt"}]}' ;;"#,
    );
    let report = judged(&folder, "glob/invalid-pattern", 4);
    assert_eq!(report.findings, []);
}

#[test]
fn a_reply_that_its_refused_control_gave_too_is_not_judged() {
    let folder = server(
        r#"*'"method":"tools/list"'*) result "{\"tools\":[$(tool view path)]}" ;;
    *) refuse '[INVALID_INPUT] The store is not ready.' ;;"#,
    );
    let report = judged(&folder, "read/missing-argument", 4);
    assert_eq!(report.findings, []);
}

#[test]
fn a_protocol_error_that_its_refused_control_was_too_is_judged_as_that_alone() {
    let folder = server(
        r#"*'"method":"tools/list"'*) result "{\"tools\":[$(tool view path)]}" ;;
    *) say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32000,\"message\":\"The store is not ready.\"}}" ;;"#,
    );
    let report = judged(&folder, "read/missing-argument", 4);
    assert_eq!(rules_of(&report), ["channel/protocol-error"]);
}

#[test]
fn a_tool_that_reads_and_refuses_absolute_paths_is_judged_by_relative_ones() {
    let folder = server(
        r#"*'"method":"tools/list"'*) result "{\"tools\":[$(tool view path)]}" ;;
    *'"path":"/'*) refuse '[ACCESS_DENIED] Absolute paths are not taken. Give one below the root.' ;;
    *present.txt*) result '{"content":[{"type":"text","text":"green apple"}]}' ;;
    *)
      path=$(printf '%s' "$line" | sed -n 's/.*"path":"\([^"]*\)".*/\1/p')
      refuse "[PATH_NOT_FOUND] '$path' does not exist. List its folder first." ;;"#,
    );
    let report = judged(&folder, "read/missing-file", 0);
    assert_eq!(report.findings, []);
    assert_eq!(report.cases[0].status, mcp_errconf::judge::Status::Passed);
    // The control that was refused, the one that taught it, the call, and what a reader makes of its message.
    assert_eq!(report.summary.calls, 4);
}

#[test]
fn what_a_tool_says_of_every_call_is_not_held_against_its_probes() {
    let folder = server(
        r#"*'"method":"tools/list"'*) result "{\"tools\":[$(tool view path)]}" ;;
    *) refuse '[IO_ERROR] The program that this tool runs is not installed.' ;;"#,
    );
    let report = judged(&folder, "probe/**", 4);
    assert!(report.summary.error_replies > 2, "{:?}", report.summary);
    assert_eq!(rules_of(&report), [""; 0]);
}

#[test]
fn a_call_that_is_answered_late_is_slow_and_not_lost() {
    let folder = server(
        r#"*'"method":"tools/list"'*) result "{\"tools\":[$(tool view path)]}" ;;
    *'"method":"tools/call"'*) sleep 4; refuse 'There is no such tool. Call view.' ;;
    *) result '{}' ;;"#,
    );
    let options = "--confine off --timeout 1 --filter protocol/unknown-tool";
    let report = folder.judged(options, &["sh", "server.sh"]);
    let late = first_of(&report, "liveness/no-reply");
    assert_eq!(late.level, mcp_errconf::finding::Level::Note);
    assert!(late.message.contains("answered nothing else meanwhile"), "{}", late.message);
}

#[test]
fn an_error_object_in_a_success_is_reported_beside_a_call_that_succeeds_though_nothing_forbids_the_value() {
    let folder = server(
        r#"*'"method":"tools/list"'*) result "{\"tools\":[$(tool hash_text text)]}" ;;
    *'"text":"no-such'*) result '{"content":[{"type":"text","text":"{\"errore\":\"valore non valido\"}"}]}' ;;
    *'"text":"'*) result '{"content":[{"type":"text","text":"{\"hash\":\"1a2b\"}"}]}' ;;
    *) refuse 'text is required' ;;"#,
    );
    let report = folder.judged("--filter probe/**", &["sh", "server.sh"]);
    let output: Vec<_> = report.findings.iter().map(|finding| (&*finding.rule, finding.level)).collect();
    assert!(output.contains(&("channel/disguised-error", mcp_errconf::finding::Level::Must)), "{output:?}");
}

#[test]
fn a_server_that_keeps_problem_details_in_all_but_the_flag_is_reported_so_once() {
    let folder = server(
        r#"*'"method":"tools/list"'*) result "{\"tools\":[$(tool view path),$(tool blame file)]}" ;;
    *present.txt*) result '{"content":[{"type":"text","text":"{\"path\":\"present.txt\",\"content\":\"green apple\"}"}]}' ;;
    *)
      said='The file does not exist. List its folder first.'
      problem="{\\\"type\\\":\\\"urn:x:file-not-found\\\",\\\"title\\\":\\\"Not found\\\",\\\"status\\\":404,\\\"detail\\\":\\\"$said\\\",\\\"instance\\\":\\\"urn:x:view\\\",\\\"code\\\":\\\"file-not-found\\\",\\\"extensions\\\":{}}"
      result "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"path\\\":\\\"\\\",\\\"content\\\":\\\"\\\",\\\"error\\\":\\\"$said\\\",\\\"problem\\\":$problem}\"}]}" ;;"#,
    );
    let report = folder.judged("--contract auto", &["sh", "server.sh"]);
    assert_eq!(report.contract.id, "problem-details", "it is recognised");
    let unflagged = report.findings.iter().filter(|finding| finding.rule == "channel/disguised-error");
    let [finding] = unflagged.collect::<Vec<_>>()[..] else { panic!("{:#?}", report.findings) };
    assert_eq!(finding.cause.as_ref().map(|cause| cause.shared), Some(Shared::Server));
    let of_view = |place: &FindingPlace| place.tool.as_deref() == Some("view");
    assert!(finding.tool.is_none() && finding.places.iter().any(of_view), "{finding:#?}");
    assert!(report.summary.error_replies > 2, "{:?}", report.summary);
}
