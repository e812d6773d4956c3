//! The human report: the most important first, then each finding like a compiler's diagnostic, then what was
//! not judged.
//!
//! The main type is [`Human`]. All of a server's words go through [`escape`] on their way here.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use crate::baseline::Entry;
use crate::conclusion::Conclusion;
use crate::contract::Contract;
use crate::event::{Event, Reporter};
use crate::finding::{Finding, State};
use crate::judge::Report;
use crate::snapshot::StaleText;

use super::{Given, ReportFormat};
use crate::escape;

mod closing;
mod diagnostic;
mod ending;
mod opening;
pub(super) mod prose;
mod quote;
mod sent;
mod theme;
mod valid_calls;

use prose::Width;
pub use theme::Theme;

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "human",
    summary: "for reading at a terminal",
    open: |out, settings| {
        let human = Human::new(out, settings.promises.clone(), settings.theme, settings.detail);
        Box::new(human.within(settings.columns).given(settings.given.clone()))
    },
};

/// How much is shown of long lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Long lists are cut, and the reasons of bindings left out.
    Brief,
    /// Everything is shown: `-v`.
    Full,
}

/// The sentences behind requirement ids.
#[derive(Debug, Clone, Default)]
pub struct Promises(BTreeMap<String, String>);

impl Promises {
    /// The sentences of one contract.
    pub fn new(contract: &Contract) -> Self {
        Self(contract.requirements.clone())
    }

    /// The sentences of several contracts, for when it is not known yet which one applies.
    pub fn of_each(contracts: &[Contract]) -> Self {
        Self(contracts.iter().flat_map(|contract| contract.requirements.clone()).collect())
    }

    /// The sentence behind an id.
    pub fn sentence(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(String::as_str)
    }
}

/// Writes the report at the end of the run.
#[derive(Debug)]
pub struct Human<W> {
    out: W,
    promises: Promises,
    theme: Theme,
    detail: Detail,
    columns: Option<usize>,
    given: Given,
    stale: Vec<Entry>,
    gone: Vec<StaleText>,
}

/// The settings that every part of the report needs.
struct Frame<'a> {
    promises: &'a Promises,
    theme: Theme,
    detail: Detail,
    width: Width,
    given: &'a Given,
}

impl<W: Write> Human<W> {
    /// A reporter that writes to `out`.
    pub fn new(out: W, promises: Promises, theme: Theme, detail: Detail) -> Self {
        Self {
            out,
            promises,
            theme,
            detail,
            columns: None,
            given: Given::default(),
            stale: Vec::new(),
            gone: Vec::new(),
        }
    }

    /// Fits the report to a terminal of this many columns, at least 60.
    #[must_use]
    pub fn within(self, columns: Option<usize>) -> Self {
        Self { columns: columns.map(|columns| columns.max(NARROWEST)), ..self }
    }

    /// The report of a command with these options.
    #[must_use]
    pub fn given(self, given: Given) -> Self {
        Self { given, ..self }
    }
}

impl<W: Write> Reporter for Human<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let (report, conclusion) = match event {
            Event::Judged { report, conclusion } => (report, conclusion),
            Event::Stale(entries) => {
                self.stale.clone_from(entries);
                return Ok(());
            }
            Event::SnapshotsGone(snapshots) => {
                self.gone.clone_from(snapshots);
                return Ok(());
            }
            progress!() | Event::Pace(_) => {
                return Ok(());
            }
        };
        let stale = closing::stale(&self.stale, self.theme, Width::new(self.columns));
        self.out.write_all(stale.as_bytes())?;
        self.out.write_all(closing::gone(&self.gone, self.theme, Width::new(self.columns)).as_bytes())?;
        let width = Width::new(self.columns);
        let (theme, detail) = (self.theme, self.detail);
        let frame = Frame { promises: &self.promises, theme, detail, width, given: &self.given };
        let shown = rendered(report, conclusion, &frame);
        self.out.write_all(shown.as_bytes())?;
        self.out.flush()
    }
}

/// The findings with the most urgent first: most severe, new before known, most places; otherwise in the
/// report's order.
fn most_urgent_first(findings: &[Finding]) -> Vec<&Finding> {
    let mut findings: Vec<&Finding> = findings.iter().collect();
    let is_known = |finding: &Finding| finding.state == State::Known;
    findings.sort_by_key(|finding| {
        (Reverse(finding.level), is_known(finding), Reverse(finding.places.len().max(1)))
    });
    findings
}

/// The whole report as text.
pub fn render(
    report: &Report,
    conclusion: &Conclusion,
    promises: &Promises,
    theme: Theme,
    detail: Detail,
) -> String {
    let width = Width::new(None);
    rendered(report, conclusion, &Frame { promises, theme, detail, width, given: &Given::default() })
}

fn rendered(report: &Report, conclusion: &Conclusion, frame: &Frame<'_>) -> String {
    let findings = most_urgent_first(&report.findings);
    let mut shown = String::new();
    opening::show(&mut shown, report, conclusion, &findings, frame);
    let whole = match frame.detail {
        // Showing one more takes less room than saying that it is left out.
        Detail::Brief if findings.len() > IMPORTANT + 1 => IMPORTANT,
        Detail::Brief | Detail::Full => findings.len(),
    };
    for finding in &findings[..whole] {
        diagnostic::show(&mut shown, finding, frame);
    }
    rest(&mut shown, &findings[whole..], frame);
    closing::show(&mut shown, report, conclusion, frame);
    escape::no_workflow_command(&shown)
}

/// The findings beyond the most important ones, each on a line.
fn rest(shown: &mut String, findings: &[&Finding], frame: &Frame<'_>) {
    if findings.is_empty() {
        return;
    }
    let strong = frame.theme.strong;
    let count = prose::counted(findings.len(), "more finding", "more findings");
    // Writing to a string never fails.
    let _ = writeln!(shown, "{strong}{count}{strong:#}");
    frame.width.paragraph(shown, "  ", "Use -v for full details, or --report html=FILE for a web page.");
    for finding in findings.iter().take(LISTED) {
        diagnostic::brief(shown, finding, frame);
    }
    if let Some(more @ 1..) = findings.len().checked_sub(LISTED) {
        let _ = writeln!(shown, "  (and {more} more)");
    }
    shown.push('\n');
}

/// At most this many findings are shown in full.
const IMPORTANT: usize = 10;
/// At most this many further findings get a line each.
const LISTED: usize = 50;
/// No report is narrower than this.
const NARROWEST: usize = 60;
