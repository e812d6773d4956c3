//! A background task whose id stands where only programs read it.

use mcp_errconf::judge::Status;

use crate::program::folder;

/// A server that runs commands in the background, gives each an id in `structuredContent` alone, and knows its own ids.
const SERVER: &str = r#"started=0
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -z "$id" ] && continue
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"script","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"bash","description":"Runs a shell command.","inputSchema":{"type":"object","properties":{"command":{"type":"string"},"run_in_background":{"type":"boolean"}},"required":["command"]}},{"name":"task_output","description":"Tells what a background command printed.","inputSchema":{"type":"object","properties":{"task_id":{"type":"string"}},"required":["task_id"]}}]}' ;;
    *'"run_in_background":true'*) started=$((started + 1)); result="{\"content\":[{\"type\":\"text\",\"text\":\"The command runs in the background.\"}],\"structuredContent\":{\"exit_code\":null,\"task_id\":\"b-$started\"}}" ;;
    *) asked=$(printf '%s' "$line" | sed -n 's/.*"task_id":"\([^"]*\)".*/\1/p')
       result="{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"There is no task '$asked': use the task_id that bash has returned.\"}]}" ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

#[test]
fn an_id_in_the_structured_content_alone_is_sent_to_another_session() {
    let folder = folder().with("server.sh", SERVER);
    let options = "--contract plain --filter task/other-session --transcript t.jsonl";
    let report = folder.judged(options, &["sh", "server.sh"]);
    assert_eq!(report.cases[0].status, Status::Passed, "{:?}", report.cases);
    let recorded = folder.read("t.jsonl");
    assert!(recorded.contains(r#""arguments":{"task_id":"b-3"}"#), "{recorded}");
    assert_eq!(folder.rejudged(), report);
}
