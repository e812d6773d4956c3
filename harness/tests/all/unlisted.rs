//! A value that a description does not list, and that a tool takes as one that it lists.

use mcp_errconf::judge::Report;

use crate::program::folder;

/// A table in several forms, and a setting of which another tool tells. `$1` is `strict` where an unknown value is refused, and
/// otherwise the first one is taken. A status that is unknown selects nothing.
const TABLE: &str = r#"mode=fast
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  [ -n "$id" ] || continue
  sent() { printf '%s' "$line" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
  say() { result="{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  refuse() { result="{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  unknown() { if [ "$manner" = strict ]; then refuse "'$1' must be one of $2."; else say "$3"; fi; }
  manner=$1
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"table","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[
      {"name":"show_table","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"form":{"type":"string","description":"How to show it: rows, columns or tree"}},"required":["form"]}},
      {"name":"find_rows","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"status":{"type":"string","description":"open or done"}},"required":["status"]}},
      {"name":"show_shade","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"shade":{"type":"string","description":"A shade, such as red, green or blue"}},"required":["shade"]}},
      {"name":"get_mode","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{}}},
      {"name":"set_mode","inputSchema":{"type":"object","properties":{"mode":{"type":"string","description":"One of fast (default), exact"}},"required":["mode"]}}]}'
      result=$(printf '%s' "$result" | tr -d '\n') ;;
    *'"show_table"'*) case "$(sent form)" in
      "") refuse "'form' must be one of rows, columns, tree." ;;
      rows) say "1 2" ;; columns) say "1|2" ;; tree) say "1 - 2" ;; *) unknown form "rows, columns, tree" "1 2" ;; esac ;;
    *'"find_rows"'*) if [ -z "$(sent status)" ]; then refuse "'status' must be open or done."; elif [ "$(sent status)" = open ]; then say "row 7"; else say "No rows."; fi ;;
    *'"show_shade"'*) if [ "$(sent shade)" = green ]; then say "a shade of green"; else say "a shade of grey"; fi ;;
    *'"get_mode"'*) say "mode: $mode" ;;
    *'"set_mode"'*) new=$(sent mode)
      case "$new" in "") refuse "'mode' must be one of fast, exact." ;; fast | exact) mode=$new; say "Saved." ;; *) [ "$manner" = strict ] || mode=fast; unknown mode "fast, exact" "Saved." ;; esac ;;
    *) result='{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;

/// The cases in which a value is taken as another one, with the messages.
fn taken(manner: &str) -> Vec<(String, String)> {
    let folder = folder();
    let run = ["run", "--contract", "plain", "--report", "json=report.json", "--transcript", "t.jsonl"];
    let _ = folder.run(&[&run[..], &["--", "bash", "-c", TABLE, "table", manner]].concat());
    folder.run(&["judge", "t.jsonl", "--report", "json=again.json"]);
    assert_eq!(folder.report("report.json"), folder.report("again.json"), "a recording says the same");
    let report: Report = folder.report("report.json");
    for name in ["show_table/form", "find_rows/status", "show_shade/shade", "set_mode/mode"] {
        let id = format!("probe/{name}/unlisted");
        assert!(report.cases.iter().any(|case| case.id.0 == id), "{id} was not sent");
    }
    let accepted = report.findings.into_iter().filter(|found| found.rule == "channel/accepted-bad-input");
    let mut taken: Vec<(String, String)> = accepted
        .filter_map(|found| Some((found.case?.0, found.message)))
        .filter(|(case, _)| case.ends_with("/unlisted"))
        .collect();
    taken.sort();
    taken
}

#[test]
fn an_unknown_value_that_is_taken_as_a_listed_one_is_reported_once_other_values_have_other_replies() {
    let of = |tool: &str, name: &str, first: &str| {
        let message = format!("`{tool}` silently takes an unknown `{name}` as \"{first}\"");
        (format!("probe/{tool}/{name}/unlisted"), message)
    };
    assert_eq!(taken("loose"), [of("set_mode", "mode", "fast"), of("show_table", "form", "rows")]);
}

#[test]
fn an_unknown_value_that_is_refused_that_selects_nothing_or_of_which_there_may_be_more_is_not_reported() {
    assert_eq!(taken("strict"), []);
}
