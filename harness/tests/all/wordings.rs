//! The rules on messages speak where a wording lacks something, and not where it lacks nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

#[path = "../../examples/score/wordings.rs"]
mod labelled;

use mcp_errconf::judge::Status;

use crate::reviewed;
use labelled::{FaultyCall, Lack, Wording, places, read_calls};

const WORDINGS: &str = include_str!("../../../conformance-cases/corpus/wordings.jsonl");
const CALLS: &str = include_str!("../../../conformance-cases/corpus/wordings-calls.jsonl");

fn wordings() -> Vec<Wording> {
    Wording::read_all(WORDINGS).expect("every line is well-formed")
}

fn calls() -> BTreeMap<String, FaultyCall> {
    read_calls(CALLS).expect("every line is well-formed")
}

/// What the rules say of a wording, and where its labels say otherwise.
fn verdict(wording: &Wording, calls: &BTreeMap<String, FaultyCall>) -> String {
    let findings = wording.findings(calls);
    let words: BTreeSet<String> = findings.iter().map(|(rule, level)| format!("{level} {rule}")).collect();
    let said = if words.is_empty() { "nothing".to_owned() } else { Vec::from_iter(words).join(", ") };
    let mut said = format!("{}: {said}", wording.id);
    for place in places(wording, calls, &findings) {
        let rule = place.lack.rule();
        if place.lacks && !place.is_found {
            write!(said, "; missed: {rule}").expect("a string takes everything");
        } else if !place.lacks && place.level.is_some() {
            write!(said, "; false alarm: {rule}").expect("a string takes everything");
        }
    }
    said + "\n"
}

#[test]
fn the_rules_say_of_every_wording_what_was_reviewed() {
    let calls = calls();
    let verdicts = wordings().iter().map(|wording| verdict(wording, &calls)).collect();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance-cases/corpus/wordings.verdicts");
    reviewed::check([(file, verdicts)]);
}

#[test]
fn every_wording_has_an_id_of_its_own_and_each_hand_is_on_one_side() {
    let (wordings, calls) = (wordings(), calls());
    let ids: BTreeSet<&str> = wordings.iter().map(|wording| wording.id.as_str()).collect();
    assert_eq!(ids.len(), wordings.len());
    let mut sides: BTreeMap<(&str, &str), BTreeSet<bool>> = BTreeMap::new();
    for wording in &wordings {
        assert!(calls.contains_key(&wording.call), "{}: {}", wording.id, wording.call);
        sides.entry((&wording.language, &wording.hand)).or_default().insert(wording.aside);
        let asked = |lack: &Lack| wording.is_asked(*lack, &calls);
        assert!(wording.lacks.iter().all(asked), "{}: nobody asks for that", wording.id);
    }
    assert!(sides.values().all(|side| side.len() == 1), "{sides:?}");
    let count = |is_english: bool, aside: bool| {
        let is_it = |wording: &&Wording| (wording.language == "en", wording.aside) == (is_english, aside);
        wordings.iter().filter(is_it).count()
    };
    assert!(count(true, false) >= 200 && count(true, true) >= 200, "in English");
    assert!(count(false, false) >= 100 && count(false, true) >= 100, "in other languages");
}

#[test]
fn where_only_the_grammar_of_another_language_would_tell_a_case_is_not_judged() {
    let (wordings, calls) = (wordings(), calls());
    let of = |text: &str| {
        let wording = wordings.iter().find(|wording| wording.text == text).expect("it is in the corpus");
        let report = wording.report(&calls);
        let mendable = report.summary.mendable;
        (report.cases[0].status, mendable.held, mendable.of)
    };
    assert_eq!(of("Der Wert 0 f\u{fc}r count ist unzul\u{e4}ssig."), (Status::NotJudged, 0, 0));
    let output =
        "Der Wert 0 f\u{fc}r count ist unzul\u{e4}ssig. Zul\u{e4}ssig sind ganze Zahlen von 1 bis 20.";
    assert_eq!(of(output), (Status::Passed, 1, 1));
    assert_eq!(of("Bad count: 0"), (Status::Passed, 0, 1), "in English the hint is missing");
}

#[test]
fn a_line_that_is_no_json_is_reported_with_its_number() {
    assert!(Wording::read_all("\n{").is_err_and(|message| message.starts_with("line 2: ")));
}
