//! The reports for programs: JUnit and the events, whatever the server sent.

use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::finding::State;
use mcp_errconf::judge::{Report, Status};
use serde_json::Value;

use crate::config::SERVER;
use crate::program::{folder, stderr, stdout};
use crate::published::{judged, rendered};
use crate::sample::{conclusion, finding, hostile, report, with_case, with_finding};

fn junit(report: &Report, conclusion: Conclusion) -> String {
    rendered("junit", &[judged(report, conclusion)])
}

/// One case of each status, with a finding that counts.
fn every_status() -> Report {
    let mut report = with_finding(report(), finding("read failed", "read"));
    report = with_case(report, "read/missing", Status::Failed, None);
    report.cases[0].findings.push(0);
    report = with_case(report, "read/fine", Status::Passed, None);
    report = with_case(report, "task/limit", Status::Skipped, Some("no tool was found for the role `shell`"));
    report = with_case(report, "grep/bad", Status::NotJudged, Some("the control did not succeed"));
    with_case(report, "glob/bad", Status::Errored, Some("the server ended (killed by signal 11)"))
}

#[test]
fn failures_errors_and_skipped_cases_stand_apart() {
    let report = every_status();
    insta::assert_snapshot!(junit(&report, conclusion(&report)));
}

#[test]
fn a_known_finding_is_no_failure() {
    let mut report = every_status();
    report.findings[0].state = State::Known;
    report.findings[0].places[0].state = State::Known;
    report.cases[0].status = Status::Passed;
    let shown = junit(&report, Conclusion::Conformant);
    assert!(shown.contains(r#"failures="0""#), "{shown}");
    assert!(shown.contains("(known)"), "{shown}");
}

#[test]
fn nothing_that_a_server_sent_spoils_the_documents() {
    let mut report = hostile();
    let hostile = format!("{}\u{0}\u{fffe}\u{ffff}]]><x a=\"&", crate::sample::HOSTILE);
    report.findings[0].evidence.as_mut().expect("it has evidence").text = hostile.clone();
    report = with_case(report, &hostile, Status::Failed, None);
    let last = report.cases.len() - 1;
    report.cases[last].findings = vec![0, 1];
    report = with_case(report, "x/errored", Status::Errored, Some(&hostile));
    let shown = junit(&report, Conclusion::Findings(1));
    let allowed = |letter: char| matches!(letter, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(shown.chars().all(allowed), "{shown:?}");
    let read = quick_junit::Report::deserialize_from_str(&shown).expect("it is XML");
    assert_eq!(read.test_suites[0].test_cases.len(), report.cases.len());
    for line in shown.lines() {
        assert!(!line.trim_start().starts_with("::") && !line.trim_start().starts_with("##["), "{line}");
    }
    let events = rendered("ndjson", &[judged(&report, Conclusion::Findings(1))]);
    assert_eq!(events.lines().count(), 1);
    assert!(events.trim_end().chars().all(|letter| !letter.is_control()), "{events:?}");
}

#[test]
fn the_events_of_a_run_fit_their_schema_and_end_with_the_report() {
    let folder = folder().with("server.sh", SERVER);
    let run =
        "run --filter read/* --report ndjson --report junit=report.xml --report json=report.json -- env";
    let text = "TEXT=ENOENT: no such file or directory, open x";
    let run = folder.run_with(run, &[text, "sh", "server.sh"]).code(1);
    let schema: Value =
        serde_json::from_str(include_str!("../../schema/ndjson.schema.json")).expect("it is JSON");
    let validator = jsonschema::validator_for(&schema).expect("it is a schema");
    let lines: Vec<Value> =
        stdout(&run).lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    for line in &lines {
        let errors: Vec<String> = validator.iter_errors(line).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
    let events: Vec<&str> = lines.iter().filter_map(|line| line["event"].as_str()).collect();
    assert_eq!((events[0], events[1], events[events.len() - 1]), ("started", "driven", "judged"));
    let last: Report =
        serde_json::from_value(lines[lines.len() - 1]["report"].clone()).expect("it is a report");
    assert_eq!(last, folder.report("report.json"));
    let xml = folder.read("report.xml");
    assert!(xml.starts_with("<?xml") && xml.contains("classname=\"read\""), "{xml}");
}

#[test]
fn in_ci_a_few_plain_lines_tell_how_far_the_run_is_and_elsewhere_none() {
    let folder = folder().with("server.sh", SERVER);
    let arguments = ["run", "--filter", "read/*", "--", "env", "TEXT=x", "sh", "server.sh"];
    let output = |ci: &str| stderr(&folder.program().args(arguments).env("CI", ci).assert());
    let lines = output("true");
    assert!(lines.starts_with("mcp-errconf: script has started; "), "{lines}");
    assert!(lines.lines().count() <= 5 && !lines.contains('\u{1b}') && !lines.contains('\r'), "{lines:?}");
    assert_eq!(output(""), "");
}

#[test]
fn a_disk_that_is_full_is_reported_and_costs_no_other_document() {
    let folder = folder().with("server.sh", SERVER);
    let run = |outputs: &str| {
        let run = format!("run --filter read/missing-file {outputs} -- env TEXT=x sh server.sh");
        folder.run_with(&run, &[]).code(70)
    };
    let run_to_full = run("--report json=/dev/full --report human=report.txt --transcript t.jsonl");
    let said = stderr(&run_to_full);
    assert!(said.contains("cannot write the report to /dev/full"), "{said}");
    assert_eq!(folder.files(), ["report.txt", "server.sh", "t.jsonl"]);
    folder.run(&["judge", "t.jsonl"]).code(1);
    let said = stderr(&run("--transcript /dev/full --report human=again.txt"));
    assert!(said.contains("cannot write the transcript to /dev/full"), "{said}");
    assert!(folder.files().contains(&"again.txt".to_owned()));
}
