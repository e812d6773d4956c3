//! `compare`: two reports of a server, before and after a change.

use mcp_errconf::finding::{Finding, Level, State};
use mcp_errconf::judge::{Mended, Report, Status};
use serde_json::Value;

use crate::program::{Folder, folder, stderr, stdout};
use crate::published::{mixed, text, with_text};
use crate::sample::{finding, on, report, with_case, with_finding};
use proptest::prelude::*;

fn compared(before: &Report, after: &Report) -> Folder {
    let text = |report: &Report| serde_json::to_string(report).expect("it serializes");
    folder().with("a.json", &text(before)).with("b.json", &text(after))
}

/// The comparison as data, and its exit code.
fn data(before: &Report, after: &Report, more: &[&str]) -> (Value, Option<i32>) {
    let folder = compared(before, after);
    let run = folder.run(&[&["compare", "a.json", "b.json", "--format", "json"], more].concat());
    let document = serde_json::from_str(&stdout(&run)).expect("it is JSON");
    (document, run.get_output().status.code())
}

fn should(mut finding: Finding) -> Finding {
    finding.level = Level::Should;
    finding
}

#[test]
fn a_report_is_no_worse_than_itself() {
    let (document, code) = data(&mixed(), &mixed(), &["--strict"]);
    assert_eq!(code, Some(0));
    assert_eq!(document["unchanged"], 3);
    for empty in ["new", "gone", "changed", "remarks"] {
        assert_eq!(document[empty], Value::Array(Vec::new()), "{empty}");
    }
}

#[test]
fn what_is_new_what_is_gone_and_which_texts_are_others_is_reported() {
    let cases = |report| {
        with_case(
            with_case(report, "read/missing", Status::Failed, None),
            "write/vague",
            Status::Passed,
            None,
        )
    };
    let before = cases(report());
    let before = with_finding(before, on("read_file", "read/missing", "It failed in old words."));
    let before = with_finding(before, on("write_file", "write/vague", "It went wrong."));
    let before = with_finding(before, on("grep", "grep/elsewhere", "Gone, or not looked at."));
    let mut after = with_finding(cases(report()), on("read_file", "read/missing", "It failed in new words."));
    after = with_finding(after, on("list", "list/missing", "A new one."));
    after.findings[0].signature = "other words".to_owned();
    let folder = compared(&before, &after);
    let output = stdout(&folder.run(&["compare", "a.json", "b.json"]).code(1));
    insta::assert_snapshot!(output);
    let output = stdout(&folder.run(&["compare", "a.json", "b.json", "--format", "markdown"]).code(1));
    insta::assert_snapshot!(output);
}

#[test]
fn only_what_counts_makes_the_second_report_worse() {
    let clean = with_case(report(), "read/missing", Status::Passed, None);
    let with = |finding: Finding| with_finding(clean.clone(), finding);
    let new = finding("It failed.", "failed");
    let mut known = new.clone();
    known.state = State::Known;
    for (after, strict, expected) in [
        (with(new.clone()), false, 1),
        (with(should(new.clone())), false, 0),
        (with(should(new)), true, 1),
        (with(known), true, 0),
    ] {
        let more: &[&str] = if strict { &["--strict"] } else { &[] };
        let (document, code) = data(&clean, &after, more);
        assert_eq!(code, Some(expected), "{document}");
        assert_eq!(data(&after, &clean, more).1, Some(0), "less is not worse");
    }
}

#[test]
fn the_measure_of_messages_goes_up_or_down_by_its_share() {
    let with = |of, one, two, not| {
        let mut report = report();
        report.summary.mended = Mended { of, one, two, not };
        report
    };
    for (before, after, trend, code) in [
        (with(3, 1, 1, 1), with(6, 4, 0, 2), "same", 0),
        (with(3, 1, 1, 1), with(6, 5, 0, 1), "up", 0),
        (with(3, 1, 1, 1), with(6, 3, 0, 3), "down", 1),
        (with(0, 0, 0, 0), with(6, 3, 0, 3), "unmeasured", 0),
    ] {
        let (document, strict) = data(&before, &after, &["--strict"]);
        assert_eq!((document["mended"].as_str(), strict), (Some(trend), Some(code)));
        assert_eq!(data(&before, &after, &[]).1, Some(0));
    }
}

#[test]
fn findings_in_another_order_or_grouping_are_the_same() {
    let mut apart = mixed();
    let mut again = apart.findings[0].clone();
    again.places[0].case = apart.findings[1].case.clone();
    again.case = again.places[0].case.clone();
    let mut together = apart.clone();
    together.findings[0].places.extend(again.places.clone());
    together.findings.reverse();
    apart.findings.push(again);
    let (document, _) = data(&apart, &together, &[]);
    assert_eq!(
        (document["new"].clone(), document["gone"].clone()),
        (Value::Array(vec![]), Value::Array(vec![]))
    );
}

#[test]
fn what_is_no_report_is_reported_with_its_place() {
    let folder = folder().with("a.json", "{\n]").with("b.json", "{}");
    let output = |before: &str, after: &str| stderr(&folder.run(&["compare", before, after]).code(2));
    assert!(output("a.json", "b.json").contains("a.json:2:1: not a report written by `--report json`"));
    assert!(output("none.json", "b.json").contains("cannot read `none.json`"));
    let mut newer = report();
    newer.schema_version = 2;
    let folder = compared(&newer, &report());
    assert!(stderr(&folder.run(&["compare", "a.json", "b.json"]).code(2)).contains("schema_version 2"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn nothing_of_a_servers_words_is_a_control_or_markup(text in text()) {
        let comparison = mcp_errconf::comparison::ReportDelta::between(&report(), &with_text(&text));
        let (human, markdown) = (comparison.human(), comparison.markdown());
        prop_assert!(!human.chars().chain(markdown.chars()).any(|c| c.is_control() && c != '\n'));
        let plain = mcp_errconf::comparison::ReportDelta::between(&report(), &with_text("xy")).markdown();
        prop_assert_eq!(markdown.lines().count(), plain.lines().count());
        let structure = |document: &str| pulldown_cmark::Parser::new(document).filter(|event| matches!(event, pulldown_cmark::Event::Start(_) | pulldown_cmark::Event::Html(_) | pulldown_cmark::Event::InlineHtml(_))).count();
        prop_assert_eq!(structure(&markdown), structure(&plain));
    }
}

#[test]
fn what_was_a_lesser_finding_before_makes_the_second_report_worse() {
    let found = finding("It failed.", "failed");
    let graver = with_finding(report(), found.clone());
    let lesser = with_finding(report(), should(found));
    let (document, code) = data(&lesser, &graver, &[]);
    assert_eq!((document["new"].as_array().map(Vec::len), code), (Some(1), Some(1)), "{document}");
    let (document, code) = data(&graver, &lesser, &[]);
    assert_eq!((document["new"].as_array().map(Vec::len), code), (Some(0), Some(0)), "{document}");
    assert_eq!(document["gone"].as_array().map(Vec::len), Some(0), "{document}");
}
