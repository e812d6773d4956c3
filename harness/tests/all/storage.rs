//! A server that can write to no file, as on a full disk: what its tools say then is judged, where they fail for that alone.

use mcp_errconf::judge::{CaseVerdict, Report, Status};

use crate::program::folder;

/// Notes in the file `$1`. `$2` says what becomes of one that cannot be written; `count_notes` only reads.
const NOTES: &str = r#"store=$1 manner=$2
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  [ -n "$id" ] || continue
  say() { result="{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  refuse() { result="{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  note=$(printf '%s' "$line" | sed -n 's/.*"note":"\([^"]*\)".*/\1/p')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"add_note","inputSchema":{"type":"object","properties":{"note":{"type":"string"}},"required":["note"]}},{"name":"count_notes","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"least":{"type":"integer"}}}}]}' ;;
    *'"count_notes"'*) say "There are $(wc -l < "$store" || printf 0) notes." ;;
    *'"add_note"'*)
      if [ -z "$note" ]; then refuse "'note' must be a text that is not empty, for example 'bread'."
      elif [ -e "$store.broken" ]; then refuse 'The store is locked by another user.'
      elif printf '%s\n' "$note" 2> /dev/null >> "$store"; then say 'Added.'
      else
        case "$manner" in
          raw) refuse "[Errno 27] File too large: 'notes.txt'" ;;
          vague) refuse 'Something went wrong.' ;;
          ruined) printf '' > "$store.broken"; refuse 'The note was not taken: come back tomorrow.' ;;
          mute) say 'Added.' ;;
          dies) exit 3 ;;
          *) refuse 'The note could not be saved, since nothing can be written to the disk. Free some space, then try again.' ;;
        esac
      fi ;;
    *) result='{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;

const CASE: &str = "probe/add_note/storage/fails";

/// The report on it; judging the recording again gives the same.
fn report(manner: &str, options: &[&str]) -> Report {
    let folder = folder();
    let run = ["run", "--contract", "plain", "--report", "json=report.json", "--transcript", "t.jsonl"];
    let server = ["--", "bash", "-c", NOTES, "notes", "{workspace}/notes.txt", manner];
    let _ = folder.run(&[&run[..], options, &server].concat());
    folder.run(&["judge", "t.jsonl", "--report", "json=again.json"]);
    assert_eq!(folder.report("report.json"), folder.report("again.json"), "a recording says the same");
    folder.report("report.json")
}

fn case(report: &Report) -> Option<&CaseVerdict> {
    report.cases.iter().find(|case| case.id.0 == CASE)
}

/// The rules that are broken in the case.
fn broken(report: &Report) -> Vec<&str> {
    let is_there = |finding: &&mcp_errconf::finding::Finding| {
        finding.places.iter().any(|place| place.case.as_ref().is_some_and(|case| case.0 == CASE))
    };
    report.findings.iter().filter(is_there).map(|finding| finding.rule.as_str()).collect()
}

#[test]
fn what_a_tool_says_while_nothing_can_be_written_is_judged() {
    for (manner, rules) in [("raw", &["leak/runtime-error"][..]), ("vague", &["message/vague"])] {
        let report = report(manner, &[]);
        let case = case(&report).unwrap_or_else(|| panic!("{manner}: it was not sent: {:?}", report.cases));
        assert_eq!(case.status, Status::Failed, "{case:?}");
        assert_eq!(case.condition.as_deref(), Some("storage-failure"));
        assert_eq!(broken(&report), rules, "{manner}");
    }
}

#[test]
fn a_tool_that_says_that_it_could_not_save_is_right_and_one_that_reads_is_no_case() {
    let report = report("clean", &[]);
    let case = case(&report).expect("it was sent");
    assert_eq!(case.status, Status::Passed, "{case:?}");
    assert_eq!(broken(&report), [""; 0]);
    let is_of_reading = |case: &CaseVerdict| case.id.0.starts_with("probe/count_notes/storage");
    assert!(!report.cases.iter().any(is_of_reading), "{:?}", report.cases);
}

#[test]
fn what_shows_nothing_about_the_storage_is_not_judged() {
    assert_eq!(case(&report("mute", &[])), None, "it succeeds all the same");
    let ended = report("dies", &[]);
    let case_of_it = case(&ended).expect("it was sent");
    assert_eq!(case_of_it.status, Status::NotJudged, "{case_of_it:?}");
    assert_eq!(broken(&ended), [""; 0], "a server may end where it can keep nothing");
    let ruined = report("ruined", &[]);
    let case_of_it = case(&ruined).expect("it was sent");
    assert_eq!(case_of_it.status, Status::NotJudged, "{case_of_it:?}");
    assert_eq!(broken(&ruined), [""; 0], "the same call is refused afterwards as well, for another reason");
}

#[test]
fn writes_fail_in_confinement_alone() {
    let report = report("raw", &["--confine", "off"]);
    assert_eq!(case(&report), None, "{:?}", report.cases);
}
