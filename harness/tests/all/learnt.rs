//! A server whose tools refuse every call that a schema suggests, and say what they want: a run goes by it.

use mcp_errconf::judge::Report;

use crate::program::{Folder, folder, in_one_line, stdout, tool_of};

/// `read_page` wants one of two pages, and `open_book` called before it in the same process.
pub(crate) const BOOK: &str = r#"opened=
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -z "$id" ] && continue
  say() { result="{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"book","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"open_book","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}},{"name":"read_page","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"page":{"type":"string"}},"required":["page"]}}]}' ;;
    *open_book*'"name":"atlas"'*) opened=1; result='{"content":[{"type":"text","text":"open"}]}' ;;
    *open_book*) say "Unknown book. The name must be one of 'atlas', 'bible'." ;;
    *read_page*) if [ -z "$opened" ]; then say 'No book is open. Use open_book first.'; else case "$line" in
      *'"page":"front"'*) result='{"content":[{"type":"text","text":"a map"}]}' ;;
      *) say "There is no such page. Available pages: front, back." ;;
    esac; fi ;;
    *) result='{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// What people read of a run of the probes alone, and its report.
fn probed(folder: &Folder, options: &str) -> (String, Report) {
    let run =
        format!("run --contract plain --filter probe/* --report json=report.json --report human {options}");
    let output = stdout(&folder.run_with(&run, &["--", "sh", "server.sh"]));
    (output, folder.report("report.json"))
}

#[test]
fn what_refusals_say_leads_to_calls_that_succeed_and_is_reported_with_its_words() {
    let folder = folder().with("server.sh", BOOK);
    let (output, report) = probed(&folder, "--confine off --transcript t.jsonl -v");
    let (open, read) = (tool_of(&report, "open_book"), tool_of(&report, "read_page"));
    assert_eq!(open.valid, Some(serde_json::json!({"name": "atlas"})), "{output}");
    assert_eq!(open.words.as_deref(), Some("The name must be one of 'atlas', 'bible'"), "{output}");
    assert_eq!(read.valid, Some(serde_json::json!({"page": "front"})), "{output}");
    assert_eq!(read.words.as_deref(), Some("Available pages: front, back"), "{output}");
    assert!(read.judged > 0 && read.why.is_none(), "{output}");
    assert!(output.contains("learnt from refusals: 2 calls that succeed"), "{output}");
    let all = in_one_line(&output);
    assert!(all.contains(r#"read_page {"page":"front"}, by: Available pages: front, back"#), "{output}");
    assert_eq!(folder.rejudged(), report, "a recording says the same");
}

/// The server with `delete_page`, which refuses every call.
fn book_that_deletes() -> String {
    let end = r#""required":["page"]}}]}'"#;
    let listed = r#""required":["page"]}},{"name":"delete_page","inputSchema":{"type":"object","properties":{"page":{"type":"string"}},"required":["page"]}}]}'"#;
    let refused = "*delete_page*) say 'This page stays.' ;;\n    *open_book*) say";
    BOOK.replacen(end, listed, 1).replacen("*open_book*) say", refused, 1)
}

#[test]
fn a_tool_that_may_delete_gets_the_users_call_alone_and_nothing_that_another_tool_took() {
    let config = "[tools.delete_page]\nvalid = { page = \"mine\" }\n";
    let folder = folder().with("server.sh", &book_that_deletes()).with("mcp-errconf.toml", config);
    let (output, report) = probed(&folder, "--confine off --transcript t.jsonl");
    let read = tool_of(&report, "read_page");
    assert_eq!(
        read.valid,
        Some(serde_json::json!({"page": "front"})),
        "there is a value to take over: {output}"
    );
    let recording = folder.read("t.jsonl");
    let calls: Vec<serde_json::Value> = recording
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a line is JSON"))
        .map(|line| line["exchange"]["call"].clone())
        .filter(|call| call["tool"] == "delete_page")
        .collect();
    assert!(!calls.is_empty(), "{output}");
    for call in calls {
        let page = &call["arguments"]["page"];
        assert!(!page.is_string() || page == "mine", "{call}");
    }
}

/// A server with these tools, and the branches of a shell's `case` that answer a call. What no branch takes is refused.
fn answering(tools: &str, branches: &str) -> String {
    format!(
        r#"while read -r line; do
  id=${{line#*'"id":'}}; id=${{id%%[!0-9]*}}
  [ -z "$id" ] && continue
  say() {{ result="{{\"content\":[{{\"type\":\"text\",\"text\":\"$1\"}}]}}"; }}
  case "$line" in
    *'"initialize"'*) result='{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"learnt","version":"1"}}}}' ;;
    *'"tools/list"'*) result='{{"tools":{tools}}}' ;;
{branches}    *) result='{{"isError":true,"content":[{{"type":"text","text":"That did not work."}}]}}' ;;
  esac
  printf '{{"jsonrpc":"2.0","id":%s,"result":%s}}\n' "$id" "$result"
done
"#
    )
}

/// `list_clusters` lists what the others take: under a related name, by a description alone, and in an item of a list.
const CLUSTERS: &str = r#"[{"name":"list_clusters","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{}}},{"name":"get_report","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"cluster_identifier":{"type":"string"}},"required":["cluster_identifier"]}},{"name":"look_at","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"target":{"type":"string","description":"One from list_clusters"}},"required":["target"]}},{"name":"preview","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"changes":{"type":"array","items":{"type":"object","properties":{"cluster":{"type":"string"}},"required":["cluster"]}}},"required":["changes"]}}]"#;

#[test]
fn what_a_tool_lists_is_tried_wherever_it_may_be_meant() {
    let branches = r#"    *'"name":"list_clusters"'*) say '{\"clusters\":[\"analytics\"]}' ;;
    *'"tools/call"'*'"analytics"'*) say '3 notes' ;;
"#;
    let folder = folder().with("server.sh", &answering(CLUSTERS, branches));
    let (output, report) = probed(&folder, "--confine off");
    for (tool, valid) in [
        ("get_report", serde_json::json!({"cluster_identifier": "analytics"})),
        ("look_at", serde_json::json!({"target": "analytics"})),
        ("preview", serde_json::json!({"changes": [{"cluster": "analytics"}]})),
    ] {
        assert_eq!(tool_of(&report, tool).valid, Some(valid), "{tool}: {output}");
    }
}

/// What `open_game` and `save_board` make is told in their replies alone: an id beside other pairs, and the name of a file.
const GAME: &str = r#"[{"name":"open_game","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}},{"name":"show_move","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"game_id":{"type":"string"},"side":{"type":"string"}},"required":["game_id"]}},{"name":"find_best","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"depth":{"type":"integer"},"game_id":{"type":"string"}},"required":["depth"]}},{"name":"save_board","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}},{"name":"show_board","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"board_file":{"type":"string"}},"required":["board_file"]}}]"#;

#[test]
fn an_id_and_a_file_that_a_reply_names_are_tried_with_nothing_but_what_is_required() {
    let branches = r#"    *open_game*) say 'Opened (game id: quiet-fox, side: white)' ;;
    *save_board*) say 'Saved as board.svg.' ;;
    *show_move*'{"game_id":"quiet-fox"}'* | *find_best*'"quiet-fox"'* | *show_board*'"board.svg"'*) say 'Knight to f3' ;;
"#;
    let folder = folder().with("server.sh", &answering(GAME, branches));
    let (output, report) = probed(&folder, "--confine off");
    for (tool, valid) in [
        ("show_move", serde_json::json!({"game_id": "quiet-fox"})),
        ("find_best", serde_json::json!({"depth": 1, "game_id": "quiet-fox"})),
        ("show_board", serde_json::json!({"board_file": "board.svg"})),
    ] {
        assert_eq!(tool_of(&report, tool).valid, Some(valid), "{tool}: {output}");
    }
}

/// Answers eight calls in each process, and no more.
const LIMITED: &str = r#"count=0
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -z "$id" ] && continue
  say() { result="{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"limited","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"count_words","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"text":{"type":"string"},"least":{"type":"integer","minimum":1},"most":{"type":"integer","minimum":1}},"required":["text","least","most"]}}]}' ;;
    *'"tools/call"'*) count=$((count + 1))
      if [ "$count" -gt 8 ]; then say 'Rate limit exceeded: 8 requests per minute'; else case "$line" in
        *'"text":"alpha","least":1,"most":1}'*) result='{"content":[{"type":"text","text":"1"}]}' ;;
        *) say "Invalid arguments: text must be a string, least and most must be integers of at least 1." ;;
      esac; fi ;;
    *) result='{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

#[test]
fn a_server_that_limits_its_calls_is_judged_to_the_end_with_fresh_processes() {
    let folder = folder().with("server.sh", LIMITED);
    let (output, report) = probed(&folder, "--confine off");
    let tool = &report.tools[0];
    assert!(tool.planned > 8, "it takes more than one process: {output}");
    assert_eq!((tool.judged, tool.why.as_deref()), (tool.planned, None), "{output}");
    assert!(!output.contains("Rate limit"), "{output}");
}

#[test]
fn a_limit_that_outlives_its_process_is_told_at_the_top_and_judged_nowhere() {
    let counted = LIMITED.replace(
        "count=$((count + 1))",
        "count=$(($(cat count 2>/dev/null || echo 0) + 1)); echo $count >count",
    );
    let folder = folder().with("server.sh", &counted);
    let (output, report) = probed(&folder, "--confine off");
    assert!(output.contains("limit     the run used up the server's own limit on calls"), "{output}");
    assert_eq!(report.findings, [], "{output}");
}

/// `save_copy` comes before `load_shelf` in a run and needs it; `export_entry` comes after it, needs it too and does not say so.
/// Every shelf can be loaded, but there is something on one alone.
const SHELF: &str = r#"loaded=
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -z "$id" ] && continue
  say() { result="{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  done_so='{"content":[{"type":"text","text":"done"}]}'
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shelf","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"save_copy","inputSchema":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}},{"name":"load_shelf","inputSchema":{"type":"object","properties":{"shelf":{"type":"string","default":"maps"}},"required":["shelf"]}},{"name":"export_entry","inputSchema":{"type":"object","properties":{"entry":{"type":"string"}},"required":["entry"]}}]}' ;;
    *load_shelf*'"shelf":"maps"'*) loaded=1; result="$done_so" ;;
    *load_shelf*) loaded=; result="$done_so" ;;
    *save_copy*'"title":""'* | *export_entry*'"entry":""'*) say 'It must not be empty.' ;;
    *save_copy*'"title":"'*) if [ "$loaded" ]; then result="$done_so"; else say 'No shelf is loaded. Use load_shelf first.'; fi ;;
    *export_entry*'"entry":"'*) if [ "$loaded" ]; then result="$done_so"; else say 'There is nothing to do.'; fi ;;
    *'"tools/call"'*) say 'It must be text.' ;;
    *) result='{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

#[test]
fn what_another_tool_prepared_is_prepared_again_where_it_was_unknown_then_or_was_undone_since() {
    let folder = folder().with("server.sh", SHELF);
    let (output, report) = probed(&folder, "--allow-destructive --transcript t.jsonl");
    for tool in &report.tools {
        assert!(tool.valid.is_some() && tool.judged == tool.planned, "{tool:?}: {output}");
    }
    let recording = folder.read("t.jsonl");
    let prepared: Vec<String> = recording
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a line is JSON"))
        .filter(|line| line["exchange"]["place"]["step"] == "prepare")
        .map(|line| line["exchange"]["place"]["case"].to_string())
        .collect();
    for tool in ["save_copy", "export_entry"] {
        assert!(prepared.iter().any(|case| case.contains(tool)), "{tool}: {prepared:?}");
    }
}
