//! The wire: both lifecycles, servers that do not answer as they should, and several processes at once.

use crate::program::{folder, stdout};

/// A legacy server in a shell, with one tool; `answer` is what it does with a call of the tool, `$id` being its id. The call
/// of the id `$held` it answers right after the next ping.
fn shell_server(answer: &str) -> String {
    format!(
        r#"while read -r line; do
  id=${{line#*'"id":'}}; id=${{id%%[!0-9]*}}
  case "$line" in
    *'"initialize"'*) echo '{{"jsonrpc":"2.0","id":'$id',"result":{{"protocolVersion":"2025-06-18","capabilities":{{}},"serverInfo":{{"name":"s","version":"1"}}}}}}' ;;
    *'"tools/list"'*) echo '{{"jsonrpc":"2.0","id":'$id',"result":{{"tools":[{{"name":"bash","inputSchema":{{"type":"object","properties":{{"command":{{"type":"string"}}}},"required":["command"]}}}}]}}}}' ;;
    *'"ping"'*) echo '{{"jsonrpc":"2.0","id":'$id',"result":{{}}}}'
      [ -z "$held" ] || echo '{{"jsonrpc":"2.0","id":'$held',{RESULT}}}'; held= ;;
    *'"tools/call"'*) {answer} ;;
  esac
done"#
    )
}

/// The rules that speak of one call of such a server, with their messages.
fn found(answer: &str) -> Vec<(String, String)> {
    let folder = folder();
    let server = shell_server(answer);
    let report = folder.judged("--filter shell/empty-command --timeout 1", &["bash", "-c", &server]);
    let wire = report
        .findings
        .into_iter()
        .filter(|finding| finding.rule.starts_with("wire/") || finding.rule.starts_with("liveness/"));
    wire.map(|finding| (finding.rule, finding.message)).collect()
}

/// One rule alone speaks, in these words.
fn check(answer: &str, rule: &str, words: &str) {
    let found = found(answer);
    assert!(!found.is_empty() && found.iter().all(|(id, _)| id == rule), "{answer}: {found:?}");
    assert!(found.iter().any(|(_, message)| message.contains(words)), "{answer}: {found:?}");
}

const RESULT: &str = r#""result":{"content":[{"type":"text","text":"[INVALID_INPUT] no"}],"isError":true}"#;

#[test]
fn a_call_that_is_lost_and_a_server_that_hangs_and_one_that_ends_are_distinguished() {
    check(":", "liveness/no-reply", "the call is lost");
    check("sleep 100", "liveness/no-reply", "it hangs");
    check("echo bye >&2; exit 3", "liveness/crash", "ended with status 3");
    check("kill -9 $$", "liveness/crash", "signal 9");
}

#[test]
fn a_late_reply_is_late_and_nothing_else() {
    let late = format!(r#"sleep 1.5; echo '{{"jsonrpc":"2.0","id":'$id',{RESULT}}}'"#);
    check(&late, "liveness/no-reply", "the reply came after");
    // Other requests are answered before it.
    check("held=$id", "liveness/no-reply", "the reply came after");
}

#[test]
fn an_error_without_an_id_belongs_to_the_call_that_nothing_else_answers() {
    let error = r#""error":{"code":-32600,"message":"no"}"#;
    check(
        &format!(r#"echo '{{"jsonrpc":"2.0","id":null,{error}}}'"#),
        "wire/bad-message",
        "the reply to `bash`",
    );
    let both =
        format!(r#"echo '{{"jsonrpc":"2.0",{error}}}'; echo '{{"jsonrpc":"2.0","id":'$id',{RESULT}}}'"#);
    check(&both, "wire/bad-message", "a line on standard output");
}

#[test]
fn a_reply_within_a_batch_or_over_several_lines_is_one_bad_message() {
    check(&format!(r#"echo '[{{"jsonrpc":"2.0","id":'$id',{RESULT}}}]'"#), "wire/bad-message", "JSON array");
    check(
        &format!(r#"printf '{{\n"jsonrpc":"2.0",\n"id":%s,\n%s\n}}\n' $id '{RESULT}'"#),
        "wire/bad-message",
        "spread over 5 lines",
    );
}

#[test]
fn a_server_that_asks_for_input_is_neither_right_nor_wrong() {
    let folder = folder();
    let ask =
        r#"echo '{"jsonrpc":"2.0","id":'$id',"result":{"resultType":"input_required","requestState":"x"}}'"#;
    let run = "run --filter shell/empty-command --report json=report.json -- bash -c";
    folder.run_with(run, &[&shell_server(ask)]).code(4);
    let report = folder.report("report.json");
    assert_eq!(report.summary.cases.not_judged, 1, "{:?}", report.cases);
    assert_eq!(report.findings, []);
}

#[test]
fn a_server_that_answers_nothing_at_all_costs_one_deadline_of_the_start() {
    let folder = folder();
    let run =
        folder.run(&["run", "--lifecycle", "legacy", "--", "sh", "-c", "echo oops >&2; exit 7"]).code(3);
    assert!(stdout(&run).contains("oops"), "{}", stdout(&run));
    let refused = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#;
    let run = folder.run(&["run", "--", "sh", "-c", &format!("read line; echo '{refused}'; exit 7")]).code(3);
    assert!(stdout(&run).contains("Tried again without a handshake, in a fresh process"), "{}", stdout(&run));
}

#[cfg(feature = "reference-server")]
mod reference {
    use mcp_errconf::judge::Report;
    use mcp_errconf::transcript::Lifecycle;
    use serde_json::Value;

    use crate::program::{PROGRAM, folder, stdout};

    /// A server of the reference, with its defect, in one of the ways to drive it.
    fn report(defect: &str, manner: &str) -> Report {
        let options = format!("--contract bracket-code --timeout 5 {manner}");
        let server = [PROGRAM, "serve", "--workdir", "{workspace}", "--defect", defect];
        let mut report = folder().judged(&options, &server);
        report.summary.duration_ms = 0;
        report
    }

    /// Where two reports differ: a report is too long to be printed twice. How many replies are errors is not compared, since a
    /// tool's own time limit may pass on a busy machine; every verdict and finding is.
    fn differences(one: &Report, other: &Report) -> Vec<String> {
        fn differ(at: &str, one: &Value, other: &Value, found: &mut Vec<String>) {
            match (one, other) {
                (Value::Object(one), Value::Object(other)) if one.keys().eq(other.keys()) => {
                    let compared =
                        one.iter().filter(|(name, _)| !["own", "error_replies"].contains(&name.as_str()));
                    compared.for_each(|(name, value)| {
                        differ(&format!("{at}/{name}"), value, &other[name], found);
                    });
                }
                (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
                    for (index, (value, then)) in one.iter().zip(other).enumerate() {
                        differ(&format!("{at}/{index}"), value, then, found);
                    }
                }
                _ if one == other => {}
                _ => found.push(format!("{at}: {one} | {other}").chars().take(1_000).collect()),
            }
        }
        let [one, other] = [one, other].map(|report| serde_json::to_value(report).expect("it is JSON"));
        let mut found = Vec::new();
        differ("", &one, &other, &mut found);
        found
    }

    #[test]
    fn both_lifecycles_give_the_same_verdicts() {
        for defect in ["code/missing", "liveness/crash", "channel/protocol-error"] {
            let legacy = report(defect, "--filter {read,grep,shell}/* --lifecycle legacy");
            let mut modern = report(defect, "--filter {read,grep,shell}/* --lifecycle modern");
            assert_eq!(
                (legacy.server.lifecycle, modern.server.lifecycle),
                (Lifecycle::Legacy, Lifecycle::Modern)
            );
            assert_eq!(modern.server.protocol_version, "2026-07-28");
            modern.server = legacy.server.clone();
            assert!(!legacy.findings.is_empty());
            assert_eq!(differences(&legacy, &modern), Vec::<String>::new(), "{defect}");
        }
    }

    #[test]
    fn several_processes_and_a_process_for_each_case_give_the_same_report() {
        for (defect, manner) in [
            ("code/missing", "--jobs 4"),
            ("liveness/crash", "--isolate"),
            ("effect/escaped-root", "--jobs 3 --isolate"),
        ] {
            let some = "--filter {read,replace,grep,shell}/*";
            let (one, other) = (report(defect, some), report(defect, &format!("{some} {manner}")));
            assert_eq!(differences(&one, &other), Vec::<String>::new(), "{defect} {manner:?}");
        }
    }

    #[test]
    fn without_a_handshake_a_server_is_found_where_it_refuses_one() {
        let folder = folder();
        // A server of the modern lifecycle alone: it ends at `initialize`.
        let modern = format!(
            r#"read -r first; case "$first" in *'"initialize"'*) exit 1;; esac
               {{ printf '%s\n' "$first"; cat; }} | {PROGRAM} serve --workdir "$0""#
        );
        let run = "run --filter read/missing-file --report json=report.json -- bash -c";
        let run = folder.run_with(run, &[&modern, "{workspace}"]).code(0);
        assert!(stdout(&run).is_empty());
        assert_eq!(folder.report("report.json").server.lifecycle, Lifecycle::Modern);
    }

    #[test]
    fn lines_that_no_client_may_send_are_tried_where_that_is_asked_for() {
        let report = report("liveness/lost-after-malformed", "--robustness --filter read/*");
        let tried = report.cases.iter().filter(|case| case.id.0.starts_with("malformed/")).count();
        assert!(tried > 5, "{tried}");
        assert_eq!(report.summary.findings.must, 0);
        assert_eq!(report.findings[0].rule, "liveness/lost-after-malformed");
        assert_eq!(report.findings[0].sent, "this is no JSON");
        let without = super::reference::report("liveness/lost-after-malformed", "--filter read/*");
        assert_eq!(without.findings, []);
    }
}
