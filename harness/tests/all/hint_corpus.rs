//! The corpus of labelled texts holds what it says, and the rules agree with its labels.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[path = "../../examples/score/hints.rs"]
mod labelled;

use labelled::{HintLabel, Labelled};
use mcp_errconf::wording::hint::{all_signs, sign_source};

use crate::reviewed;

const CORPUS: &str = include_str!("../../../conformance-cases/corpus/hints.jsonl");

#[test]
fn every_line_of_the_corpus_has_an_id_of_its_own_and_both_kinds_of_source_are_there() {
    let lines = Labelled::read_all(CORPUS).expect("every line is well-formed");
    let ids: BTreeSet<&str> = lines.iter().map(|line| line.id.as_str()).collect();
    assert_eq!(ids.len(), lines.len());
    let written = lines.iter().filter(|line| line.is_written()).count();
    assert!(written >= 100 && lines.len() - written >= 50, "{written} of {}", lines.len());
}

/// What the rules say of a line, and where its labels say otherwise.
fn verdict(line: &Labelled) -> String {
    let verdict = line.verdict().expect("the contract is built in");
    let hint = if verdict.hint { "hint" } else { "no hint" };
    let mut said = format!("{}: {hint}{}", line.id, if verdict.vague { ", vague" } else { "" });
    let is_asked = line.label_hint != HintLabel::NotApplicable;
    if is_asked && (line.label_hint == HintLabel::Hint) != verdict.hint {
        said.push_str(if verdict.hint { "; lacks a hint" } else { "; has a hint" });
    }
    if line.label_vague != verdict.vague {
        said.push_str(if verdict.vague { "; is not vague" } else { "; is vague" });
    }
    if said.contains(';') && line.borderline {
        said.push_str(", borderline");
    }
    said + "\n"
}

#[test]
fn the_rules_on_hints_and_vagueness_say_of_every_line_what_was_reviewed() {
    let lines = Labelled::read_all(CORPUS).expect("every line is well-formed");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance-cases/corpus/hints.verdicts");
    reviewed::check([(file, lines.iter().map(verdict).collect())]);
}

#[test]
fn no_sign_can_be_spared_on_texts_from_elsewhere() {
    let lines = Labelled::read_all(CORPUS).expect("every line is well-formed");
    let mut alone: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.label_hint == HintLabel::Hint) {
        let signs = line.signs();
        if let [sign] = Vec::from_iter(signs)[..] {
            alone.entry(sign).or_default().insert(&line.source);
        }
    }
    let is_spared = |sign: &&str| {
        let elsewhere = |source: &&str| Some(*source) != sign_source(sign);
        !alone.get(sign).is_some_and(|sources| sources.iter().any(elsewhere))
    };
    let spared: Vec<&str> = all_signs().filter(is_spared).collect();
    assert!(spared.is_empty(), "no text from elsewhere needs {spared:?}");
}

#[test]
fn a_line_that_is_no_json_is_reported_with_its_number() {
    assert!(Labelled::read_all("\n{").is_err_and(|message| message.starts_with("line 2: ")));
}
