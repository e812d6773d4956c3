//! A server whose tools refuse every call that a schema suggests, and say what they want: a run goes by it.

/// `read_page` wants one of two pages, and `open_book` called before it in the same process.
const BOOK: &str = r#"opened=
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
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

#[test]
fn what_refusals_say_leads_to_calls_that_succeed_and_is_told_with_its_words() {
    let folder = crate::program::folder().with("server.sh", BOOK);
    let run =
        ["run", "--contract", "plain", "--filter", "probe/*", "--confine", "off", "--transcript", "t.jsonl"];
    let forms = ["-v", "--report", "json=report.json", "--report", "human", "--", "sh", "server.sh"];
    let told = crate::program::stdout(&folder.run(&[&run[..], &forms[..]].concat()));
    let report = folder.report("report.json");
    let tool = |name: &str| report.tools.iter().find(|tool| tool.name == name).expect("it is one of them");
    let (open, read) = (tool("open_book"), tool("read_page"));
    assert_eq!(open.valid, Some(serde_json::json!({"name": "atlas"})), "{told}");
    assert_eq!(open.words.as_deref(), Some("The name must be one of 'atlas', 'bible'"), "{told}");
    assert_eq!(read.valid, Some(serde_json::json!({"page": "front"})), "{told}");
    assert_eq!(read.words.as_deref(), Some("Available pages: front, back"), "{told}");
    assert!(read.judged > 0 && read.why.is_none(), "{told}");
    assert!(told.contains("learnt from refusals: 2 calls that succeed"), "{told}");
    let all = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(all.contains(r#"read_page {"page":"front"}, by: Available pages: front, back"#), "{told}");
    folder.run(&["judge", "t.jsonl", "--report", "json=again.json"]);
    assert_eq!(folder.report("again.json"), report, "a recording says the same");
}
