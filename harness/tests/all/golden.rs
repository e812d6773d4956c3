//! The verdict on every case of recorded runs: of the reference server, clean and with each defect, and of public servers.
//!
//! `.ci/golden/record` makes the recordings in `tests/golden`; beside each stands what is said of it, as it was reviewed.
//! `UPDATE=1 cargo test -p mcp-errconf --test all was_reviewed` writes that again, and `git diff harness/tests/golden` then
//! shows which verdicts a change changes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

use mcp_errconf::contract;
use mcp_errconf::finding::{Finding, Level};
use mcp_errconf::judge::{CaseVerdict, Report, Status};
use mcp_errconf::recording::read;
use mcp_errconf::rules;

use crate::reviewed;

/// The ending of an archive: recordings one after the other, each behind a line with its name.
const ARCHIVE: &str = ".jsonl.zst";
/// So much of a reason is shown, in letters.
const REASON: usize = 100;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// A recording of an archive, and its place in there.
struct Recorded {
    archive: String,
    number: usize,
    name: String,
    text: String,
}

/// Every recording, the longest first.
fn recordings() -> Vec<Recorded> {
    let mut recordings: Vec<Recorded> = fs::read_dir(folder())
        .expect("the recordings are there")
        .flat_map(|entry| unpacked(&entry.expect("the folder can be read").path()))
        .collect();
    recordings.sort_by_key(|recorded| recorded.text.len());
    recordings.reverse();
    recordings
}

fn unpacked(file: &Path) -> Vec<Recorded> {
    let name = file.file_name().and_then(|name| name.to_str()).expect("the names are plain");
    let Some(archive) = name.strip_suffix(ARCHIVE) else { return Vec::new() };
    let packed = fs::read(file).expect("it can be read");
    let mut text = String::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(packed.as_slice()).expect("it is an archive");
    decoder.read_to_string(&mut text).expect("it is whole");
    let parts = text.split("{\"recording\":\"").skip(1).enumerate();
    let recorded = parts.map(|(number, part)| {
        let (name, text) = part.split_once("\"}\n").expect("a name stands before each recording");
        Recorded { archive: archive.to_owned(), number, name: name.to_owned(), text: text.to_owned() }
    });
    recorded.collect()
}

/// What is said of each recording of each archive.
fn verdicts() -> BTreeMap<String, BTreeMap<usize, String>> {
    let left = Mutex::new(recordings().into_iter());
    let verdicts: Mutex<BTreeMap<String, BTreeMap<usize, String>>> = Mutex::default();
    let judge_some = || {
        loop {
            let next = left.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(recorded) = next else { return };
            let told = told(&recorded);
            let mut verdicts = verdicts.lock().unwrap_or_else(PoisonError::into_inner);
            verdicts.entry(recorded.archive).or_default().insert(recorded.number, told);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(judge_some);
        }
    });
    verdicts.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The verdicts on a recording: its cases by status, findings and reason.
fn told(recorded: &Recorded) -> String {
    let recording = read(&recorded.text, &contract::builtin()[0])
        .unwrap_or_else(|error| panic!("{}, line {}: {}", recorded.name, error.line, error.cause));
    let (report, _) = recording.judge(rules::all());
    let summary = &report.summary;
    let mut told = format!(
        "# {}\n{} {}, contract {}; {} of {} bad calls can be fixed from the message alone\n",
        recorded.name,
        report.server.name,
        report.server.version,
        report.contract.id,
        summary.messages.fixable,
        summary.messages.judged
    );
    let outside = findings_where(&report, |finding| {
        let places = finding.places.iter().filter(|place| place.case.is_none());
        places.map(|place| finding.level_in(place)).max()
    });
    if !outside.is_empty() {
        writeln!(told, "outside the cases: {outside}").expect("a string takes everything");
    }
    let mut groups: BTreeMap<String, Vec<&CaseVerdict>> = BTreeMap::new();
    for case in &report.cases {
        groups.entry(verdict(&report, case)).or_default().push(case);
    }
    for (verdict, cases) in groups {
        writeln!(told, "{verdict} ({})", cases.len()).expect("a string takes everything");
        if cases[0].status != Status::Skipped {
            told.push_str(&names(&cases));
        }
    }
    told
}

/// The verdict on a case, in a line.
fn verdict(report: &Report, case: &CaseVerdict) -> String {
    let found = findings_where(report, |finding| {
        let places = finding.places.iter().filter(|place| place.case.as_ref() == Some(&case.id));
        places.map(|place| finding.level_in(place)).max()
    });
    let status = match case.status {
        Status::Passed => "passed",
        Status::Failed => "failed",
        Status::NotJudged => "not judged",
        Status::Skipped => "skipped",
        Status::Errored => "errored",
    };
    let mut verdict = if found.is_empty() { status.to_owned() } else { format!("{status}: {found}") };
    if let Some(reason) = &case.reason {
        let line = reason.lines().next().unwrap_or_default();
        let shown: String = line.chars().take(REASON).collect();
        write!(verdict, ", because {shown}").expect("a string takes everything");
    }
    verdict
}

/// The levels and rules of the findings that have a level here, each once.
fn findings_where(report: &Report, level: impl Fn(&Finding) -> Option<Level>) -> String {
    let found = report.findings.iter().filter_map(|finding| Some((level(finding)?, finding.rule.as_str())));
    let mut found: Vec<(Level, &str)> = found.collect();
    found.sort_by_key(|(level, rule)| (std::cmp::Reverse(*level), *rule));
    found.dedup();
    let found: Vec<String> = found.iter().map(|(level, rule)| format!("{level} {rule}")).collect();
    found.join(", ")
}

/// The ids of cases in order, a line for each scenario's group and for each tool.
fn names(cases: &[&CaseVerdict]) -> String {
    let mut lines: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for case in cases {
        let id = case.id.0.as_str();
        let from = id.strip_prefix("probe/").map_or(0, |rest| id.len() - rest.len());
        let end = id[from..].find('/').map_or(id.len(), |end| from + end);
        lines.entry(&id[..end]).or_default().push(id[end..].trim_start_matches('/'));
    }
    let line = |(group, mut ids): (&str, Vec<&str>)| {
        ids.sort_unstable();
        format!("  {group}: {}\n", ids.join(", "))
    };
    lines.into_iter().map(line).collect()
}

#[test]
fn every_recorded_run_is_judged_as_it_was_reviewed() {
    let verdicts = verdicts();
    assert!(verdicts.len() > 25, "the recordings are there");
    let files = verdicts.into_iter().map(|(archive, recordings)| {
        let told: Vec<String> = recordings.into_values().collect();
        (folder().join(format!("{archive}.txt")), told.join("\n"))
    });
    reviewed::check(files);
}
