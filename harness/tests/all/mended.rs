//! The measure of messages: whether a reader who has only an error reply mends the call.

use mcp_errconf::exchange::Step;
use mcp_errconf::finding::Level;
use mcp_errconf::judge::{CaseVerdict, MendedIn, Report, Status};

use crate::program::{Folder, PROGRAM, folder, in_one_line, stdout, tool_of};

/// A run of the reference server, with its recording in `t.jsonl`.
fn run(folder: &Folder, defect: &[&str], filter: &str) -> Report {
    let options = format!("--confine off --contract bracket-code --transcript t.jsonl --filter {filter}");
    let server = [PROGRAM, "serve", "--workdir", "{workspace}", "--contract", "bracket-code"];
    folder.judged(&options, &[&server[..], defect].concat())
}

#[test]
fn without_hints_far_fewer_calls_are_mended() {
    let folder = folder();
    let [clean, bare] = [&[][..], &["--defect", "message/hint-missing"]]
        .map(|defect| run(&folder, defect, "{read,replace,probe/view}/**").summary.mended);
    assert!(bare.one + bare.two < (clean.one + clean.two) / 2, "{bare:?}, not {clean:?}");
    assert!(bare.not > clean.not * 4, "{bare:?}, not {clean:?}");
}

#[test]
fn the_figures_are_those_of_the_tools_and_a_recording_gives_the_same() {
    let folder = folder();
    let report = run(&folder, &[], "{read,replace}/*");
    let of_tools = report.tools.iter().map(|tool| tool.mended.of).sum::<usize>();
    assert_eq!(report.summary.mended.of, of_tools);
    let view = tool_of(&report, "view");
    let counted = view.replies.iter().map(|reply| reply.count).sum::<usize>();
    assert!(counted > 0 && counted == view.mended.of, "{view:?}");
    assert!(view.replies.iter().all(|reply| reply.calls == MendedIn::Not || !reply.words.is_empty()));
    assert_eq!(folder.rejudged(), report);
}

#[test]
fn what_is_not_the_callers_to_mend_is_not_measured() {
    let folder = folder();
    let report = run(&folder, &[], "{http,shell,reserve,read}/*");
    let conditions: Vec<&str> = report
        .tools
        .iter()
        .flat_map(|tool| tool.replies.iter().map(|reply| reply.condition.as_str()))
        .collect();
    for circumstance in ["task-limit", "io-failure", "file-too-large", "held-by-another", "start-failed"] {
        assert!(!conditions.contains(&circumstance), "{conditions:?}");
    }
    assert!(conditions.contains(&"path-not-found"), "{conditions:?}");
}

#[test]
fn a_limit_that_is_refused_when_it_is_kept_is_reported_with_both_calls() {
    let folder = folder();
    let report = run(&folder, &["--defect", "message/hint-wrong/last-line"], "read/range-*");
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert_eq!((finding.rule.as_str(), finding.level), ("message/hint-wrong", Level::Must));
    let calls = finding.sent.as_array().expect("both calls are told");
    let ranges: Vec<_> = calls.iter().map(|call| call["arguments"]["view_range"].clone()).collect();
    assert_eq!(ranges, [serde_json::json!([70, 71]), serde_json::json!([4, 4])]);
    let recording = folder.read("t.jsonl");
    let step = serde_json::to_string(&Step::Mend).expect("a step is a word");
    assert!(recording.contains(&format!("\"step\":{step}")));
}

#[test]
fn detail_shows_by_which_words_each_call_was_mended() {
    let folder = folder();
    let output = stdout(&folder.run(&["run", "--bundled", "--confine", "off", "--filter", "read/*", "-v"]));
    let output = in_one_line(&output);
    assert!(output.contains("can be fixed from the message alone"), "{output}");
    let by =
        "view, path-not-found: No file or directory exists at '{workspace}/read-missing-file/absent.txt'.";
    assert!(
        output.contains(&format!("1 call 1 {by}")) && output.contains("(by: [PATH_NOT_FOUND]"),
        "{output}"
    );
}

/// `get_mode` names two modes and takes neither, `get_speed` names two and takes the second, `get_pace` says that it may pass.
const MODES: &str = r#"
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -n "$id" ] || continue
  value=$(printf '%s' "$line" | sed -n 's/.*"mode": *\("[^"]*"\|[0-9a-z.-]*\).*/\1/p' | tr -d '"')
  flag=true; more=
  tool() { printf '{"name":"%s","description":"Gets it in a mode.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"mode":{"type":"string"}},"required":["mode"]}}' "$1"; }
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"modes","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":['$(tool get_mode),$(tool get_speed),$(tool get_pace)']}' ;;
    *'"tools/call"'*)
      case "$line" in
        *'"get_speed"'*) [ "$value" = slow ] && flag=false ;;
        *'"get_pace"'*) more=' The service is busy.' ;;
      esac
      text="\`mode\` \\\"$value\\\" is not valid: use \`fast\` or \`slow\`.$more"
      [ $flag = true ] || text=done
      result='{"content":[{"type":"text","text":"'$text'"}],"isError":'$flag'}' ;;
    *) result='{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$(printf '%s' "$result" | tr -d '\n')"
done"#;

#[test]
fn a_set_of_which_no_member_is_taken_is_a_wrong_hint_also_where_no_valid_call_is_known() {
    let folder = folder();
    let report = folder.judged("--confine off --contract plain", &["bash", "-c", MODES]);
    let wrong = report.findings.iter().filter(|finding| finding.rule == "message/hint-wrong");
    let wrong: Vec<_> = wrong.collect();
    let [finding] = wrong.as_slice() else { panic!("{wrong:#?}") };
    assert_eq!(finding.level, Level::Must);
    let mut tools: Vec<_> = finding.places.iter().filter_map(|place| place.tool.as_deref()).collect();
    tools.sort_unstable();
    tools.dedup();
    assert_eq!(tools, ["get_mode", "get_speed"], "what may pass is no fault of the hint");
    let calls = finding.sent.as_array().expect("both calls are told");
    assert_eq!(calls[1]["arguments"]["mode"], "fast");
    let is_judged =
        |case: &&CaseVerdict| case.id.0.starts_with("probe/get_speed/") && case.status != Status::NotJudged;
    assert!(report.cases.iter().any(|case| is_judged(&case)), "the second member was tried");
}
