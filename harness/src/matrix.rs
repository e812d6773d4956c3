//! Compares several servers, or versions of one: the file that names them, and the table of their results.
//!
//! The main types are [`MatrixEntry`] and [`MatrixTable`]. This module runs nothing: rows are made from reports.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::conclusion::Conclusion;
use crate::escape;
use crate::judge::{FindingCounts, Mended, Report};

mod comparison;
mod file;
mod html;
mod human;
mod journal;

pub use comparison::TableDelta;
#[cfg(test)]
pub(crate) use file::MatrixDocument;
pub use file::{MatrixEntry, load};
pub use journal::{EarlierMatrix, MatrixId, MatrixJournal, RowRecord};
pub(crate) use journal::{FOR_NOW, JOURNAL, read_rows, rows_text};

/// What all servers came to, in the order of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MatrixTable {
    /// 1.
    pub schema_version: u32,
    /// The harness's version.
    pub harness: String,
    /// A row for each server.
    pub servers: Vec<MatrixRow>,
    /// The exit code of the whole: the gravest of them.
    pub exit_code: u8,
}

/// The page of a server's own report, beside its JSON.
pub fn page_of(report: &Path) -> PathBuf {
    report.with_extension("html")
}

/// What one server came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MatrixRow {
    /// Its name in the file.
    pub name: String,
    /// The name and version that it gives itself; null if it did not start.
    pub server: Option<String>,
    /// The contract by which it was judged; null where it was not run.
    pub contract: Option<String>,
    /// What it came to, in a few words.
    pub verdict: String,
    /// Why there is no better verdict; null if findings are the reason.
    pub why: Option<String>,
    /// Findings by level, known ones included; null where it was not run.
    pub findings: Option<FindingCounts>,
    /// Cases that were judged, of those that were planned for its tools.
    pub judged: Share,
    /// Of the wrong calls that its tools refused in their own words, those that can be corrected from these
    /// words alone.
    pub mended: Mended,
    /// The exit code that `run` has for it.
    pub exit_code: u8,
    /// How long it took, in milliseconds. Never compared.
    pub duration_ms: u64,
    /// Its own report, where one was kept: the path as it was given.
    pub report: Option<String>,
}

/// A part of a whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The part.
    pub held: usize,
    /// The whole.
    pub of: usize,
}

impl Share {
    /// The share of the cases of tools that were judged, without cases for tools that the server does not have.
    /// If no tool was tried, of all cases.
    fn judged(report: &Report) -> Self {
        let cases = report.summary.cases;
        match report.tools.iter().map(|tool| tool.planned).sum() {
            0 => Self { held: cases.passed + cases.failed, of: cases.total },
            planned => Self { held: report.tools.iter().map(|tool| tool.judged).sum(), of: planned },
        }
    }
}

impl MatrixRow {
    /// The row of a server that was judged, or that could not be exercised.
    pub fn judged(name: &str, report: &Report, conclusion: &Conclusion, kept: Option<String>) -> Self {
        let server = &report.server;
        let version = format!("{} {}", server.name, server.version);
        let version = version.trim();
        Self {
            name: name.to_owned(),
            server: (!version.is_empty()).then(|| version.to_owned()),
            contract: Some(report.contract.id.clone()),
            verdict: verdict(conclusion).to_owned(),
            why: why(conclusion),
            findings: Some(report.summary.findings),
            judged: Share::judged(report),
            mended: report.summary.mended,
            exit_code: conclusion.exit_code(),
            duration_ms: report.summary.duration_ms,
            report: kept,
        }
    }

    /// The row of a server that was not run at all.
    pub fn not_run(name: &str, why: String, exit_code: u8) -> Self {
        Self {
            name: name.to_owned(),
            server: None,
            contract: None,
            verdict: "not run".to_owned(),
            why: Some(why),
            findings: None,
            judged: Share::default(),
            mended: Mended::default(),
            exit_code,
            duration_ms: 0,
            report: None,
        }
    }

    /// Whether there are results to show.
    fn has_run(&self) -> bool {
        self.findings.is_some() && !matches!(self.verdict.as_str(), NOT_EXERCISED | NOTHING_SELECTED)
    }
}

const NOT_EXERCISED: &str = "not exercised";
const NOTHING_SELECTED: &str = "nothing selected";

fn verdict(conclusion: &Conclusion) -> &'static str {
    match conclusion {
        Conclusion::Conformant => "conformant",
        Conclusion::Findings(_) => "not conformant",
        Conclusion::NotExercised(_) => NOT_EXERCISED,
        Conclusion::NothingSelected(_) => NOTHING_SELECTED,
        Conclusion::NothingJudged | Conclusion::Inconclusive(_) => "nothing judged",
        Conclusion::Uncovered(_) => "too little judged",
        Conclusion::Interrupted => "interrupted",
    }
}

fn why(conclusion: &Conclusion) -> Option<String> {
    match conclusion {
        Conclusion::Conformant | Conclusion::Findings(_) | Conclusion::Interrupted => None,
        Conclusion::NothingJudged => Some("no error reply could be judged".to_owned()),
        Conclusion::NotExercised(why)
        | Conclusion::NothingSelected(why)
        | Conclusion::Inconclusive(why)
        | Conclusion::Uncovered(why) => Some(why.clone()),
    }
}

/// Exit codes from the lightest to the gravest. As within a run, findings are graver than having judged
/// nothing; a server that was not exercised is graver still, because its result is unknown.
const GRAVITY: [u8; 7] = [0, 4, 1, 3, 2, 70, 130];

/// How grave an exit code is.
fn gravity(exit_code: u8) -> Option<usize> {
    GRAVITY.iter().position(|code| *code == exit_code)
}

/// The exit code where there is no server: nothing was selected.
const NOTHING: u8 = 4;

impl MatrixTable {
    /// The table with these rows.
    pub fn new(servers: Vec<MatrixRow>) -> Self {
        let gravest = servers.iter().max_by_key(|row| gravity(row.exit_code));
        let exit_code = gravest.map_or(NOTHING, |row| row.exit_code);
        Self { schema_version: 1, harness: env!("CARGO_PKG_VERSION").to_owned(), servers, exit_code }
    }

    /// The summary for the exit code: how many servers had which verdict.
    fn sum(&self) -> String {
        let groups = self.by_verdict();
        let counts: Vec<_> =
            groups.iter().map(|(verdict, rows)| format!("{} {verdict}", rows.len())).collect();
        format!("{}: {}", self.count(), counts.join(", "))
    }

    /// How many servers there are, in words.
    fn count(&self) -> String {
        let count = self.servers.len();
        format!("{count} {}", if count == 1 { "server" } else { "servers" })
    }

    /// The servers with each verdict, in the order of the table.
    fn by_verdict(&self) -> Vec<(&str, Vec<&MatrixRow>)> {
        let mut groups: Vec<(&str, Vec<&MatrixRow>)> = Vec::new();
        for row in &self.servers {
            match groups.iter_mut().find(|(verdict, _)| *verdict == row.verdict) {
                Some((_, rows)) => rows.push(row),
                None => groups.push((&row.verdict, vec![row])),
            }
        }
        groups
    }
}

/// The titles of the columns, and whether they contain numbers.
const COLUMNS: [(&str, bool); 9] = [
    ("server", false),
    ("verdict", false),
    ("must", true),
    ("should", true),
    ("note", true),
    ("judged", true),
    ("fixable", true),
    ("exit", true),
    ("time", true),
];

/// The cells of the columns after the first.
fn cells(row: &MatrixRow) -> [String; 8] {
    let counts = row.findings.filter(|_| row.has_run());
    let level = |count: fn(&FindingCounts) -> usize| {
        counts.as_ref().map_or_else(|| "-".to_owned(), |counts| count(counts).to_string())
    };
    let share = |held: usize, of: usize| match of {
        0 => "-".to_owned(),
        // Rounded down: 100 % is only shown for all.
        of => format!("{held}/{of} {}%", held * 100 / of),
    };
    [
        row.verdict.clone(),
        level(|counts| counts.must),
        level(|counts| counts.should),
        level(|counts| counts.note),
        if row.has_run() { share(row.judged.held, row.judged.of) } else { "-".to_owned() },
        share(row.mended.one + row.mended.two, row.mended.of),
        row.exit_code.to_string(),
        time(row.duration_ms),
    ]
}

/// A number of milliseconds in readable units.
fn time(milliseconds: u64) -> String {
    match milliseconds {
        0 => "-".to_owned(),
        1..10_000 => format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100),
        10_000..100_000 => format!("{} s", milliseconds / 1_000),
        _ => format!("{} min {} s", milliseconds / 60_000, milliseconds % 60_000 / 1_000),
    }
}

/// Why a server has no better verdict, on one line.
fn reason(row: &MatrixRow, columns: usize) -> Option<String> {
    let why = row.why.as_deref()?;
    let lines: Vec<&str> = why.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    Some(escape::line_within(&lines.join(" "), columns))
}

/// The meaning of the columns.
const LEGEND: &str = "judged: cases that passed or failed, of those planned for its tools; fixable: wrong calls that can be corrected from the message \
    alone, of those that were refused";

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, exit_code: u8) -> MatrixRow {
        MatrixRow::not_run(name, "it is not there".to_owned(), exit_code)
    }

    #[test]
    fn the_exit_code_is_the_gravest() {
        for (codes, gravest) in
            [(&[0, 4][..], 4), (&[1, 4], 1), (&[1, 3, 0], 3), (&[3, 2, 1], 2), (&[70, 130], 130)]
        {
            let rows = codes.iter().map(|code| row("a", *code)).collect();
            assert_eq!(MatrixTable::new(rows).exit_code, gravest, "{codes:?}");
        }
        assert_eq!(MatrixTable::new(Vec::new()).exit_code, NOTHING);
    }

    #[test]
    fn a_share_is_rounded_down_and_a_time_is_said_as_people_say_it() {
        let mut row = row("a", 1);
        row.findings = Some(FindingCounts { must: 1, should: 2, note: 3 });
        row.judged = Share { held: 199, of: 200 };
        row.duration_ms = 61_200;
        assert_eq!(cells(&row)[1..5], ["1", "2", "3", "199/200 99%"]);
        assert_eq!([940, 1_250, 61_200, 125_000].map(time), ["0.9 s", "1.2 s", "61 s", "2 min 5 s"]);
    }

    #[test]
    fn words_of_a_server_are_harmless_in_every_form() {
        let mut row = row("a|b`<i>\u{1b}", 3);
        row.why = Some("x\u{1b}[31m <script> | `y`\n::error::z".to_owned());
        let table = MatrixTable::new(vec![row]);
        let changes = TableDelta::between(&MatrixTable::new(Vec::new()), &table);
        let page = table.html(None, Some(&changes));
        for text in [table.human(100), table.markdown(), page.clone()] {
            assert!(
                !text.contains('\u{1b}') && !text.contains("<script>x") && !text.contains("\n::"),
                "{text}"
            );
        }
        assert!(page.contains("<strong>new</strong>") && !page.contains("<i>") && !page.contains("<script"));
        assert_eq!(table.markdown().lines().filter(|line| line.matches(" | ").count() == 8).count(), 2);
    }

    #[test]
    fn the_table_keeps_to_its_columns() {
        let mut long = row("a-server-with-a-name-that-is-rather-long-indeed-for-a-table", 3);
        long.why = Some("word ".repeat(80));
        let table = MatrixTable::new(vec![long, row("b", 0)]);
        for columns in [60, 80, 120, 200] {
            let text = table.human(columns);
            assert!(text.lines().all(|line| line.chars().count() <= columns), "{columns}\n{text}");
        }
    }
}
