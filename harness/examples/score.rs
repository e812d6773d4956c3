//! How well the rules agree with labelled texts.
//!
//! ```text
//! cargo run --release -p mcp-errconf --example score -- leaks|hints|wordings conformance-cases/corpus [--predictions OUT.jsonl]
//! ```
//!
//! A table comes first: precision and recall of each question by group, borderline lines left out. The last line is one JSON
//! object with the figures of each question over all lines, those with the borderline ones under `including_borderline`. With
//! `--predictions`, what the rules say of each line is written to a file, with the questions to which the labels have another
//! answer as `wrong`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use mcp_errconf::corpus::{self, Label, Score};
use mcp_errconf::finding::Level;
use serde_json::{Map, Value, json};

#[path = "score/hints.rs"]
mod hints;
#[path = "score/wordings.rs"]
mod wordings;

use hints::{HintLabel, Labelled};
use wordings::{Lack, Wording, places, read_calls};

/// The right answers to a question, each with the one that was found.
type Answers = Vec<(Label, bool)>;

const USAGE: &str = "usage: score leaks|hints|wordings FOLDER [--predictions OUT.jsonl]";

/// A labelled line, and what the rules say of it.
struct Line {
    /// The groups that it is counted in, beside all.
    groups: Vec<String>,
    borderline: bool,
    answers: Vec<Answer>,
    /// For the file of predictions.
    prediction: Value,
}

/// What is asked of a line: the label's answer, and the rules'.
struct Answer {
    question: &'static str,
    label: bool,
    found: bool,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        [corpus, folder] => score(corpus, Path::new(folder), None),
        [corpus, folder, "--predictions", out] => score(corpus, Path::new(folder), Some(out)),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("score: {message}");
            ExitCode::from(2)
        }
    }
}

fn score(corpus: &str, folder: &Path, predictions: Option<&str>) -> Result<(), String> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).map_err(|error| format!("could not read {}: {error}", path.display()))
    };
    let lines = match corpus {
        "leaks" => of_leaks(&read("leaks.jsonl")?),
        "hints" => of_hints(&read("hints.jsonl")?),
        "wordings" => of_wordings(&read("wordings.jsonl")?, &read("wordings-calls.jsonl")?),
        _ => return Err(USAGE.to_owned()),
    };
    let lines = lines.map_err(|error| format!("{corpus}.jsonl: {error}"))?;
    if let Some(out) = predictions {
        let predicted: String = lines.iter().map(|line| format!("{}\n", line.predicted())).collect();
        fs::write(out, predicted).map_err(|error| format!("could not write {out}: {error}"))?;
    }
    // The answers by question and group; those to borderline lines are apart.
    let mut table = BTreeMap::<(&str, &str), [Answers; 2]>::new();
    for line in &lines {
        for Answer { question, label, found } in &line.answers {
            let label = if *label { Label::Leak } else { Label::Clean };
            for group in line.groups.iter().map(String::as_str).chain([ALL]) {
                let answers = table.entry((*question, group)).or_default();
                answers[usize::from(line.borderline)].push((label, *found));
            }
        }
    }
    println!("{:<96} precision recall    tp    fp    fn    tn", "");
    let mut figures = Map::new();
    for ((question, group), [firm, borderline]) in table {
        let score = Score::count(firm.iter().copied());
        let Score { precision, recall, tp, fp, missed, tn } = score;
        println!(
            "{question:<30}{group:<66.66} {precision:>9.3} {recall:>6.3} {tp:>5} {fp:>5} {missed:>5} {tn:>5}"
        );
        if group == ALL {
            let mut of_question = json!(score);
            of_question["including_borderline"] = json!(Score::count(firm.into_iter().chain(borderline)));
            figures.insert(question.to_owned(), of_question);
        }
    }
    println!("{}", Value::Object(figures));
    Ok(())
}

/// The group of all lines.
const ALL: &str = "all";

impl Line {
    fn predicted(&self) -> Value {
        let wrong = self.answers.iter().filter(|answer| answer.label != answer.found);
        let mut prediction = self.prediction.clone();
        prediction["wrong"] = wrong.map(|answer| answer.question).collect();
        prediction
    }
}

fn of_leaks(text: &str) -> Result<Vec<Line>, String> {
    let lines = corpus::read(text).map_err(|(line, error)| format!("line {line}: {error}"))?;
    let judged = lines.into_iter().map(|line| {
        let prediction = corpus::predict(&line);
        Line {
            groups: vec![
                format!("language {}", line.language),
                format!("kind {}", line.kind),
                format!("source {}", line.source),
            ],
            borderline: line.borderline,
            answers: vec![Answer {
                question: "leak",
                label: line.label == Label::Leak,
                found: prediction.leak,
            }],
            prediction: json!(prediction),
        }
    });
    Ok(judged.collect())
}

fn of_hints(text: &str) -> Result<Vec<Line>, String> {
    let judged = Labelled::read_all(text)?.into_iter().map(|line| {
        let verdict = line.verdict()?;
        let mut answers = vec![Answer { question: "vague", label: line.label_vague, found: verdict.vague }];
        if line.label_hint != HintLabel::NotApplicable {
            let label = line.label_hint == HintLabel::Hint;
            answers.push(Answer { question: "hint", label, found: verdict.hint });
        }
        Ok(Line {
            groups: vec![if line.is_written() { "written" } else { "real" }.to_owned()],
            borderline: line.borderline,
            answers,
            prediction: json!({
                "id": line.id, "hint": verdict.hint, "vague": verdict.vague, "signs": line.signs(),
            }),
        })
    });
    judged.collect()
}

/// A note is no false alarm where nothing is lacking.
fn of_wordings(text: &str, calls: &str) -> Result<Vec<Line>, String> {
    let calls = read_calls(calls)?;
    let judged = Wording::read_all(text)?.into_iter().map(|wording| {
        let findings = wording.findings(&calls);
        let half = if wording.aside { "aside" } else { "tuned" };
        let answers = places(&wording, &calls, &findings).into_iter().map(|place| Answer {
            question: place.lack.rule(),
            label: place.lacks,
            found: match place.lacks {
                true => place.is_found,
                false => place.level.is_some_and(|level| level > Level::Note),
            },
        });
        let is_measured = |rule: &str| Lack::ALL.into_iter().any(|lack| lack.rule() == rule);
        let rules = || findings.iter().map(|(rule, _)| rule.as_str());
        Line {
            groups: vec![half.to_owned(), format!("{half} {}", wording.language)],
            borderline: false,
            answers: answers.collect(),
            prediction: json!({
                "id": wording.id, "hand": wording.hand, "call": wording.call, "text": wording.text,
                "rules": rules().collect::<Vec<_>>(),
                "strangers": rules().filter(|rule| !is_measured(rule)).collect::<Vec<_>>(),
            }),
        }
    });
    Ok(judged.collect())
}
