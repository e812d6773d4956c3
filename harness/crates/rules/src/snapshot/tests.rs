//! Tests how the texts of a run are compared with those that were accepted.

use serde_json::json;

use super::*;

use crate::expectation::Expected;
use crate::rules::fixture::Fixture;
use crate::transcript::DrivenCase;

/// A run in which `view` refused calls with these texts, each in the named case.
fn run(replies: &[(&str, &str)]) -> (Transcript, Contract) {
    let fixtures: Vec<Fixture> = replies
        .iter()
        .enumerate()
        .map(|(index, (case, text))| {
            let mut fixture =
                Fixture::refusal(text, &json!({"path": "/workspace/x.txt"}), Expected::Anything);
            fixture.exchange.index = index;
            fixture.exchange.place.case = Some(CaseId((*case).to_owned()));
            fixture
        })
        .collect();
    let first = Fixture::refusal("x", &json!({}), Expected::Anything);
    let transcript = Transcript::of(
        first.head.clone(),
        replies.iter().map(|(case, _)| driven(case)).collect(),
        fixtures.into_iter().map(|fixture| fixture.exchange).collect(),
    );
    (transcript, first.contract)
}

fn driven(case: &str) -> DrivenCase {
    DrivenCase {
        title: "A title".to_owned(),
        tools: vec!["view".to_owned()],
        ..DrivenCase::of(CaseId(case.to_owned()))
    }
}

/// The comparison of a second run with the accepted texts of the first one.
fn after(first: &[(&str, &str)], second: &[(&str, &str)]) -> Comparison {
    let (transcript, contract) = run(first);
    let stored = accepted(&transcript, &contract);
    let (mut transcript, contract) = run(second);
    transcript.head.snapshots = Some(stored);
    compare(&transcript, &contract).unwrap()
}

/// The name of each pending text, and whether it is in place of another one.
fn names(comparison: &Comparison) -> Vec<(&str, bool)> {
    comparison.pending.iter().map(|pending| (pending.name.as_str(), pending.before.is_some())).collect()
}

#[test]
fn what_was_accepted_is_kept_whatever_the_values_and_the_order() {
    let comparison = after(
        &[("a/b", "[IO_ERROR] took 12 ms"), ("a/c", "[PATH_NOT_FOUND] /workspace/x.txt is not there")],
        &[("a/c", "[PATH_NOT_FOUND] /workspace/x.txt is not there"), ("a/b", "[IO_ERROR] took 9.5 ms  ")],
    );
    assert_eq!((comparison.pending.len(), comparison.gone.len(), comparison.kept.len()), (0, 0, 2));
}

#[test]
fn a_changed_text_takes_the_place_of_the_one_that_is_left() {
    let both = [("a/b", "[IO_ERROR] first"), ("a/b", "[IO_ERROR] second")];
    let comparison = after(&both, &[("a/b", "[IO_ERROR] second"), ("a/b", "[IO_ERROR] third")]);
    assert_eq!(names(&comparison), [("a__b@view", true)]);
    assert_eq!(comparison.kept[0].0, "a__b@view-2");
    assert_eq!(comparison.gone, []);
}

#[test]
fn one_more_text_of_a_case_has_a_name_of_its_own() {
    let comparison = after(&[("a/b", "first")], &[("a/b", "another"), ("a/b", "first")]);
    assert_eq!(names(&comparison), [("a__b@view-2", false)]);
}

#[test]
fn another_code_is_another_text() {
    let comparison = after(&[("a/b", "[IO_ERROR] It failed.")], &[("a/b", "[ACCESS_DENIED] It failed.")]);
    assert_eq!(names(&comparison), [("a__b@view", true)]);
    assert!(comparison.pending[0].taken.text.starts_with("code: ACCESS_DENIED\n\n[ACCESS_DENIED]"));
}

#[test]
fn a_snapshot_whose_case_is_gone_is_reported_and_one_whose_reply_is_gone_too() {
    let (transcript, contract) = run(&[("a/gone", "first"), ("a/here", "second")]);
    let stored = accepted(&transcript, &contract);
    let (mut transcript, contract) = run(&[]);
    transcript.cases.push(driven("a/here"));
    transcript.head.snapshots = Some(stored);
    let what = |transcript: &Transcript| {
        let gone = compare(transcript, &contract).unwrap().gone;
        gone.into_iter().map(|gone| (gone.name, gone.what)).collect::<Vec<_>>()
    };
    let expected =
        [("a__gone@view".to_owned(), StaleKind::Case), ("a__here@view".to_owned(), StaleKind::Reply)];
    assert_eq!(what(&transcript), expected);
    transcript.cases[0].outcome = CaseOutcome::Skipped("no tool".to_owned());
    assert_eq!(what(&transcript), expected[..1]);
    transcript.interrupted = true;
    assert_eq!(what(&transcript), []);
}

#[test]
fn a_text_of_many_lines_keeps_them_and_holds_no_control() {
    let (transcript, contract) = run(&[("a/b", "one\u{1b}[31m\n\t two   3\r\n\n")]);
    let stored = accepted(&transcript, &contract).stored;
    insta::assert_snapshot!(stored[0].text);
}

#[test]
fn a_text_without_end_is_cut() {
    let (transcript, contract) = run(&[("a/b", &"é\n".repeat(100_000))]);
    let stored = accepted(&transcript, &contract).stored;
    assert!(stored[0].text.len() < KEPT + 10 && stored[0].text.ends_with("[...]"));
}
