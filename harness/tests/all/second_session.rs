//! The second session of a run: confined a tool that writes gets complete calls, and nothing outside is touched.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mcp_errconf::confinement::SecondSessionResult;
use mcp_errconf::finding::RunSession;
use mcp_errconf::judge::{Report, Status, ToolVerdict};

use crate::program::{Folder, PROGRAM, case_of, first_of, folder, outlives, stdout, tool_of};

/// Keeps what it is given in a file, and tries to leave a trace beside it: the one tool is of class write.
const SERVER: &str = r#"while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -n "$id" ] || continue
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shelf","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"save_mark","description":"Saves a mark.","inputSchema":{"type":"object","properties":{"mark":{"type":"string"},"count":{"type":"integer"}},"required":["mark","count"]}}]}' ;;
    *'"mark":"'*'"count":'[0-9]*|*'"count":'[0-9]*'"mark":"'*) (echo touched > "$CANARY") 2>/dev/null; result='{"content":[{"type":"text","text":"saved"}]}' ;;
    *) result='{"content":[{"type":"text","text":"that is wrong"}],"isError":true}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;

#[test]
fn a_tool_that_writes_gets_its_control_and_single_changes_only_in_confinement() {
    let folder = folder();
    let beside = tempfile::tempdir().expect("a temporary folder can be made");
    let canary = beside.path().join("canary");
    std::fs::write(&canary, "whole\n").expect("it is ours");
    let report = |confine: &str| {
        let run = format!(
            "run --confine {confine} --report json=report.json --report human=report.txt --report markdown=report.md --"
        );
        let mut program = folder.program_with(&run);
        let _ = program.env("CANARY", &canary).args(["bash", "-c", SERVER]).assert();
        folder.report("report.json")
    };
    let judged = |report: &mcp_errconf::judge::Report, id: &str| {
        let case = report.cases.iter().find(|case| case.id.0 == id)?;
        Some(matches!(case.status, Status::Passed | Status::Failed) && case.reason.is_none())
    };
    let single = "probe/save_mark/count/wrong-type";
    let first = report("off");
    assert_eq!(judged(&first, single), None, "its class forbids it");
    for name in ["report.txt", "report.md"] {
        assert!(!folder.read(name).contains("(confined)"), "one session ran: {}", folder.read(name));
    }
    let Some(SecondSessionResult::Missing(why)) = &first.server.second else {
        panic!("{:?}", first.server.second)
    };
    assert!(why.contains("`--confine off` was given"), "{why}");
    let both = report("auto");
    assert!(matches!(both.server.second, Some(SecondSessionResult::Driven(_))), "{:?}", both.server.second);
    assert_eq!(judged(&both, single), Some(true));
    let places = || both.findings.iter().flat_map(|finding| &finding.places);
    let of_single = |place: &&mcp_errconf::finding::FindingPlace| {
        place.case.as_ref().is_some_and(|case| case.0 == single)
    };
    assert!(
        places().any(|place| of_single(&place) && place.session == RunSession::Confined),
        "{:?}",
        both.findings
    );
    assert!(folder.read("report.md").contains(" (save_mark) (confined)"), "{}", folder.read("report.md"));
    assert_eq!(std::fs::read_to_string(&canary).expect("it is there"), "whole\n");
    let alone = folder.run(&["run", "--filter", single, "--", "bash", "-c", SERVER]);
    let printed = stdout(&alone);
    let heading = format!("--> {single}, tool save_mark (confined)");
    assert!(printed.lines().any(|line| line.trim_start().starts_with(&heading)), "{printed}");
}

/// A tool that writes and one that reads. In confinement it does what `$1` says; `$2` is the workspace.
const FICKLE: &str = r#"walled=; [ "$(cat /proc/sys/kernel/hostname)" = confined ] && walled=$1
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -n "$id" ] || continue
  result='{"content":[{"type":"text","text":"that is wrong"}],"isError":true}'
  case "$line" in
    *'"initialize"'*)
      [ "$walled" = unlicensed ] && { echo "no licence is found" >&2; exit 5; }
      result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shelf","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"save_mark","description":"Saves a mark.","inputSchema":{"type":"object","properties":{"mark":{"type":"string"},"count":{"type":"integer"}},"required":["mark","count"]}},{"name":"get_mark","description":"Gets a mark.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"mark":{"type":"string"}},"required":["mark"]}}]}' ;;
    *'"save_mark"'*)
      [ "$walled" = dies ] && exit 7
      [ "$walled" = hangs ] && { : > "$2/reached"; sleep 1000; }
      case "$line" in *'"mark":"'*'"count":'[0-9]*|*'"count":'[0-9]*'"mark":"'*) result='{"content":[{"type":"text","text":"saved"}]}' ;; esac ;;
    *'"mark":"'*) result='{"content":[{"type":"text","text":"here it is"}]}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;

/// The report of a run on the fickle server; judging its recording again must give the same one.
fn fickle(manner: &str, options: &str) -> Report {
    let folder = folder();
    let server = ["bash", "-c", FICKLE, "fickle", manner, "{workspace}"];
    let report = folder.judged(&format!("--transcript t.jsonl {options}"), &server);
    assert_eq!(report, folder.rejudged());
    assert_eq!(folder.files(), ["report.json", "t.jsonl"]);
    report
}

/// How far the tool that writes was judged.
fn saving(report: &Report) -> &ToolVerdict {
    tool_of(report, "save_mark")
}

/// How often the first session found this of a tool.
fn found_first(report: &Report, rule: &str) -> usize {
    let places =
        report.findings.iter().filter(|finding| finding.rule == rule).flat_map(|finding| &finding.places);
    places.filter(|place| place.session == RunSession::First).count()
}

#[test]
fn a_server_that_dies_or_hangs_in_confinement_keeps_what_the_first_session_has_judged() {
    let well = fickle("works", "");
    for (manner, rule) in [("dies", "liveness/crash"), ("hangs", "liveness/no-reply")] {
        let report = fickle(manner, "--timeout 1");
        assert!(
            matches!(report.server.second, Some(SecondSessionResult::Driven(_))),
            "{:?}",
            report.server.second
        );
        let finding = first_of(&report, rule);
        assert!(finding.places.iter().all(|place| place.session == RunSession::Confined), "{finding:?}");
        assert_eq!(found_first(&report, "message/vague"), found_first(&well, "message/vague"), "{manner}");
        let (tool, of_well) = (saving(&report), saving(&well));
        // Of what becomes of things nothing is planned where the tool that makes them does not live.
        let lives = |report: &Report| {
            report.cases.iter().filter(|case| case.id.0.starts_with("probe/save_mark/life/")).count()
        };
        assert_eq!(lives(&report), 0, "{manner}");
        assert_eq!(tool.planned, of_well.planned - lives(&well), "{manner}: {tool:?}");
        // In the first session nothing is sent to a tool that writes; of one that reads it is all judged there.
        assert_eq!(tool_of(&report, "get_mark").judged, tool_of(&well, "get_mark").judged, "{manner}");
    }
}

#[test]
fn where_a_server_starts_in_the_first_session_alone_its_findings_stand_and_the_report_says_why() {
    let report = fickle("unlicensed", "");
    let Some(SecondSessionResult::Missing(why)) = &report.server.second else {
        panic!("{:?}", report.server.second)
    };
    assert!(why.contains("no licence is found") && why.contains("calls to 2 tools were not sent"), "{why}");
    assert!(found_first(&report, "message/vague") > 0);
    assert_eq!(saving(&report).judged, 0);
}

#[test]
fn several_processes_at_once_give_the_same_report_with_a_second_session() {
    let printed = |options: &str| {
        let mut report = fickle("works", options);
        report.summary.duration_ms = 0;
        serde_json::to_string(&report).expect("it is JSON")
    };
    assert_eq!(printed("--jobs 1"), printed("--jobs 2"));
}

#[test]
fn ctrl_c_in_the_confined_session_ends_the_run_with_what_was_found_so_far() {
    use rustix::process::{Pid, Signal, kill_process};

    let folder: Folder = folder();
    let temporary = tempfile::tempdir().expect("a temporary folder can be made");
    let mark = format!("{}", std::process::id());
    let run = Command::new(PROGRAM)
        .args("run --timeout 60 --report json=report.json --transcript t.jsonl -- bash -c".split(' '))
        .args([FICKLE, "fickle", "hangs", "{workspace}"])
        .current_dir(folder.path())
        .env("TMPDIR", temporary.path())
        .env("INTERRUPTED_BEHIND_THE_WALL", &mark)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let names =
        || std::fs::read_dir(temporary.path()).expect("it is there").flatten().map(|entry| entry.path());
    let begun = Instant::now();
    while !names().any(|home| home.join("workspace/reached").exists()) {
        assert!(begun.elapsed() < Duration::from_secs(60), "the second session does not come to the tool");
        std::thread::sleep(Duration::from_millis(5));
    }
    let harness = run.id().try_into().ok().and_then(Pid::from_raw).expect("it has an id");
    kill_process(harness, Signal::INT).expect("it runs");
    let output = run.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(begun.elapsed() < Duration::from_secs(60), "the call is not waited for");
    let report = folder.report("report.json");
    assert!(found_first(&report, "message/vague") > 0, "{:?}", report.findings);
    assert_eq!(saving(&report).judged, 0);
    assert!(!outlives(&format!("INTERRUPTED_BEHIND_THE_WALL={mark}")), "a process is left");
    assert_eq!(names().count(), 0, "no folder is left");
    assert_eq!(folder.files(), ["report.json", "t.jsonl"]);
}

/// Takes whatever comes for right, and keeps count of it.
const TRUSTING: &str = r#"while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -n "$id" ] || continue
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shelf","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"create_mark","description":"Creates a mark.","inputSchema":{"type":"object","properties":{"mark":{"type":"string"},"count":{"type":"integer"}},"required":["mark","count"]}}]}' ;;
    *) echo x >> "$CALLS"; result='{"content":[{"type":"text","text":"created"}]}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;

#[test]
fn without_confinement_a_tool_that_carries_out_what_it_must_refuse_gets_no_further_call() {
    let folder = folder();
    let calls = folder.path().join("calls");
    let run = "run --confine off --filter probe/* --report json=report.json --";
    let mut program = folder.program_with(run);
    program.env("CALLS", &calls).args(["bash", "-c", TRUSTING]);
    let _ = program.assert();
    assert_eq!(std::fs::read_to_string(&calls).expect("it was called").lines().count(), 1);
    let report = folder.report("report.json");
    let why = report.withheld.iter().map(|left| left.why.as_str());
    assert!(why.clone().any(|why| why.contains("carried out a call")), "{:?}", report.withheld);
}

/// Keeps marks of books in the folder of its process: a mark is set once, and the book must be one that it has.
const MARKS: &str = r#"while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -n "$id" ] || continue
  error=',"isError":true'
  mark=$(printf '%s' "$line" | sed -n 's/.*"mark_name":"\([^"]*\)".*/\1/p')
  case "$line" in
    *'"initialize"'*) error=; text= ; result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"marks","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"set_mark","description":"Sets a mark.","inputSchema":{"type":"object","properties":{"book_name":{"type":"string"},"mark_name":{"type":"string"},"line":{"type":"integer"}},"required":["book_name","mark_name","line"]}}]}' ;;
    *)
      result=
      case "$line" in
        *'"book_name":"atlas"'*)
          if [ -z "$mark" ]; then text="'mark_name' is required: send a text"
          elif grep -qx -- "$mark" marks 2>/dev/null; then text="a mark named '$mark' is there already"
          elif printf '%s' "$line" | grep -q '"line":[0-9]'; then echo "$mark" >> marks; text="it is set"; error=
          else text="'line' must be an integer"; fi ;;
        *) text="Available books: atlas, maps" ;;
      esac ;;
  esac
  [ -n "$result" ] || result="{\"content\":[{\"type\":\"text\",\"text\":\"$text\"}]$error}"
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;

#[test]
fn what_is_made_once_gets_another_name_for_each_probe_and_what_it_is_made_in_does_not() {
    let folder = folder().with("server.sh", MARKS);
    let report = folder.judged("--contract plain --transcript calls.jsonl", &["bash", "server.sh"]);
    let calls = folder.read("calls.jsonl");
    let refused = "is there already";
    let case = case_of(&report, "probe/set_mark/line/wrong-type");
    assert!(matches!(case.status, Status::Passed | Status::Failed) && case.reason.is_none(), "{case:?}");
    let of_case = |line: &&str| line.contains(r#""case":"probe/set_mark/line/wrong-type""#);
    let reply = calls.lines().filter(of_case).find(|line| line.contains(r#""step":"call""#));
    let reply = reply.unwrap_or_else(|| panic!("{calls}"));
    assert!(reply.contains("must be an integer") && !reply.contains(refused), "{reply}");
}

#[test]
fn a_tool_whose_schema_says_no_types_is_probed_with_what_its_own_checks_may_refuse() {
    let untyped = MARKS.replace(r#""required":["book_name","mark_name","line"]"#, r#""required":[]"#);
    let untyped = ["string", "integer"].iter().fold(untyped, |script, kind| {
        script.replace(&format!(r#"{{"type":"{kind}"}}"#), r#"{"default":null}"#)
    });
    assert!(untyped.contains(r#""line":{"default":null}"#), "{untyped}");
    let folder = folder().with("server.sh", &untyped);
    let report = folder.judged("--contract plain", &["bash", "server.sh"]);
    for id in [
        "arguments/left-out",
        "mark_name/left-out",
        "line/other-type",
        "book_name/null-value",
        "line/negative",
    ] {
        let case = case_of(&report, &format!("probe/set_mark/{id}"));
        assert!(matches!(case.status, Status::Passed | Status::Failed) && case.reason.is_none(), "{case:?}");
    }
    let tool = tool_of(&report, "set_mark");
    assert!(tool.own >= 5, "{tool:?}");
}

/// Reads files below the folder in which it was started, and refuses all others.
const KEPT: &str = r#"while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -n "$id" ] || continue
  path=$(printf '%s' "$line" | sed -n 's/.*"path":"\([^"]*\)".*/\1/p')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"kept","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"read_file","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}]}' ;;
    *)
      flag=true
      case "$path" in
        "$PWD"/*) if [ -f "$path" ]; then text=found; flag=false; else text="no file $path: check the path"; fi ;;
        *) text="path $path is outside the working directory $PWD" ;;
      esac
      result='{"content":[{"type":"text","text":"'$text'"}],"isError":'$flag'}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;

#[test]
fn a_server_that_keeps_to_its_working_folder_is_started_in_the_workspace_in_confinement() {
    let folder = folder();
    std::fs::write(folder.path().join("kept.sh"), KEPT).expect("it is ours");
    let run = |confine: &str| folder.judged(&format!("--confine {confine}"), &["bash", "./kept.sh"]);
    let refused = run("off");
    let tool = tool_of(&refused, "read_file");
    assert_eq!(tool.valid, None);
    assert!(tool.next.as_ref().is_some_and(|next| next.contains("cwd = \"{workspace}\"")), "{:?}", tool.next);
    let both = run("auto");
    assert!(tool_of(&both, "read_file").valid.is_some(), "{:?}", tool_of(&both, "read_file"));
    assert!(tool_of(&both, "read_file").judged > tool.judged);
    let second = both.server.second;
    assert!(matches!(second, Some(SecondSessionResult::Driven(within)) if within.in_workspace));
}

/// A tool that works on the repository in the server's own folder.
const STATUS: &str = r#"while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -n "$id" ] || continue
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"status","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"git_log","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"count":{"type":"integer"}}}}]}' ;;
    *)
      flag=true
      if [ -d .git ]; then text=found; flag=false; else text="Not a git repository: $PWD"; fi
      result='{"content":[{"type":"text","text":"'$text'"}],"isError":'$flag'}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done"#;

#[test]
fn a_server_that_needs_a_repository_is_started_in_one_in_confinement() {
    let folder = folder();
    std::fs::write(folder.path().join("status.sh"), STATUS).expect("it is ours");
    let run = |confine: &str| folder.judged(&format!("--confine {confine}"), &["bash", "./status.sh"]);
    assert_eq!(tool_of(&run("off"), "git_log").valid, None);
    let both = run("auto");
    assert!(tool_of(&both, "git_log").valid.is_some(), "{:?}", tool_of(&both, "git_log"));
}
