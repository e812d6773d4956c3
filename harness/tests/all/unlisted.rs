//! A value that a description does not list, or that is no date, and that a tool takes as one that is valid or as none.

use crate::program::{case_of, folder};

/// A table in several forms, and a setting of which another tool tells. `$1` is `strict` where an unknown value is refused, and
/// otherwise the first one is taken. A status that is unknown selects nothing.
const TABLE: &str = r#"mode=fast
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
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
      {"name":"list_rows","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"since":{"type":"string","format":"date"}}}},
      {"name":"show_shade","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"shade":{"type":"string","description":"A shade, such as red, green or blue"}},"required":["shade"]}},
      {"name":"get_mode","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{}}},
      {"name":"set_mode","inputSchema":{"type":"object","properties":{"mode":{"type":"string","description":"One of fast (default), exact"}},"required":["mode"]}}]}'
      result=$(printf '%s' "$result" | tr -d '\n') ;;
    *'"show_table"'*) case "$(sent form)" in
      "") refuse "'form' must be one of rows, columns, tree." ;;
      rows) say "1 2" ;; columns) say "1|2" ;; tree) say "1 - 2" ;; *) unknown form "rows, columns, tree" "1 2" ;; esac ;;
    *'"find_rows"'*) if [ -z "$(sent status)" ]; then refuse "'status' must be open or done."; elif [ "$(sent status)" = open ]; then say "row 7"; else say "No rows."; fi ;;
    *'"list_rows"'*) case "$(sent since)" in "" | 1900-*) say "row 7" ;; 2[09]*) say "No rows." ;; *) unknown since "a date" "row 7" ;; esac ;;
    *'"show_shade"'*) if [ "$(sent shade)" = green ]; then say "a shade of green"; else say "a shade of grey"; fi ;;
    *'"get_mode"'*) say "mode: $mode" ;;
    *'"set_mode"'*) new=$(sent mode)
      case "$new" in "") refuse "'mode' must be one of fast, exact." ;; fast | exact) mode=$new; say "Saved." ;; *) [ "$manner" = strict ] || mode=fast; unknown mode "fast, exact" "Saved." ;; esac ;;
    *) result='{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;

/// The cases in which a value is taken as another one.
fn taken(manner: &str) -> Vec<String> {
    let folder = folder();
    let options = "--contract plain --transcript t.jsonl";
    let report = folder.judged(options, &["bash", "-c", TABLE, "table", manner]);
    assert_eq!(report, folder.rejudged(), "a recording says the same");
    for name in
        ["show_table/form", "find_rows/status", "list_rows/since", "show_shade/shade", "set_mode/mode"]
    {
        case_of(&report, &format!("probe/{name}/unlisted"));
    }
    let accepted = report.findings.into_iter().filter(|found| found.rule == "channel/accepted-bad-input");
    let places = accepted.flat_map(|found| found.places).filter_map(|place| Some(place.case?.0));
    let mut taken: Vec<String> = places.filter(|case| case.ends_with("/unlisted")).collect();
    taken.sort();
    taken
}

#[test]
fn an_unknown_value_that_is_taken_as_a_listed_one_is_reported_once_other_values_have_other_replies() {
    let expected =
        ["list_rows/since", "set_mode/mode", "show_table/form"].map(|name| format!("probe/{name}/unlisted"));
    assert_eq!(taken("loose"), expected);
}

#[test]
fn an_unknown_value_that_is_refused_that_selects_nothing_or_of_which_there_may_be_more_is_not_reported() {
    assert_eq!(taken("strict"), [""; 0]);
}
