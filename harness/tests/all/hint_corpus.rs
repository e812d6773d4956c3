//! The corpus of labelled texts holds what it says, and the rules agree with its labels.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

#[path = "../../examples/hint_score/labelled.rs"]
mod labelled;
#[expect(dead_code, reason = "the example shows more of a tally than this test")]
#[path = "../../examples/hint_score/tally.rs"]
mod tally;

use labelled::{HintLabel, Labelled};
use mcp_errconf::wording::hint::{all_signs, sign_source};
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

/// A line on which a hint can be asked for, with what is said of it.
struct Judged {
    source: String,
    written: bool,
    borderline: bool,
    is_hint: bool,
    output: bool,
    signs: BTreeSet<&'static str>,
}

fn judged() -> Vec<Judged> {
    let lines = Labelled::read_all(CORPUS).expect("every line is well-formed");
    let asked = lines.into_iter().filter(|line| line.label_hint != HintLabel::NotApplicable);
    asked
        .map(|line| Judged {
            written: line.is_written(),
            borderline: line.borderline,
            is_hint: line.label_hint == HintLabel::Hint,
            output: line.verdict().expect("the contract is built in").hint,
            signs: line.signs(),
            source: line.source,
        })
        .collect()
}

/// Whether a line would have a hint by the signs that texts of other sources bear out.
fn told_without_its_source(line: &Judged, lines: &[Judged]) -> bool {
    let borne_out = |sign: &&'static str| {
        lines.iter().any(|other| other.source != line.source && other.is_hint && other.signs.contains(*sign))
    };
    // What no sign tells, the rule has from the call: a missing parameter that is named.
    line.output && (line.signs.is_empty() || line.signs.iter().any(borne_out))
}

#[test]
fn hints_are_reported_on_each_source_by_what_the_others_bear_out() {
    let lines = judged();
    let score = |counts: &dyn Fn(&Judged) -> bool| {
        let counted = lines.iter().filter(|line| counts(line));
        Tally::of(counted.map(|line| (line.is_hint, told_without_its_source(line, &lines))))
    };
    let sources: BTreeSet<&str> = lines.iter().map(|line| line.source.as_str()).collect();
    let mut table = String::from("a source left out: precision, recall, lines\n");
    for source in sources {
        let tally = score(&|line| line.source == source && !line.borderline);
        let of = tally.tp + tally.fp + tally.false_negatives + tally.tn;
        let (precision, recall) = (tally.precision(), tally.recall());
        writeln!(table, "{source:<45} {precision:.3} {recall:.3} {of:>4}").expect("a string takes all");
    }
    for (part, written) in [("real", false), ("written", true)] {
        let firm = score(&|line| line.written == written && !line.borderline);
        let all = score(&|line| line.written == written);
        for (name, tally) in [("", &firm), (", with borderline", &all)] {
            let (precision, recall) = (tally.precision(), tally.recall());
            writeln!(table, "{part}{name}: precision {precision:.3}, recall {recall:.3}")
                .expect("a string takes all");
        }
        assert!(firm.precision() >= 0.95 && firm.recall() >= 0.95, "{table}");
        assert!(all.precision() >= 0.92 && all.recall() >= 0.92, "{table}");
    }
    println!("{table}");
}

#[test]
fn no_sign_can_be_spared_on_texts_from_elsewhere() {
    let lines = judged();
    let mut alone: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.is_hint && line.signs.len() == 1) {
        alone.entry(line.signs.first().expect("there is one")).or_default().insert(&line.source);
    }
    let is_spared = |sign: &&str| {
        let elsewhere = |source: &&str| Some(*source) != sign_source(sign);
        !alone.get(sign).is_some_and(|sources| sources.iter().any(elsewhere))
    };
    let spared: Vec<&str> = all_signs().filter(is_spared).collect();
    assert!(spared.is_empty(), "no text from elsewhere needs {spared:?}");
}

#[test]
fn the_rule_on_vagueness_agrees_with_the_labels() {
    let tally = Tally::of(
        firm()
            .into_iter()
            .map(|line| (line.label_vague, line.verdict().expect("the contract is built in").vague)),
    );
    println!("vague: precision {:.3}, recall {:.3}", tally.precision(), tally.recall());
    assert!(tally.precision() >= 0.97 && tally.recall() >= 0.95, "{tally:?}");
}

#[test]
fn a_line_that_is_no_json_is_reported_with_its_number() {
    assert!(Labelled::read_all("\n{").is_err_and(|message| message.starts_with("line 2: ")));
}
