//! Measures the leak rules on a labelled corpus: `leak_score FILE.jsonl [--predictions OUT.jsonl]`.
//!
//! A table by language and kind first, then, as the last line, one JSON object with the figures of all lines and of
//! those that no careful reader would label otherwise.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use mcp_errconf::corpus::{self, Label, LabelledText, Prediction, Score};
use serde_json::json;

fn main() -> ExitCode {
    match measured() {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("leak_score: {fault}");
            ExitCode::from(2)
        }
    }
}

fn measured() -> Result<(), String> {
    let (corpus_file, predictions_file) = arguments()?;
    let text = std::fs::read_to_string(&corpus_file).map_err(|error| format!("{corpus_file}: {error}"))?;
    let lines = corpus::read(&text).map_err(|(line, error)| format!("{corpus_file}:{line}: {error}"))?;
    let judged: Vec<(LabelledText, Prediction)> = lines
        .into_iter()
        .map(|line| {
            let prediction = corpus::predict(&line);
            (line, prediction)
        })
        .collect();
    if let Some(file) = predictions_file {
        let mut out = String::new();
        for (_, prediction) in &judged {
            let line = serde_json::to_string(prediction).map_err(|error| error.to_string())?;
            writeln!(out, "{line}").map_err(|error| error.to_string())?;
        }
        std::fs::write(&file, out).map_err(|error| format!("{file}: {error}"))?;
    }
    table("language", &judged, |line| &line.language);
    table("kind", &judged, |line| &line.kind);
    table("source", &judged, |line| &line.source);
    let mut figures = serde_json::to_value(score(&judged, |_| true)).map_err(|error| error.to_string())?;
    figures["excluding_borderline"] = json!(score(&judged, |line| !line.borderline));
    println!("{figures}");
    Ok(())
}

fn arguments() -> Result<(String, Option<String>), String> {
    const USAGE: &str = "usage: leak_score FILE.jsonl [--predictions OUT.jsonl]";
    let (mut corpus, mut predictions) = (None, None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--predictions" => predictions = Some(words.next().ok_or(USAGE)?),
            _ if corpus.is_none() && !word.starts_with('-') => corpus = Some(word),
            _ => return Err(format!("{word:?} is not understood; {USAGE}")),
        }
    }
    Ok((corpus.ok_or(USAGE)?, predictions))
}

fn score(judged: &[(LabelledText, Prediction)], counts: impl Fn(&LabelledText) -> bool) -> Score {
    let counted = judged.iter().filter(|(line, _)| counts(line));
    Score::count(counted.map(|(line, prediction)| (line.label, prediction.leak)))
}

/// The figures of each group, borderline lines left out.
fn table(heading: &str, judged: &[(LabelledText, Prediction)], group: impl Fn(&LabelledText) -> &String) {
    let groups: BTreeMap<&String, usize> =
        judged.iter().filter(|(line, _)| !line.borderline).fold(BTreeMap::new(), |mut counts, (line, _)| {
            *counts.entry(group(line)).or_default() += usize::from(line.label == Label::Leak);
            counts
        });
    println!("{heading:<66} precision recall    tp    fp    fn    tn");
    for name in groups.keys() {
        let Score { precision, recall, tp, fp, missed, tn } =
            score(judged, |line| !line.borderline && group(line) == *name);
        println!("{name:<66.66} {precision:>9.3} {recall:>6.3} {tp:>5} {fp:>5} {missed:>5} {tn:>5}");
    }
    println!();
}
