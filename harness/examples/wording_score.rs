//! How often the rules on messages speak where a wording lacks nothing, and how often where it does.
//!
//! ```text
//! cargo run -p mcp-errconf --example wording_score -- conformance-cases/corpus [--wrong tuned|aside]
//! ```
//!
//! A table comes first, by language, rule and half. With `--wrong`, each place of that half follows where the rules and the
//! labels differ.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

#[path = "wording_score/labelled.rs"]
mod labelled;
#[path = "wording_score/tally.rs"]
mod tally;

use labelled::{Wording, read_calls};
use tally::{Shares, places, strangers};

const USAGE: &str = "usage: wording_score FOLDER [--wrong tuned|aside]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        [folder] => score(Path::new(folder), None),
        [folder, "--wrong", half @ ("tuned" | "aside")] => score(Path::new(folder), Some(half)),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("wording_score: {message}");
            ExitCode::from(2)
        }
    }
}

fn score(folder: &Path, wrong: Option<&str>) -> Result<(), String> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).map_err(|error| format!("could not read {}: {error}", path.display()))
    };
    let calls = read_calls(&read("wordings-calls.jsonl")?)?;
    let wordings = Wording::read_all(&read("wordings.jsonl")?)?;
    let mut table: BTreeMap<(bool, String, &str), Shares> = BTreeMap::new();
    let mut differing = Vec::new();
    for wording in &wordings {
        let findings = wording.findings(&calls);
        let half = if wording.aside { "aside" } else { "tuned" };
        for place in places(wording, &calls, &findings) {
            let other = (wording.language != "en").then_some("..");
            for language in ["all", wording.language.as_str()].into_iter().chain(other) {
                let key = (wording.aside, language.to_owned(), place.lack.rule());
                table.entry(key).or_default().count(&place);
            }
            let is_wrong = if place.lacks { !place.is_found } else { place.level.is_some() };
            if is_wrong && wrong == Some(half) {
                let kind = if place.lacks { "not found" } else { "false" };
                differing.push(format!(
                    "{kind:<9} {:<30} {:<8} {:<10} {:<10} {}",
                    place.lack.rule(),
                    wording.id,
                    wording.hand,
                    wording.call,
                    wording.text
                ));
            }
        }
        for rule in strangers(&findings).filter(|_| wrong == Some(half)) {
            differing.push(format!(
                "stranger  {rule:<30} {:<8} {:<10} {}",
                wording.id, wording.call, wording.text
            ));
        }
    }
    println!(
        "{:<6} {:<4} {:<30} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}",
        "half", "", "rule", "good", "false", "notes", "share", "lacks", "found", "share"
    );
    for ((aside, language, rule), shares) in &table {
        println!(
            "{:<6} {language:<4} {rule:<30} {:>6} {:>6} {:>6} {:>6.3} {:>6} {:>6} {:>6.3}",
            if *aside { "aside" } else { "tuned" },
            shares.good,
            shares.alarms,
            shares.notes,
            shares.false_alarms(),
            shares.lacks,
            shares.found,
            shares.recall(),
        );
    }
    differing.sort();
    differing.iter().for_each(|line| println!("{}", line.replace('\n', "\\n")));
    Ok(())
}
