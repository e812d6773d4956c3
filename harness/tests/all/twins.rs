//! A suspicious reply is asked for once more with another value, and what changes with the value is no finding.

use mcp_errconf::judge::Report;

use crate::program::folder;

/// A server that tells the name that was not found as its environment's command turns it.
const SERVER: &str = r#"while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -z "$id" ] && continue
  name=$(printf '%s' "$line" | sed -n 's/.*"path": *"[^"]*\/\([^"\/]*\)".*/\1/p' | $TURN)
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"script","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"read_file","description":"Reads a text file.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}]}' ;;
    *present*) result='{"content":[{"type":"text","text":"green apple"}]}' ;;
    *) result="{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"[PATH_NOT_FOUND] There is nothing called '$name': check the path.\"}]}" ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// The report of a run, the names of the rules that it found broken, and how many twins were sent.
fn run(turn: &str) -> (Report, Vec<String>, usize) {
    let folder = folder().with("server.sh", SERVER);
    let turn = format!("TURN={turn}");
    let options = "--contract bracket-code --filter read/missing-file --transcript t.jsonl";
    let report = folder.judged(options, &["env", &turn, "sh", "server.sh"]);
    assert_eq!(folder.rejudged(), report, "a recording says the same");
    let rules = report.findings.iter().map(|finding| finding.rule.clone()).collect();
    let transcript = folder.read("t.jsonl");
    let twins = transcript.lines().filter(|line| line.contains(r#""step":"twin""#)).count();
    (report, rules, twins)
}

#[test]
fn a_value_that_comes_back_as_it_was_sent_or_in_another_case_costs_no_call() {
    for turn in ["cat", "tr a-z A-Z"] {
        let (report, rules, twins) = run(turn);
        assert_eq!((rules.len(), twins), (0, 0), "{turn}: {report:?}");
    }
}

#[test]
fn a_value_that_comes_back_altered_is_recognised_as_it_changes_with_the_twin() {
    let (report, rules, twins) = run("tr . -");
    assert_eq!((rules.len(), twins), (0, 1), "{report:?}");
    assert_eq!(report.summary.error_replies, 1, "a twin's reply is none of its own");
}

#[test]
fn a_value_that_does_not_come_back_is_missing_whatever_is_sent() {
    let (report, rules, twins) = run("true");
    assert_eq!((rules, twins), (vec!["message/value-missing".to_owned()], 1), "{report:?}");
}
