//! What the reports show of a run.

use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::finding::{Cause, Evidence, FindingPlace, Layer, Level, Shared, State};
use mcp_errconf::judge::{Mendable, Messages, Report, Status};
use mcp_errconf::report::{Detail, FORMATS, Promises, ReportSettings, ReportView, Theme, human};
use proptest::prelude::{prop_assert, proptest};
use serde_json::json;
use unicode_width::UnicodeWidthStr as _;

use crate::published::shown;
use crate::sample::{
    conclusion, contract, finding, hostile, on, place, report, with_case, with_finding, worded,
};

fn settings() -> ReportSettings {
    ReportSettings::of_file(Promises::new(&contract()))
}

fn shown_with(report: &Report, settings: &ReportSettings) -> String {
    human::render(ReportView::new(report, &conclusion(report), settings))
}

fn human(report: &Report) -> String {
    shown_with(report, &settings())
}

fn concluded(report: &Report, conclusion: &Conclusion) -> String {
    human::render(ReportView::new(report, conclusion, &settings()))
}

fn clean() -> Report {
    let clean = with_case(report(), "read/missing", Status::Passed, None);
    with_case(clean, "grep/missing", Status::Passed, None)
}

fn one_finding() -> Report {
    let text = "ENOENT: no such file or directory, open '{workspace}/absent.txt'";
    let failed = with_case(report(), "read/missing", Status::Failed, None);
    with_finding(failed, finding(text, "ENOENT"))
}

fn folded() -> Report {
    let mut first = finding("File not found: {workspace}/absent.txt", "File");
    first.places.push(place("read/outside", "read_file"));
    for other in [
        on("write_file", "write/directory", "EISDIR: illegal operation on a directory"),
        on("grep", "grep/invalid-pattern", "regex parse error:\n    [unclosed\n    ^\nerror: unclosed class"),
    ] {
        first.wordings.push(worded(&other));
        let wording = first.wordings.len();
        first.places.extend(other.places.into_iter().map(|place| FindingPlace { wording, ..place }));
    }
    (first.tool, first.count) = (None, first.places.len());
    first.cause = Some(Cause { id: "00000000000000aa".into(), shared: Shared::Server });
    let mut unlike = on("read_file", "read/vague", "It failed.");
    unlike.rule = "message/vague".into();
    unlike.help = "say what failed".into();
    unlike.requirement = "BC-19".into();
    [first, unlike].into_iter().fold(with_case(report(), "read/missing", Status::Failed, None), with_finding)
}

fn not_judged() -> Report {
    let absent = "no tool was found for the role `shell`";
    let mut report = with_case(clean(), "bash/empty", Status::Skipped, Some(absent));
    report = with_case(report, "bash/exit", Status::Skipped, Some(absent));
    report = with_case(report, "read/too-large", Status::Skipped, Some("the largest file is not known"));
    let reply = "no valid call is known for `replace`: its reply was `Error: view it first`";
    report = with_case(report, "replace/ambiguous", Status::NotJudged, Some(reply));
    report = with_case(report, "glob/invalid", Status::Errored, Some("the server was killed by signal 6"));
    report.summary.messages = Messages::default();
    report.summary.mendable = Mendable { of: 0, held: 0 };
    report
}

#[test]
fn a_clean_run_is_reported_in_a_few_lines() {
    insta::assert_snapshot!(human(&clean()));
}

#[test]
fn a_finding_tells_what_was_sent_what_came_what_was_promised_and_how_to_mend_it() {
    insta::assert_snapshot!(human(&one_finding()));
}

#[test]
fn one_fault_in_many_places_is_shown_once() {
    insta::assert_snapshot!(human(&folded()));
}

#[test]
fn what_was_not_judged_is_gathered_by_its_reason() {
    insta::assert_snapshot!(human(&not_judged()));
}

/// A report with every part that can be long, at this width.
fn crowded(columns: usize, detail: Detail) -> String {
    let words = "The call was refused because the server says so at length. ".repeat(40);
    let mut report = not_judged();
    for number in 0..30 {
        let id = format!("probe/tool-{number}/a-long-parameter-name/wrong-type");
        report = with_case(report, &id, Status::Skipped, Some(&format!("{words}{number}")));
        let mut long = finding(&format!("{}\n{}", "x".repeat(900), words), "xxx");
        (long.help, long.message) = (words.clone(), words.clone());
        long.sent = json!({"name": "write_file", "arguments": {"content": words, "path": "a".repeat(70)}});
        long.places.extend((0..40).map(|place_number| place(&format!("read/{place_number}"), "read_file")));
        report = with_finding(report, long);
    }
    shown_with(&report, &ReportSettings { columns: Some(columns), detail, ..settings() })
}

#[test]
fn no_line_is_wider_than_the_terminal_and_no_finding_longer_than_fifteen_lines() {
    for columns in [60, 80, 110] {
        for detail in [Detail::Brief, Detail::Full] {
            let shown = crowded(columns, detail);
            let wide = shown.lines().find(|line| line.width() > columns && !line.starts_with("next "));
            assert_eq!(wide, None, "at {columns} columns");
        }
        let shown = crowded(columns, Detail::Brief);
        let findings: Vec<&str> = shown.split("\n\n").filter(|part| part.starts_with("must[")).collect();
        assert_eq!(findings.len(), 10);
        let longest = findings.iter().map(|finding| finding.lines().count()).max();
        assert!(longest <= Some(15), "{longest:?} lines at {columns} columns");
    }
}

#[test]
fn a_concise_report_has_one_line_for_each_finding() {
    let report = folded();
    let shown = shown_with(&report, &ReportSettings { detail: Detail::Concise, ..settings() });
    insta::assert_snapshot!(shown);
}

#[test]
fn known_findings_take_one_line_each_after_the_new_ones() {
    let mut known = on("grep", "grep/invalid-pattern", "regex parse error");
    known.state = State::Known;
    known.places[0].state = State::Known;
    let report = with_finding(one_finding(), known);
    insta::assert_snapshot!(human(&report));
}

#[test]
fn more_detail_tells_why_a_tool_plays_its_role() {
    let report = clean();
    insta::assert_snapshot!(shown_with(&report, &ReportSettings { detail: Detail::Full, ..settings() }));
}

#[test]
fn what_a_server_sent_cannot_act_on_the_terminal() {
    let shown = human(&hostile());
    assert!(shown.contains("\\u{1b}[31mred"), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn colours_change_nothing_but_colours() {
    let report = one_finding();
    let coloured = shown_with(&report, &ReportSettings { theme: Theme::coloured(), ..settings() });
    let stripped = anstream::adapter::strip_str(&coloured).to_string();
    assert_eq!(stripped, human(&report));
    insta::assert_snapshot!(coloured.replace('\u{1b}', "ESC"));
}

#[test]
fn a_long_text_of_many_lines_is_shown_around_the_fault() {
    let before = "a line of the trace\n".repeat(40);
    let text = format!("{before}{}goroutine 7 [running]{}\n{before}", "x".repeat(300), "y".repeat(300));
    let mut long = finding(&text, "goroutine 7 [running]");
    long.sent = json!({"name": "write_file", "arguments": {"content": "z".repeat(4000), "path": "a"}});
    insta::assert_snapshot!(human(&with_finding(report(), long)));
}

#[test]
fn a_finding_without_a_text_or_a_case_says_so() {
    let mut silent = finding("x", "x");
    silent.rule = "liveness/no-reply".into();
    silent.message = "no reply came within 10 seconds".into();
    silent.evidence = None;
    silent.case = None;
    silent.tool = None;
    silent.requirement = "MCP: a receiver must answer every request".into();
    silent.level = Level::Should;
    silent.layer = Some(Layer::Sdk);
    silent.state = State::Known;
    silent.places.clear();
    silent.sent = json!([{"name": "a", "arguments": {}}, {"name": "b", "arguments": {}}]);
    insta::assert_snapshot!(human(&with_finding(report(), silent)));
}

#[test]
fn every_conclusion_has_its_verdict() {
    let mut bundled = clean();
    bundled.server.bundled = true;
    let mut unexercised = report();
    unexercised.server.name.clear();
    unexercised.server.protocol_version.clear();
    unexercised.summary = mcp_errconf::judge::Summary::default();
    unexercised.bindings.clear();
    let ended = "it ended before it answered `initialize` (exit status 1)";
    let unexercised = with_case(unexercised, "read/missing", Status::Skipped, Some(ended));
    let verdicts = [
        (&bundled, Conclusion::Conformant),
        (&unexercised, Conclusion::NotExercised(ended.to_owned())),
        (&unexercised, Conclusion::NothingSelected("no case matches `--filter x`".to_owned())),
        (&clean(), Conclusion::NothingJudged),
        (&one_finding(), Conclusion::Interrupted),
    ];
    let shown: Vec<_> = verdicts.iter().map(|(report, conclusion)| concluded(report, conclusion)).collect();
    insta::assert_snapshot!(shown.join("\n================\n\n"));
}

#[test]
fn the_json_report_is_the_whole_report() {
    for report in [folded(), hostile()] {
        let read: Report = serde_json::from_str(&shown("json", &report)).expect("it is a report");
        assert_eq!(read, report);
    }
    insta::assert_snapshot!(shown("json", &one_finding()));
}

proptest! {
    #[test]
    fn any_part_of_any_text_can_be_shown(text in "(?s:.){0,60}|(a| |\n){0,300}", start: usize, length in 0_usize..80) {
        let mut report = one_finding();
        let start = start % (text.len() + 1);
        report.findings[0].evidence = Some(Evidence::marked(text, start..start + length));
        for format in FORMATS {
            prop_assert!(!shown(format.name, &report).is_empty());
        }
    }
}
