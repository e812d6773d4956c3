//! A background task whose id stands where only programs read it.

use mcp_errconf::judge::Status;

use crate::program::{Folder, folder};

/// A server that runs commands in the background, gives each an id in `structuredContent` alone, and knows its own ids.
const SERVER: &str = r#"started=0
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
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

fn served() -> Folder {
    folder().with("server.sh", SERVER)
}

#[test]
fn an_id_in_the_structured_content_alone_is_sent_to_another_session() {
    let folder = served();
    let run = ["run", "--contract", "plain", "--filter", "task/other-session", "--transcript", "t.jsonl"];
    let report = ["--report", "json=report.json", "--", "sh", "server.sh"];
    folder.run(&[&run[..], &report].concat()).code(0);
    let cases = folder.report("report.json").cases;
    assert_eq!(cases[0].status, Status::Passed, "{cases:?}");
    let recorded = std::fs::read_to_string(folder.path().join("t.jsonl")).expect("it was recorded");
    assert!(recorded.contains(r#""arguments":{"task_id":"b-3"}"#), "{recorded}");
    folder.run(&["judge", "t.jsonl", "--report", "json=again.json"]).code(0);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("it is there");
    assert_eq!(read("report.json"), read("again.json"));
}
