//! Requests that no tool sees, what was cancelled, what a server was told of its root, and what passes.

use std::sync::LazyLock;

use mcp_errconf::judge::{Report, Status};
use mcp_errconf::transcript::{RootReach, RootSource};

use crate::program::folder;

/// A book with a page. `$1` says what it does wrong: it answers every method (`any`), stops at a cancelled request (`stop`),
/// reports a time-out as a success (`slow`), or shows nothing any more after a call without arguments, without a reason
/// (`sulk`) or with one (`lock`).
const BOOK: &str = r#"spoilt=
while read -r line; do
  case "$line" in
    *'notifications/cancelled'*) [ "$1" = stop ] && while read -r line; do :; done; continue ;;
    *'"id"'*) ;;
    *) continue ;;
  esac
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  say() { reply="\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  refuse() { reply="\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
  case "$1 $line" in
    'sulk '*'"name":"read_page","arguments":{}'*) spoilt='The shelf is in pieces.' ;;
    'lock '*'"name":"read_page","arguments":{}'*) spoilt='The page is locked by Ada.' ;;
  esac
  case "$line" in
    *'"initialize"'*) reply='"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"book","version":"1"}}' ;;
    *'"ping"'*) reply='"result":{}' ;;
    *'"tools/list"'*) reply='"result":{"tools":[{"name":"read_page","description":"Reads a page, such as `front`","inputSchema":{"type":"object","properties":{"page":{"type":"string"}},"required":["page"],"additionalProperties":false},"annotations":{"readOnlyHint":true}}]}' ;;
    *'"name":"read_page","arguments":{"page":"front"}'*) if [ -n "$spoilt" ]; then refuse "$spoilt"; else say 'It is a book.'; fi ;;
    *'"name":"read_page"'*) if [ "$1" = slow ]; then say 'Request timed out after 30 s'; else refuse "'page' must be a text, and nothing else may be sent: send 'front'."; fi ;;
    *'"tools/call"'*) reply='"error":{"code":-32602,"message":"Say in `name` which tool is meant: read_page."}' ;;
    *) if [ "$1" = any ]; then reply='"result":{}'; else reply='"error":{"code":-32601,"message":"There is no such method. This server has tools/list and tools/call."}'; fi ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$reply"
done"#;

/// The report on it, and what people read of it.
fn report(manner: &str, config: &str, more: &[&str]) -> (Report, String) {
    let folder = folder().with("server.sh", BOOK).with("mcp-errconf.toml", config);
    let options = "-v --contract plain --confine off --timeout 2 --report human=report.txt";
    let report = folder.judged(options, &[&["bash", "server.sh", manner][..], more].concat());
    (report, folder.read("report.txt"))
}

/// The report on a server that does nothing wrong.
static SOUND: LazyLock<Report> = LazyLock::new(|| report("sound", "", &[]).0);

/// The rules that are broken in cases whose ids begin so.
fn broken<'r>(report: &'r Report, begin: &str) -> Vec<(&'r str, &'r str)> {
    let places = report.findings.iter().flat_map(|finding| {
        finding
            .places
            .iter()
            .filter_map(|place| Some((place.case.as_ref()?.0.as_str(), finding.rule.as_str())))
    });
    places.filter(|(case, _)| case.starts_with(begin)).collect()
}

#[test]
fn a_server_that_refuses_what_no_tool_sees_passes_and_one_that_answers_everything_is_told() {
    let sound = &*SOUND;
    assert_eq!(broken(sound, "protocol/"), []);
    for case in ["unknown-method", "call-without-name", "name-no-text", "cancelled"] {
        let id = format!("protocol/{case}");
        let status = sound.cases.iter().find(|verdict| verdict.id.0 == id).map(|verdict| verdict.status);
        assert_eq!(status, Some(Status::Passed), "{id}");
    }
    let (any, _) = report("any", "", &[]);
    assert_eq!(broken(&any, "protocol/"), [("protocol/unknown-method", "channel/accepted-bad-input")]);
}

#[test]
fn one_of_these_requests_can_be_chosen_by_its_id() {
    let folder = folder().with("server.sh", BOOK);
    let options = "--contract plain --filter protocol/cancelled";
    let report = folder.judged(options, &["bash", "server.sh", "sound"]);
    let driven: Vec<&str> = report.cases.iter().map(|verdict| verdict.id.0.as_str()).collect();
    assert_eq!(driven, ["protocol/cancelled"]);
}

#[test]
fn a_server_that_stops_at_a_cancelled_request_is_told() {
    let (stopped, _) = report("stop", "", &[]);
    assert_eq!(broken(&stopped, "protocol/"), [("protocol/cancelled", "liveness/no-reply")]);
    assert_eq!(broken(&stopped, "session/"), [("session/cancelled", "liveness/no-reply")]);
}

#[test]
fn valid_call_that_is_refused_after_a_refused_one_is_reported_unless_a_reason_is_given() {
    let status = |report: &Report, id: &str| {
        report.cases.iter().find(|verdict| verdict.id.0 == id).map(|verdict| verdict.status)
    };
    let sound = &*SOUND;
    assert_eq!(broken(sound, "session/"), []);
    for case in ["session/progress", "session/in-flight", "session/cancelled", "session/after-refusal"] {
        assert_eq!(status(sound, case), Some(Status::Passed), "{case}");
    }
    let (sulking, _) = report("sulk", "", &[]);
    assert_eq!(broken(&sulking, "session/"), [("session/after-refusal", "channel/false-error")]);
    let (locked, _) = report("lock", "", &[]);
    assert_eq!(broken(&locked, "session/"), []);
    assert_eq!(status(&locked, "session/after-refusal"), Some(Status::NotJudged));
}

#[test]
fn a_time_out_that_is_told_as_a_success_is_that_alone() {
    let (slow, _) = report("slow", "", &[]);
    let rules: std::collections::BTreeSet<_> =
        broken(&slow, "probe/").into_iter().map(|(_, rule)| rule).collect();
    assert!(rules.contains("channel/disguised-error"), "{rules:?}");
    assert!(!rules.iter().any(|rule| rule.starts_with("message/")), "{rules:?}");
}

#[test]
fn the_report_says_what_the_root_was_read_from_and_the_configuration_comes_first() {
    let root = |config: &str, more: &[&str]| {
        let (report, text) = report("sound", config, more);
        let line = text.lines().find(|line| line.starts_with("root")).unwrap_or_default().to_owned();
        (report.server.root.map(|root| (root.source, root.given, root.reach)), line)
    };
    let (given, line) = root("", &["{workspace}"]);
    assert_eq!(given, Some((RootSource::CommandLine, "{workspace}".to_owned(), RootReach::Workspace)));
    assert!(line.contains("the workspace, by `{workspace}` of the command line"), "{line}");
    let (given, line) = root("[limits]\nroot = false\n", &["{workspace}"]);
    assert_eq!(given, Some((RootSource::Configuration, "root = false".to_owned(), RootReach::Workspace)));
    assert!(line.contains("none, by `[limits] root = false`"), "{line}");
    let (given, line) = root("", &["--root", "/"]);
    assert_eq!(given, Some((RootSource::CommandLine, "--root /".to_owned(), RootReach::Everything)));
    assert!(line.contains("no path outside it is tried") || line.contains("holds all"), "{line}");
    assert_eq!(root("", &[]), (None, String::new()));
}
