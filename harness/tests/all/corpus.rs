//! The leak rules on the project's own labelled corpus.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use mcp_errconf::corpus::{self, Label, LabelledText};

use crate::reviewed;

fn lines() -> Vec<LabelledText> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance-cases/corpus/leaks.jsonl");
    let text = std::fs::read_to_string(file).expect("the corpus is there");
    corpus::read(&text).expect("the corpus is sound")
}

#[test]
fn every_line_has_an_id_of_its_own_and_a_language_that_the_readme_names() {
    let readme = include_str!("../../../conformance-cases/corpus/README.md");
    let row =
        readme.lines().find(|line| line.starts_with("| `language`")).expect("there is a row of languages");
    let mut ids = BTreeSet::new();
    for line in lines() {
        assert!(ids.insert(line.id.clone()), "{}: the id stands twice", line.id);
        assert!(
            row.contains(&format!("`{}`", line.language)),
            "{}: {} is not in: {row}",
            line.id,
            line.language
        );
    }
}

/// The levels and rules of the findings on a line, and whether its label says otherwise.
fn verdict(line: &LabelledText) -> String {
    let found = corpus::findings(line);
    let words = found.iter().map(|finding| format!("{} {}", finding.level, finding.rule));
    let words: BTreeSet<String> = words.collect();
    let said = if words.is_empty() { "nothing".to_owned() } else { Vec::from_iter(words).join(", ") };
    let wrong = match (line.label, found.is_empty()) {
        (Label::Leak, true) => "; missed",
        (Label::Clean, false) => "; false alarm",
        (Label::Leak, false) | (Label::Clean, true) => return format!("{}: {said}\n", line.id),
    };
    let borderline = if line.borderline { ", borderline" } else { "" };
    format!("{}: {said}{wrong}{borderline}\n", line.id)
}

#[test]
fn the_leak_rules_say_of_every_line_what_was_reviewed() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance-cases/corpus/leaks.verdicts");
    reviewed::check([(file, lines().iter().map(verdict).collect())]);
}

#[test]
fn every_kind_of_clean_text_that_looks_like_a_leak_is_there() {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines().into_iter().filter(|line| !line.borderline && line.label == Label::Clean) {
        *kinds.entry(line.kind).or_default() += 1;
    }
    for (kind, why) in [
        ("well-written", "a sentence with the operation, the value and the operating system's cause"),
        ("compiler-explanation", "what a library says of the caller's own pattern"),
        ("statement-explanation", "what a database says of the caller's own statement"),
        ("tricky-words", "a word that is a name elsewhere"),
        ("tricky-echo", "a word that the caller sent"),
        ("tricky-snippet", "a word of a file that the caller made"),
        ("tricky-path", "a path that the caller named"),
        ("command-output", "what a command printed"),
    ] {
        assert!(kinds.get(kind).is_some_and(|lines| *lines >= 3), "{kind}: {why}");
    }
}

#[test]
fn the_same_text_is_a_leak_or_clean_by_what_was_sent() {
    let mut line = lines().into_iter().find(|line| line.kind == "tricky-echo").expect("there is one");
    assert!(!corpus::predict(&line).leak, "{}", line.text);
    line.context.value = Some(serde_json::json!("t9"));
    assert!(corpus::predict(&line).leak, "{}", line.text);
}

#[test]
fn a_finding_marks_its_span_and_names_language_and_confidence() {
    let text = r#"{"id": "x", "text": "[IO_ERROR] open {workspace}/a.txt: no such file or directory", "label": "leak",
        "language": "go", "kind": "os-error", "context": {"path": "{workspace}/a.txt"}}"#;
    let lines = corpus::read(&text.replace('\n', " ")).expect("it is sound");
    let findings = corpus::findings(&lines[0]);
    assert_eq!(findings.len(), 1);
    let evidence = findings[0].evidence.as_ref().expect("it is shown");
    let (start, end) = evidence.span.expect("it is marked");
    assert!(
        evidence.text[start..end].starts_with("open ") && evidence.text[start..end].ends_with("directory")
    );
    assert!(findings[0].message.ends_with("(Go; certain)"), "{}", findings[0].message);
}
