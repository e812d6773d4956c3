//! The human report: each finding like a compiler's diagnostic, the most important first, then what was not
//! judged, and last a short summary.
//!
//! The main type is [`Human`]. All of a server's words go through [`escape`] on their way here.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use crate::baseline::Entry;
use crate::conclusion::Conclusion;
use crate::contract::Contract;
use crate::event::{Event, Reporter};
use crate::finding::{Finding, Level, State};
use crate::judge::{Report, SlowCase};
use crate::snapshot::StaleText;

use super::{Given, ReportFormat};
use crate::escape;

mod details;
mod diagnostic;
mod opening;
pub(super) mod prose;
mod quote;
mod reason;
mod removable;
mod sent;
mod summary;
mod theme;
mod unjudged;
mod valid_calls;

use prose::Width;
pub use prose::pieces;
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
    /// One line for each finding: `--format concise`.
    Concise,
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
    slow: Vec<SlowCase>,
}

/// The settings that every part of the report needs.
struct Frame<'a> {
    promises: &'a Promises,
    theme: Theme,
    detail: Detail,
    width: Width,
    given: &'a Given,
    slow: &'a [SlowCase],
}

impl Frame<'_> {
    /// Adds a text with a label before it, wrapped in the column after the label.
    fn labelled(&self, shown: &mut String, label: &str, text: &str) {
        let strong = self.theme.strong;
        for (index, line) in prose::wrapped(text, self.width.columns() - LABEL).iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            // Writing to a string never fails.
            let _ = writeln!(shown, "{strong}{label:<LABEL$}{strong:#}{line}");
        }
    }
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
            slow: Vec::new(),
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
        if let Event::Slow(slow) = event {
            self.slow.clone_from(slow);
        }
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
        let width = Width::new(self.columns);
        let (theme, detail) = (self.theme, self.detail);
        let frame =
            Frame { promises: &self.promises, theme, detail, width, given: &self.given, slow: &self.slow };
        let mut shown = removable::stale(&self.stale, &frame);
        shown.push_str(&removable::gone(&self.gone, &frame));
        shown.push_str(&rendered(report, conclusion, &frame));
        self.out.write_all(shown.as_bytes())?;
        self.out.flush()
    }
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
    rendered(
        report,
        conclusion,
        &Frame { promises, theme, detail, width, given: &Given::default(), slow: &[] },
    )
}

fn rendered(report: &Report, conclusion: &Conclusion, frame: &Frame<'_>) -> String {
    let (known, new): (Vec<&Finding>, Vec<&Finding>) =
        report.findings.iter().partition(|finding| finding.state == State::Known);
    let mut shown = String::new();
    if frame.detail == Detail::Concise {
        for finding in &new {
            diagnostic::concise(&mut shown, finding, frame);
        }
        if !new.is_empty() {
            shown.push('\n');
        }
        self::known(&mut shown, &known, frame);
    } else {
        opening::show(&mut shown, report, frame);
        let whole = match frame.detail {
            // Showing one more takes less room than saying that it is left out.
            Detail::Brief if new.len() > IMPORTANT + 1 => IMPORTANT,
            _ => new.len(),
        };
        for finding in &new[..whole] {
            diagnostic::show(&mut shown, finding, frame);
        }
        let title = prose::counted(new.len() - whole, "more finding", "more findings");
        in_lines(&mut shown, &format!("{title} (-v shows them in full)"), &new[whole..], frame);
        self::known(&mut shown, &known, frame);
        unjudged::show(&mut shown, report, conclusion, frame);
        if frame.detail == Detail::Full {
            details::show(&mut shown, report, frame);
        }
    }
    // A Note asks for no change.
    let first = new.first().copied().filter(|finding| finding.level > Level::Note);
    summary::show(&mut shown, report, conclusion, first, frame);
    escape::no_workflow_command(&shown)
}

/// The findings that the baseline accepts.
fn known(shown: &mut String, findings: &[&Finding], frame: &Frame<'_>) {
    let title = prose::counted(findings.len(), "known finding", "known findings");
    in_lines(shown, &format!("{title} (in the baseline)"), findings, frame);
}

/// Findings with a line each.
fn in_lines(shown: &mut String, title: &str, findings: &[&Finding], frame: &Frame<'_>) {
    if findings.is_empty() {
        return;
    }
    let strong = frame.theme.strong;
    // Writing to a string never fails.
    let _ = writeln!(shown, "{strong}{title}{strong:#}");
    let most = if frame.detail == Detail::Full { usize::MAX } else { LISTED };
    for finding in findings.iter().take(most) {
        diagnostic::in_one_line(shown, finding, frame);
    }
    if let Some(more @ 1..) = findings.len().checked_sub(most) {
        let _ = writeln!(shown, "  (and {more} more)");
    }
    shown.push('\n');
}

/// At most this many findings are shown in full.
const IMPORTANT: usize = 10;
/// At most this many further findings get a line each.
const LISTED: usize = 30;
/// The column of the text after a label.
const LABEL: usize = 10;
/// No report is narrower than this.
const NARROWEST: usize = 60;
