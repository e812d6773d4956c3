//! A server in whose way the machine is: it can write to no file, as on a full disk, open no more files, or not use the file
//! that a call names. What its tools say then is judged, where that alone makes the difference.

use mcp_errconf::judge::{CaseVerdict, Report, Status};

use crate::program::{case_of, folder};

/// Notes in the file `$1`. `$2` says what becomes of one that cannot be written; `count_notes` only reads. While it adds a
/// note it starts no program, unless `$2` says so.
const NOTES: &str = r#"store=$1 manner=$2
while read -r line; do
  [[ $line =~ \"id\":([0-9]+) ]] || continue
  id=${BASH_REMATCH[1]}
  say() { result="{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  refuse() { result="{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  note=
  [[ $line =~ \"note\":\"([^\"]*)\" ]] && note=${BASH_REMATCH[1]}
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
          starts) true | cat; refuse 'The command failed.' ;;
          *) refuse 'The note could not be saved, since nothing can be written to the disk. Free some space, then try again.' ;;
        esac
      fi ;;
    *) result='{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;

const CASE: &str = "probe/add_note/storage/fails";

/// The report on it; judging the recording again gives the same.
fn report(manner: &str, options: &str) -> Report {
    let folder = folder();
    let server = ["bash", "-c", NOTES, "notes", "{workspace}/notes.txt", manner];
    let report = folder.judged(&format!("--contract plain --transcript t.jsonl {options}"), &server);
    assert_eq!(report, folder.rejudged(), "a recording says the same");
    report
}

/// The report of a confined run on one of the other servers here.
fn confined(script: &str, manner: &str, options: &str) -> Report {
    let options = format!("--contract plain --confine on {options}");
    folder().judged(&options, &["bash", "-c", script, "server", manner])
}

/// The rules that are broken in a case.
fn broken_in<'r>(report: &'r Report, id: &str) -> Vec<&'r str> {
    case_of(report, id).findings.iter().map(|index| report.findings[*index].rule.as_str()).collect()
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
    // A vague message is a Should where no contract with codes is promised.
    for (manner, rules, status) in
        [("raw", &["leak/runtime-error"][..], Status::Failed), ("vague", &["message/vague"], Status::Passed)]
    {
        let report = report(manner, "");
        let case = case(&report).unwrap_or_else(|| panic!("{manner}: it was not sent: {:?}", report.cases));
        assert_eq!(case.status, status, "{case:?}");
        assert_eq!(case.condition.as_deref(), Some("storage-failure"));
        assert_eq!(broken(&report), rules, "{manner}");
    }
}

#[test]
fn a_tool_that_says_that_it_could_not_save_is_right_and_one_that_reads_is_no_case() {
    let report = report("clean", "");
    let case = case(&report).expect("it was sent");
    assert_eq!(case.status, Status::Passed, "{case:?}");
    assert_eq!(broken(&report), [""; 0]);
    let is_of_reading = |case: &CaseVerdict| case.id.0.starts_with("probe/count_notes/storage");
    assert!(!report.cases.iter().any(is_of_reading), "{:?}", report.cases);
}

#[test]
fn what_shows_nothing_about_the_storage_is_not_judged() {
    assert_eq!(case(&report("mute", "")), None, "it succeeds all the same");
    for (manner, why) in [
        ("dies", "a server may end where it can keep nothing"),
        ("starts", "a program may have been killed"),
        ("ruined", "the same call is refused afterwards as well, for another reason"),
    ] {
        let report = report(manner, "");
        let case = case(&report).expect("it was sent");
        assert_eq!(case.status, Status::NotJudged, "{why}: {case:?}");
        assert_eq!(broken(&report), [""; 0], "{why}");
    }
}

#[test]
fn writes_fail_in_confinement_alone() {
    let report = report("raw", "--confine off");
    assert_eq!(case(&report), None, "{:?}", report.cases);
}

/// A tool that replaces a text in a file, and one that writes a whole file. With `whole` as `$1` a file is complete before it
/// gets its name; otherwise the old one is emptied first. With `silent` it says that it has saved what it has not.
const EDITS: &str = r#"manner=$1
while read -r line; do
  [[ $line =~ \"id\":([0-9]+) ]] || continue
  id=${BASH_REMATCH[1]}
  say() { result="{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  refuse() { result="{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  unsaved() { if [ "$manner" = silent ]; then say 'Saved.'; else refuse "'$path' could not be saved: nothing could be written."; fi; }
  value() { [[ $line =~ \"$1\":\"([^\"]*)\" ]] && sent=${BASH_REMATCH[1]} || sent=; }
  save() {
    if [ "$manner" = whole ]; then
      printf '%b' "$2" 2> /dev/null > "$1.new" && mv "$1.new" "$1" && return
      printf 'nothing was written to %s\n' "$1" >&2
    else printf '%b' "$2" 2> /dev/null > "$1" && return
    fi
    false
  }
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"edits","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"replace_line","description":"Replaces a line of a text file by another.","inputSchema":{"type":"object","properties":{"file_path":{"type":"string","description":"The path of the text file to edit"},"number":{"type":"integer","description":"Which line, from 1"},"line":{"type":"string","description":"The new line"}},"required":["file_path","number","line"]}},{"name":"store_text","description":"Writes a text file, replacing it if it is there.","inputSchema":{"type":"object","properties":{"file_path":{"type":"string","description":"The path of the text file to write"},"content":{"type":"string"}},"required":["file_path","content"]}}]}' ;;
    *'"tools/call"'*)
      value file_path; path=$sent
      case "$line" in
        *'"store_text"'*)
          value content; text=$sent
          if [ -d "$path" ]; then refuse "'$path' is a folder: choose a file."
          elif ! save "$path" "$text"; then unsaved
          else say 'Saved.'
          fi ;;
        *)
          value line; new=$sent
          [[ $line =~ \"number\":([0-9]+)[,}] ]] && number=${BASH_REMATCH[1]} || number=0
          if ! [ -f "$path" ]; then refuse "There is no file '$path'."
          else
            mapfile -t lines < "$path"
            if [ "$number" -lt 1 ] || [ "$number" -gt "${#lines[@]}" ]; then refuse "'$path' has ${#lines[@]} lines: 'number' must be from 1 to ${#lines[@]}."
            else
              lines[number-1]=$new
              printf -v text '%s\\n' "${lines[@]}"
              if save "$path" "$text"; then say 'Saved.'; else unsaved; fi
            fi
          fi ;;
      esac ;;
    *) result='{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;

#[test]
fn a_write_that_fails_and_is_told_as_a_success_is_found() {
    let report = confined(EDITS, "silent", "");
    for tool in ["replace_line", "store_text"] {
        let broken = broken_in(&report, &format!("probe/{tool}/storage/fails"));
        assert_eq!(broken, ["channel/accepted-bad-input"], "{tool}: {report:?}");
    }
}

#[test]
fn a_file_that_a_refused_call_empties_is_lost_and_one_that_is_left_as_it_was_is_not() {
    use mcp_errconf::finding::Level;

    for (manner, lost) in [("emptied", true), ("whole", false)] {
        let report = confined(EDITS, manner, "");
        for (tool, level) in [("replace_line", Level::Must), ("store_text", Level::Note)] {
            let case = case_of(&report, &format!("probe/{tool}/storage/fails"));
            let findings: Vec<_> = case.findings.iter().map(|index| &report.findings[*index]).collect();
            let found: Vec<_> =
                findings.iter().map(|finding| (finding.rule.as_str(), finding.level)).collect();
            let expected = if lost { vec![("effect/changed-files", level)] } else { Vec::new() };
            assert_eq!(found, expected, "{manner} {tool}: {findings:?}");
        }
    }
}

/// A tool that lists a folder, and one that reads a file. With `silent` as `$1` what cannot be opened counts as empty, a long
/// text is cut, and a pipe is read like a file.
const SHELF: &str = r#"manner=$1
shopt -s nullglob
while read -r line; do
  [[ $line =~ \"id\":([0-9]+) ]] || continue
  id=${BASH_REMATCH[1]}
  say() { result="{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  refuse() { result="{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  [[ $line =~ \"path\":\"([^\"]*)\" ]] && path=${BASH_REMATCH[1]} || path=
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shelf","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"list_folder","description":"Lists a folder.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"The path of the folder"}},"required":["path"]}},{"name":"read_note","description":"Reads a text file.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"The path of the text file"}},"required":["path"]}}]}' ;;
    *'"list_folder"'*)
      if ! [ -d "$path" ]; then refuse "'$path' is no folder: choose one that exists."
      elif [ "$manner" = silent ] || { { :; } 9< "$path"; } 2> /dev/null; then
        names=("$path"/*)
        say "There are ${#names[@]} entries: ${names[*]##*/}"
      else refuse "'$path' cannot be listed at present. Try again later."
      fi ;;
    *'"read_note"'*)
      lines=()
      if ! [ -f "$path" ] && ! [ "$manner" = silent -a -p "$path" ]; then refuse "'$path' is no text file: choose one that exists."
      elif { mapfile -t lines; } 2> /dev/null < "$path" || [ "$manner" = silent ]; then
        text=${lines[*]}
        if [ "$manner" = silent ]; then text=${text:0:5000}; fi
        say "The note: $text"
      else refuse "'$path' cannot be read: permission was denied, or too many files are open. Choose another file."
      fi ;;
    *) result='{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;

#[test]
fn what_is_missing_from_a_result_without_a_word_is_found() {
    const CASES: [&str; 3] = [
        "probe/list_folder/descriptors/none",
        "probe/read_note/descriptors/none",
        "probe/read_note/permission/unreadable",
    ];
    for (manner, rules) in [("silent", &["channel/accepted-bad-input"][..]), ("honest", &[])] {
        let report = confined(SHELF, manner, "--timeout 3");
        for id in CASES {
            let case = case_of(&report, id);
            let found: Vec<_> = case.findings.iter().map(|index| &report.findings[*index]).collect();
            let broken: Vec<&str> = found.iter().map(|finding| finding.rule.as_str()).collect();
            assert_eq!(broken, rules, "{manner}: {found:?}");
            assert!(found.iter().all(|finding| finding.message.contains("while the server")), "{found:?}");
        }
        for (id, rule) in [
            ("probe/read_note/path/long-line", "message/rest-untold"),
            ("probe/read_note/path/pipe", "liveness/no-reply"),
        ] {
            let expected = if manner == "silent" { vec![rule] } else { Vec::new() };
            assert_eq!(broken_in(&report, id), expected, "{manner}: {id}");
        }
        let is_of_permission = |case: &&CaseVerdict| case.id.0.starts_with("probe/list_folder/permission");
        assert_eq!(report.cases.iter().filter(is_of_permission).count(), 0, "it names no file");
    }
}
