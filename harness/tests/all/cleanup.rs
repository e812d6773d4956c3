//! What a case takes from a server is given back, whatever became of the case.

use mcp_errconf::judge::Status;

use crate::program::{Folder, folder, rules_of};

/// A server that keeps reservations in a file, as one does whose state outlives its process. Who releases what it does not
/// hold is reported in Node's own words. What happens when a second agent asks is the first argument.
const SERVER: &str = r#"touch held
member() { printf '%s' "$line" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
list='"inputSchema":{"type":"object","properties":{"agent":{"type":"string"},"pattern":{"type":"string"}},"required":["agent","pattern"]}'
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -z "$id" ] && continue
  agent=$(member agent); pattern=$(member pattern)
  error=; text=done
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"script","version":"1"}}' ;;
    *'"tools/list"'*) result="{\"tools\":[{\"name\":\"reserve_files\",\"description\":\"Reserves files for an agent.\",$list},{\"name\":\"release_files\",\"description\":\"Gives reserved files up.\",$list}]}" ;;
    *'"reserve_files"'*)
      holder=$(sed -n "s|^$pattern ||p" held)
      if [ -z "$holder" ]; then echo "$pattern $agent" >> held
      elif [ "$1" = dies ]; then exit 7
      else error='"isError":true,'; text="'$pattern' is held by $holder: ask $holder, or reserve another pattern."; fi ;;
    *)
      if grep -qx "$pattern $agent" held; then grep -vx "$pattern $agent" held > left; mv left held
      else error='"isError":true,'; text="ENOENT: no such file or directory, open '$pattern'"; fi ;;
  esac
  case "$line" in *'"tools/call"'*) result="{$error\"content\":[{\"type\":\"text\",\"text\":\"$text\"}]}" ;; esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// Runs the case of a held reservation; the status of the case, and the folder in which the server worked.
fn held_by_another(manner: &str) -> (Status, Folder) {
    let folder = folder().with("server.sh", SERVER);
    let options = "--contract plain --filter reserve/held-by-another --transcript t.jsonl";
    let report = folder.judged(options, &["sh", "server.sh", manner]);
    let rules = rules_of(&report);
    assert!(rules.iter().all(|rule| !rule.starts_with("leak/")), "a release is not judged: {rules:?}");
    assert_eq!(folder.rejudged(), report);
    assert_eq!(folder.read("t.jsonl").matches(r#""step":"cleanup""#).count(), 3);
    assert_eq!(folder.read("held"), "", "a reservation is left");
    (report.cases[0].status, folder)
}

#[test]
fn a_reservation_is_given_back_when_its_case_is_over() {
    assert_eq!(held_by_another("refuses").0, Status::Passed);
}

#[test]
fn a_reservation_is_given_back_by_a_fresh_process_where_the_first_one_died() {
    assert_eq!(held_by_another("dies").0, Status::Errored);
}

/// A server whose every call walks through the workspace, and notes in how many folders it meets symbolic links.
const WALKER: &str = r#"while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -z "$id" ] && continue
  schema='"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}'
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"script","version":"1"}}' ;;
    *'"tools/list"'*) result="{\"tools\":[{\"name\":\"read_file\",\"description\":\"Reads a file.\",$schema}]}" ;;
    *)
      find "$1" -type l -exec dirname {} \; | sort -u | wc -l >> met
      case "$line" in
        *present.txt*) result='{"content":[{"type":"text","text":"green apple"}]}' ;;
        *) result='{"isError":true,"content":[{"type":"text","text":"it cannot be read: list the folder first"}]}' ;;
      esac ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

#[test]
fn the_links_of_a_case_that_is_over_are_in_nobodys_way() {
    let folder = folder().with("server.sh", WALKER);
    let options = "--contract plain --filter read/{dangling-link,link-loop}";
    assert_eq!(folder.judged(options, &["sh", "server.sh", "{workspace}"]).cases.len(), 2);
    let met = folder.read("met");
    let met: Vec<&str> = met.split_whitespace().collect();
    assert!(met.len() >= 4 && met.iter().all(|count| *count == "1"), "two calls of each case: {met:?}");
}
