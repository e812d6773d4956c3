//! The leak rules on the project's own labelled corpus.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use mcp_errconf::corpus::{self, Label, LabelledText, Score};

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

#[test]
fn the_leak_rules_hold_their_floors_on_the_corpus() {
    let lines = lines();
    assert!(lines.len() >= 400, "{} lines", lines.len());
    let mut wrong = Vec::new();
    let pairs = lines.iter().filter(|line| !line.borderline).map(|line| {
        let found = corpus::predict(line).leak;
        if found != (line.label == Label::Leak) {
            wrong.push(format!("{}: {:?}", line.id, line.text));
        }
        (line.label, found)
    });
    let score = Score::count(pairs.collect::<Vec<_>>());
    assert!(score.precision >= 0.99, "{score:?}\n{}", wrong.join("\n"));
    assert!(score.recall >= 0.98, "{score:?}\n{}", wrong.join("\n"));
}

/// A floor lets single lines through, and each of these is a promise of its own.
#[test]
fn no_clean_text_of_the_corpus_is_taken_for_a_leak() {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for line in lines().into_iter().filter(|line| !line.borderline && line.label == Label::Clean) {
        for finding in corpus::findings(&line) {
            wrong.push(format!("{}: {}: {:?}", line.id, finding.message, line.text));
        }
        *kinds.entry(line.kind).or_default() += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
fn every_language_of_the_corpus_is_found_by_its_own_patterns() {
    let mut languages: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for line in lines().iter().filter(|line| !line.borderline && line.label == Label::Leak) {
        let (found, all) = languages.entry(line.language.clone()).or_default();
        *all += 1;
        *found += usize::from(corpus::predict(line).leak);
    }
    for (language, (found, all)) in languages {
        assert!(found * 10 >= all * 9, "{language}: {found} of {all}");
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
