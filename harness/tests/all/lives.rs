//! What a server says of what is there already, and of what is no more: in confinement things are made twice, used once they
//! are deleted, and deleted twice.

use mcp_errconf::judge::{Report, Status};

use crate::program::{case_of, first_of, folder, tool_of};

/// Notes under ids of the server's choice. `$1` says what is made of a title that is taken and of a note that was deleted; of a
/// note that never was it makes a good message, unless it `claims` that it was deleted.
pub(crate) const NOTES: &str = r#"declare -A notes gone taken; count=0
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -n "$id" ] || continue
  title= note=
  [[ $line =~ \"title\":\"([^\"]*)\" ]] && title=${BASH_REMATCH[1]}
  [[ $line =~ \"note_id\":\"([^\"]*)\" ]] && note=${BASH_REMATCH[1]}
  say() { result="{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  refuse() { result="{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  unknown="There is no note '$note' (note_id). Call list_notes to see which ones exist."
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"create_note","inputSchema":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}},{"name":"get_note","inputSchema":{"type":"object","properties":{"note_id":{"type":"string"}},"required":["note_id"]}},{"name":"delete_note","inputSchema":{"type":"object","properties":{"note_id":{"type":"string"},"force":{"type":"boolean"}},"required":["note_id"]}},{"name":"list_notes","inputSchema":{"type":"object","properties":{}}}]}' ;;
    *'"list_notes"'*) say "${!notes[*]}" ;;
    *'"create_note"'*)
      if [ -z "$title" ]; then refuse "'title' must be a text that is not empty, for example 'shopping'."
      elif [ -n "${taken[$title]}" ] && [ "$1" = raw ]; then refuse "Such a note exists already. Send another title, for example 'shopping'."
      else count=$((count + 1)); notes[n-$count]=1 taken[$title]=1; say "Created n-$count."; fi ;;
    *'_note"'*)
      if [ -z "$note" ]; then refuse "'note_id' must be the id of a note, a text that is not empty, as list_notes gives it."
      elif [ "$1" = claims ] && [[ "$line" == *'"delete_note"'* ]]; then unset "notes[$note]"; say "Deleted."
      elif [ -n "${gone[$note]}" ]; then
        if [ "$1" = raw ]; then refuse "KeyError: '$note'"; else say "There is nothing left of it."; fi
      elif [ -z "${notes[$note]}" ]; then refuse "$unknown"
      elif [[ "$line" == *'"delete_note"'* ]]; then unset "notes[$note]"; gone[$note]=1; say "Deleted."
      else say "A note."; fi ;;
    *) result='{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;

const CASES: [&str; 3] = [
    "probe/create_note/life/made-twice",
    "probe/delete_note/life/ended-twice",
    "probe/get_note/life/after-delete_note",
];

/// The report on it; judging the recording again gives the same.
fn report(manner: &str, options: &str) -> Report {
    let folder = folder();
    let options = format!("--contract plain --transcript t.jsonl {options}");
    let report = folder.judged(&options, &["bash", "-c", NOTES, "notes", manner]);
    assert_eq!(report, folder.rejudged(), "a recording says the same");
    report
}

/// The rules that are broken in the cases about things, with these.
fn broken(report: &Report) -> Vec<(&str, &str)> {
    let mut broken: Vec<(&str, &str)> = Vec::new();
    for finding in &report.findings {
        for place in &finding.places {
            let case = place.case.as_ref().map_or("", |case| case.0.as_str());
            if case.contains("/life/") {
                broken.push((case, &finding.rule));
            }
        }
    }
    broken.sort_unstable();
    broken
}

#[test]
fn what_is_said_of_a_thing_that_is_there_already_or_no_more_is_judged() {
    let report = report("raw", "");
    for id in CASES {
        let case = case_of(&report, id);
        assert!(matches!(case.status, Status::Passed | Status::Failed), "{case:?}");
    }
    let [made, ended, used] = CASES;
    let found = broken(&report);
    for (case, rule) in
        [(made, "message/value-missing"), (ended, "leak/runtime-error"), (used, "leak/runtime-error")]
    {
        assert!(found.contains(&(case, rule)), "{found:?}");
    }
    let get = tool_of(&report, "get_note");
    assert_eq!(
        get.rests_on.as_deref(),
        Some("create_note"),
        "the id is another one in the next run: {get:?}"
    );
    let raw = first_of(&report, "leak/runtime-error");
    let mut of_get = raw.places.iter().filter(|place| place.tool.as_deref() == Some("get_note"));
    let is_of_a_life = |case: &mcp_errconf::condition::CaseId| case.0.contains("/life/");
    assert!(
        of_get.all(|place| place.case.as_ref().is_some_and(is_of_a_life)),
        "nothing else shows it: {raw:?}"
    );
    // What deletes gets a new thing for each of its probes: with a note that is no more it would be refused in the words of
    // an earlier call.
    let of_it = |id: &str| id.starts_with("probe/delete_note/") && !id.contains("/life/");
    let probes: Vec<_> = report.cases.iter().filter(|case| of_it(&case.id.0)).collect();
    assert!(probes.iter().any(|case| case.id.0 == "probe/delete_note/force/wrong-type"), "{probes:?}");
    for case in probes {
        assert!(matches!(case.status, Status::Passed | Status::Failed), "{case:?}");
    }
}

#[test]
fn a_server_that_makes_another_one_and_deletes_twice_is_right() {
    let report = report("idempotent", "");
    for id in CASES {
        let case = case_of(&report, id);
        assert_eq!(case.status, Status::Passed, "{case:?}");
    }
    assert_eq!(broken(&report), []);
}

#[test]
fn a_deletion_of_nothing_that_is_told_like_one_that_took_place_is_reported() {
    let report = report("claims", "--filter probe/*/life/*");
    let twice = "probe/delete_note/life/ended-twice";
    let never = "probe/delete_note/life/never-made";
    let claimed = "channel/accepted-bad-input";
    assert_eq!(broken(&report), [(twice, claimed), (never, claimed)]);
    let mut of_notes =
        report.findings.iter().filter(|finding| finding.tool.as_deref() == Some("delete_note"));
    let found = of_notes.find(|finding| finding.rule == claimed).expect("it is found");
    assert_eq!(found.message, "`delete_note` reports success for something that does not exist");
    assert_eq!(found.evidence.as_ref().map(|evidence| &*evidence.text), Some("Deleted."));
}

#[test]
fn nothing_is_deleted_without_confinement() {
    let report = report("raw", "--confine off");
    assert!(!report.cases.iter().any(|case| case.id.0.contains("/life/")), "{:?}", report.cases);
}

/// Notes that are listed by their titles. A priority below 1 is refused, by `$1` `before` or `after` the note is kept.
const PRIORITIES: &str = r#"notes=
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -n "$id" ] || continue
  say() { result="{\"isError\":$2,\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  title=$(printf '%s' "$line" | sed -n 's/.*"title":"\([^"\\]*\)".*/\1/p')
  priority=$(printf '%s' "$line" | sed -n 's/.*"priority":\(-\{0,1\}[0-9]\{1,6\}\)[,}].*/\1/p')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"create_note","inputSchema":{"type":"object","properties":{"title":{"type":"string"},"priority":{"type":"integer"}},"required":["title","priority"]}},{"name":"list_notes","inputSchema":{"type":"object","properties":{}}}]}' ;;
    *'"list_notes"'*) say "Notes:$notes" false ;;
    *'"create_note"'*)
      if [ -z "$title" ]; then say "'title' must be a text that is not empty, for example 'shopping'." true
      elif [ -z "$priority" ]; then say "'priority' must be a whole number, for example 1." true
      else
        [ "$1" = after ] && notes="$notes $title"
        if [ "$priority" -lt 1 ]; then say "'priority' is $priority: it must be at least 1." true
        else [ "$1" = after ] || notes="$notes $title"; say "Created '$title'." false; fi
      fi ;;
    *) result='{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;

#[test]
fn a_note_that_is_kept_although_it_is_refused_is_found_and_one_that_is_not_kept_is_not() {
    let done_in = |manner: &str| {
        let folder = folder();
        let report = folder.judged("--contract plain", &["bash", "-c", PRIORITIES, "notes", manner]);
        let done = report.findings.into_iter().find(|finding| finding.rule == "effect/done-anyway")?;
        done.places.first()?.case.as_ref().map(|case| case.0.clone())
    };
    let found = done_in("after");
    assert!(
        found.as_deref().is_some_and(|case| case.starts_with("probe/create_note/priority/")),
        "{found:?}"
    );
    assert_eq!(done_in("before"), None);
}

/// The same notes, each with a title of its own and without a tool that lists them.
#[test]
fn a_note_that_exists_when_its_refused_call_is_sent_again_was_made() {
    let unlisted = PRIORITIES
        .replace(r#",{"name":"list_notes","inputSchema":{"type":"object","properties":{}}}"#, "")
        .replace(
            "      else\n",
            "      elif [[ \" $notes \" == *\" $title \"* ]]; then say \"'$title' already exists: choose another title.\" true\n      else\n",
        );
    let done_in = |manner: &str| {
        let folder = folder();
        let report = folder.judged("--contract plain", &["bash", "-c", &unlisted, "notes", manner]);
        let done = report.findings.into_iter().find(|finding| finding.rule == "effect/done-anyway")?;
        done.places.first()?.case.as_ref().map(|case| case.0.clone())
    };
    let found = done_in("after");
    assert!(
        found.as_deref().is_some_and(|case| case.starts_with("probe/create_note/priority/")),
        "{found:?}"
    );
    assert_eq!(done_in("before"), None);
}
