//! The second session of a run: behind a wall a tool that writes gets complete calls, and nothing outside is touched.

use mcp_errconf::confinement::Second;
use mcp_errconf::finding::Session;
use mcp_errconf::judge::Status;

use crate::program::folder;

/// Keeps what it is given in a file, and tries to leave a trace beside it: the one tool is of class write.
const SERVER: &str = r#"while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
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
#[cfg(target_os = "linux")]
fn a_tool_that_writes_gets_its_control_and_single_changes_behind_the_wall_alone() {
    let folder = folder();
    let beside = tempfile::tempdir().expect("a temporary folder can be made");
    let canary = beside.path().join("canary");
    std::fs::write(&canary, "whole\n").expect("it is ours");
    let report = |confine: &str| {
        let mut program = folder.program();
        program.env("CANARY", &canary);
        program.args([
            "run",
            "--confine",
            confine,
            "--report",
            "json=report.json",
            "--",
            "bash",
            "-c",
            SERVER,
        ]);
        let _ = program.assert();
        folder.report("report.json")
    };
    let judged = |report: &mcp_errconf::judge::Report, id: &str| {
        let case = report.cases.iter().find(|case| case.id.0 == id)?;
        Some(matches!(case.status, Status::Passed | Status::Failed) && case.reason.is_none())
    };
    let single = "probe/save_mark/count/wrong-type";
    let first = report("off");
    assert_eq!(judged(&first, single), None, "its class forbids it");
    let Some(Second::Missing(why)) = &first.server.second else { panic!("{:?}", first.server.second) };
    assert!(why.contains("`--confine off` was asked for"), "{why}");
    let both = report("auto");
    assert!(matches!(both.server.second, Some(Second::Driven(_))), "{:?}", both.server.second);
    assert_eq!(judged(&both, single), Some(true));
    let places = || both.findings.iter().flat_map(|finding| &finding.places);
    let of_single = |place: &&mcp_errconf::finding::FindingPlace| {
        place.case.as_ref().is_some_and(|case| case.0 == single)
    };
    assert!(
        places().any(|place| of_single(&place) && place.session == Session::Walled),
        "{:?}",
        both.findings
    );
    assert_eq!(std::fs::read_to_string(&canary).expect("it is there"), "whole\n");
}
