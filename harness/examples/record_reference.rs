//! Records the reference server for the golden verdicts: clean in each contract, and with each defect in the first contract
//! that it is meant for. `.ci/golden/record` calls it with the program and a folder, in which it writes `clean.jsonl` and
//! `defects.jsonl`: recordings, each behind a line with its name.
//!
//! A whole run for every defect would be too much to judge for each change. Of a defect those cases are kept that show it, a
//! few for each rule, and some others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use mcp_errconf::condition::CaseId;
use mcp_errconf::rules;
use mcp_errconf::selftest::{Breadth, Recorded, compare, record};
use mcp_errconf::suite;

/// So many of the cases that a defect breaks are kept for each rule.
const OF_RULE: usize = 4;
/// So many other cases are kept.
const OTHERS: usize = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [program, folder] =
        <[PathBuf; 2]>::try_from(std::env::args_os().skip(1).map(PathBuf::from).collect::<Vec<_>>())
            .map_err(|_| "usage: record_reference PROGRAM FOLDER")?;
    let suite = suite::load_builtin()?;
    let (_keep, interrupt) = tokio::sync::watch::channel(false);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let recorded = runtime.block_on(record(&program, &suite, Breadth::DeclaredCases, interrupt, &mut |_| {}));
    let recorded = recorded.map_err(|(defect, error)| format!("{defect:?}: {error}"))?;
    let (clean, defects): (Vec<_>, Vec<_>) =
        recorded.into_iter().partition(|recorded| recorded.defect.is_none());
    write(&folder, "clean", clean.iter().map(|clean| (clean.contract.id.as_str(), clean.clone())))?;
    write(
        &folder,
        "defects",
        defects.iter().map(|defect| (defect.defect.unwrap_or_default(), narrowed(defect))),
    )
}

fn write<'r>(
    folder: &Path,
    name: &str,
    recordings: impl Iterator<Item = (&'r str, Recorded)>,
) -> Result<(), Box<dyn std::error::Error>> {
    fs::create_dir_all(folder)?;
    let mut out = BufWriter::new(File::create(folder.join(format!("{name}.jsonl")))?);
    for (name, recorded) in recordings {
        writeln!(out, "{{\"recording\":\"{name}\"}}")?;
        recorded.recording().write(&mut out)?;
    }
    out.flush()?;
    Ok(())
}

/// What is kept of a defect: the whole run where less does not show it.
fn narrowed(recorded: &Recorded) -> Recorded {
    let mut of_rule: BTreeMap<&str, usize> = BTreeMap::new();
    let mut cases: BTreeSet<CaseId> = BTreeSet::new();
    for (rule, case) in &recorded.declared {
        let count = of_rule.entry(rule).or_default();
        if let Some(case) = case.as_ref().filter(|case| *count < OF_RULE || cases.contains(*case)) {
            *count += 1;
            cases.insert(case.clone());
        }
    }
    let is_broken = |case: &CaseId| recorded.declared.iter().any(|(_, broken)| broken.as_ref() == Some(case));
    let others = recorded.transcript.cases.iter().map(|driven| &driven.id).filter(|case| !is_broken(case));
    cases.extend(others.take(OTHERS).cloned());
    let mut narrowed = recorded.narrowed(&cases);
    // What belongs to no case is declared still.
    narrowed.declared.extend(recorded.declared.iter().filter(|(_, case)| case.is_none()).cloned());
    if compare(&narrowed, rules::all()).missed.is_empty() {
        return narrowed;
    }
    eprintln!("{}: kept whole", recorded.defect.unwrap_or_default());
    recorded.clone()
}
