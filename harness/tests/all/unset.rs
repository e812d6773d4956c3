//! `--unset`: a server that is started without one of its variables, and what it says of that.

use mcp_errconf::judge::Status;

use crate::program::{Folder, case_of, folder, stderr};

/// Needs a key: `start` says when it starts without, `call` what its tool says; either may be empty for "works without".
const SERVER: &str = r#"
start=$1 call=$2
if [ -z "$ACME_API_KEY" ] && [ -n "$start" ]; then echo "$start" >&2; exit 3; fi
result() { printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
while IFS= read -r line; do
  id=${line#'{"jsonrpc":"2.0","id":'}; id=${id%%[!0-9]*}
  case "$line" in
    *'"method":"initialize"'*) result '{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"acme","version":"1"}}' ;;
    *'"method":"notifications/initialized"'*) ;;
    *'"method":"tools/list"'*) result '{"tools":[{"name":"list_items","description":"Lists items","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"limit":{"type":"integer","minimum":1}}}}]}' ;;
    *'"name":"list_items"'*)
      if [ -z "$ACME_API_KEY" ] && [ -n "$call" ]; then
        result "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"$call\"}]}"
      else
        result '{"content":[{"type":"text","text":"one two"}]}'
      fi ;;
    *) printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32602,\"message\":\"Unknown tool\"}}" ;;
  esac
done
"#;

const CONFIGURATION: &str =
    "[server]\ncommand = [\"sh\", \"server.sh\"]\nenv = { ACME_API_KEY = \"kept-to-itself\", LOG = \"x\" }\n";

fn server() -> Folder {
    folder().with("server.sh", SERVER).with("mcp-errconf.toml", CONFIGURATION)
}

/// The case's status and the levels of what is found there.
fn judged(start: &str, call: &str, case: &str) -> (Status, Vec<String>) {
    let folder = server();
    let options = "--unset auto --confine off --contract plain --max-probes 20";
    let report = folder.judged(options, &["sh", "server.sh", start, call]);
    let case = case_of(&report, &format!("unset/ACME_API_KEY/{case}"));
    let findings = case.findings.iter().map(|index| &report.findings[*index]);
    (case.status, findings.map(|finding| format!("{} {}", finding.level, finding.rule)).collect())
}

#[test]
fn a_server_that_does_not_start_without_a_key_is_judged_by_what_it_writes() {
    const RULE: &str = "message/credential-unexplained";
    let printed = judged("ACME_API_KEY is not set: get one at https://acme.example", "", "start");
    assert_eq!(printed, (Status::Passed, Vec::new()));
    let printed = judged("TypeError: undefined is not a function", "", "start");
    assert_eq!(printed, (Status::Passed, vec![format!("should {RULE}")]));
    let printed = judged("No API key", "", "start");
    assert_eq!(printed, (Status::Passed, vec![format!("note {RULE}")]));
}

#[test]
fn a_tool_that_refuses_without_a_key_is_judged_by_its_reply() {
    const RULE: &str = "should message/credential-unexplained";
    let (status, findings) = judged("", "The service said 401, so there is no list", "list_items");
    assert_eq!(status, Status::Passed);
    assert!(findings.contains(&RULE.to_owned()), "{findings:?}");
    let (status, findings) = judged("", "Set ACME_API_KEY to a key of acme.example", "list_items");
    assert_eq!((status, findings.len()), (Status::Passed, 0), "{findings:?}");
}

#[test]
fn a_server_that_works_without_a_key_has_shown_nothing() {
    assert_eq!(judged("", "", "start"), (Status::NotJudged, Vec::new()));
}

#[test]
fn a_variable_that_is_not_there_cannot_be_left_out() {
    let run = server().run(&["run", "--unset", "NO_SUCH_VARIABLE"]).code(2);
    assert!(stderr(&run).contains("no such variable"), "{}", stderr(&run));
}
