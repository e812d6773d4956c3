//! The corpus of labelled texts holds what it says, and the rules agree with its labels.

use std::collections::BTreeSet;

#[path = "../../examples/hint_score/labelled.rs"]
mod labelled;
#[expect(dead_code, reason = "the example shows more of a tally than this test")]
#[path = "../../examples/hint_score/tally.rs"]
mod tally;

use labelled::{HintLabel, Labelled};
use tally::Tally;

const CORPUS: &str = include_str!("../../../conformance-cases/corpus/hints.jsonl");

fn firm() -> Vec<Labelled> {
    let lines = Labelled::read_all(CORPUS).expect("every line is well-formed");
    lines.into_iter().filter(|line| !line.borderline).collect()
}

#[test]
fn every_line_of_the_corpus_has_an_id_of_its_own_and_both_kinds_of_source_are_there() {
    let lines = Labelled::read_all(CORPUS).expect("every line is well-formed");
    let ids: BTreeSet<&str> = lines.iter().map(|line| line.id.as_str()).collect();
    assert_eq!(ids.len(), lines.len());
    let written = lines.iter().filter(|line| line.is_written()).count();
    assert!(written >= 100 && lines.len() - written >= 50, "{written} of {}", lines.len());
}

#[test]
fn the_rule_on_hints_agrees_with_the_labels() {
    let asked = firm().into_iter().filter(|line| line.label_hint != HintLabel::NotApplicable);
    let tally = Tally::of(asked.map(|line| {
        let verdict = line.verdict().expect("the contract is built in");
        (line.label_hint == HintLabel::Hint, verdict.hint)
    }));
    assert!(tally.precision() >= 0.97 && tally.recall() >= 0.97, "{tally:?}");
}

#[test]
fn the_rule_on_vagueness_agrees_with_the_labels() {
    let tally = Tally::of(
        firm()
            .into_iter()
            .map(|line| (line.label_vague, line.verdict().expect("the contract is built in").vague)),
    );
    assert!(tally.precision() >= 0.97 && tally.recall() >= 0.95, "{tally:?}");
}

#[test]
fn a_line_that_is_no_json_is_told_with_its_number() {
    assert!(Labelled::read_all("\n{").is_err_and(|message| message.starts_with("line 2: ")));
}
