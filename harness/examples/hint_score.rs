//! How well `message/hint-missing` and `message/vague` agree with labelled texts.
//!
//! ```text
//! cargo run --release -p mcp-errconf --example hint_score -- FILE.jsonl [--predictions OUT.jsonl]
//! ```
//!
//! A table comes first, real and written texts apart, with and without borderline ones. The last line is one JSON
//! object: the figures without borderline, those with them under `including_borderline`. Hints are counted over the lines
//! labelled `hint` and `no-hint`, vagueness over all.

use std::fs;
use std::process::ExitCode;

use mcp_errconf::corpus::{Label, Score};
use serde_json::json;

#[path = "hint_score/labelled.rs"]
mod labelled;

use labelled::{HintLabel, Labelled, Verdict};

/// A line with what the rules say of it.
type Judged = (Labelled, Verdict);
/// Which lines count.
type Filter<'a> = &'a dyn Fn(&Labelled) -> bool;
/// Verdicts of one kind against the labels.
type Measure = fn(&[Judged], Filter<'_>) -> Score;

const USAGE: &str = "usage: hint_score FILE.jsonl [--predictions OUT.jsonl]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        [file] => score(file, None),
        [file, "--predictions", out] | ["--predictions", out, file] => score(file, Some(out)),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("hint_score: {message}");
            ExitCode::from(2)
        }
    }
}

fn score(file: &str, predictions: Option<&str>) -> Result<(), String> {
    let lines = fs::read_to_string(file).map_err(|error| format!("could not read {file}: {error}"))?;
    let lines = Labelled::read_all(&lines).map_err(|error| format!("{file}, {error}"))?;
    let judged: Result<Vec<_>, String> =
        lines.into_iter().map(|line| line.verdict().map(|verdict| (line, verdict))).collect();
    let judged = judged?;
    if let Some(out) = predictions {
        let output = judged.iter().map(|(line, verdict)| {
            let signs = line.signs();
            format!(
                "{}\n",
                json!({"id": line.id, "hint": verdict.hint, "vague": verdict.vague, "signs": signs})
            )
        });
        fs::write(out, output.collect::<String>())
            .map_err(|error| format!("could not write {out}: {error}"))?;
    }
    table(&judged);
    let all = |_: &Labelled| true;
    let firm = |line: &Labelled| !line.borderline;
    let figures = |score: Measure| {
        let mut figures = json!(score(&judged, &firm));
        figures["including_borderline"] = json!(score(&judged, &all));
        figures
    };
    println!("{}", json!({"hint": figures(hints), "vague": figures(vagueness)}));
    Ok(())
}

fn table(judged: &[Judged]) {
    println!(
        "{:<6} {:<32} {:>9} {:>7} {:>4} {:>4} {:>4} {:>4}",
        "", "", "precision", "recall", "tp", "fp", "fn", "tn"
    );
    let rows: [(&str, Filter<'_>); 6] = [
        ("all", &|line| !line.borderline),
        ("real", &|line| !line.borderline && !line.is_written()),
        ("written", &|line| !line.borderline && line.is_written()),
        ("all, with borderline", &|_| true),
        ("real, with borderline", &|line| !line.is_written()),
        ("written, with borderline", &Labelled::is_written),
    ];
    for (name, score) in [("hint", hints as Measure), ("vague", vagueness)] {
        for (row, counts) in &rows {
            let Score { precision, recall, tp, fp, missed, tn } = score(judged, counts);
            println!(
                "{name:<6} {row:<32} {precision:>9.3} {recall:>7.3} {tp:>4} {fp:>4} {missed:>4} {tn:>4}"
            );
        }
    }
}

/// The hint verdicts on the lines that count, of those on which a hint can be asked for.
fn hints(judged: &[Judged], counts: Filter<'_>) -> Score {
    let asked = |line: &Labelled| line.label_hint != HintLabel::NotApplicable;
    let judged = judged.iter().filter(|(line, _)| counts(line) && asked(line));
    counted(judged.map(|(line, verdict)| (line.label_hint == HintLabel::Hint, verdict.hint)))
}

fn vagueness(judged: &[Judged], counts: Filter<'_>) -> Score {
    let judged = judged.iter().filter(|(line, _)| counts(line));
    counted(judged.map(|(line, verdict)| (line.label_vague, verdict.vague)))
}

/// Pairs of label and verdict, counted like those of leaks.
fn counted(pairs: impl Iterator<Item = (bool, bool)>) -> Score {
    Score::count(pairs.map(|(label, verdict)| (if label { Label::Leak } else { Label::Clean }, verdict)))
}
