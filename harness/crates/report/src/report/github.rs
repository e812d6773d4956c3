//! The github report: workflow commands, which GitHub Actions shows as annotations.
//!
//! The main type is [`GitHub`]. Each command's data begins with our own words, and nothing of a server's can end a
//! command or begin another one.

use std::io::{self, Write};

use crate::conclusion::Conclusion;
use crate::event::{Event, Reporter};
use crate::finding::{Finding, Level, State};
use crate::judge::Report;

use super::human::Promises;
use super::{ReportFormat, ReportSettings, account};
use crate::escape;

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "github",
    summary: "annotations of a GitHub Actions job",
    open: |out, settings| Box::new(GitHub::new(out, settings)),
};

/// Writes a command for each finding at the end of the run.
#[derive(Debug)]
pub struct GitHub<W> {
    out: W,
    promises: Promises,
    anchor: Option<String>,
}

impl<W: Write> GitHub<W> {
    /// A reporter that writes to `out`; annotations are attached to the settings' anchor.
    pub fn new(out: W, settings: &ReportSettings) -> Self {
        Self { out, promises: settings.promises.clone(), anchor: settings.anchor.clone() }
    }

    fn command(&mut self, command: &str, title: &str, data: &str) -> io::Result<()> {
        let file = self.anchor.as_ref().map(|file| format!("file={},line=1,", property(file)));
        let (file, title) = (file.unwrap_or_default(), property(title));
        writeln!(self.out, "::{command} {file}title={title}::mcp-errconf: {}", self::data(data))
    }

    fn judged(&mut self, report: &Report, conclusion: &Conclusion) -> io::Result<()> {
        if let Some(why) = account::unjudged(conclusion) {
            self.command("error", "mcp-errconf", &account::lines(&why))?;
        }
        if let Some(stopped) = account::stopped(report) {
            self.command("warning", "mcp-errconf", &format!("stopped {stopped}"))?;
        }
        if let Some(lack) = account::unsandboxed(report) {
            self.command("warning", "mcp-errconf", &format!("not sandboxed: {lack}"))?;
        }
        for finding in &report.findings {
            let tool = finding.tool.as_deref().map(|tool| format!(" in {tool}")).unwrap_or_default();
            let title = escape::line_within(&format!("{}{tool}", finding.rule), 120);
            self.command(level(finding), &title, &message(finding, &self.promises))?;
        }
        let (verdict, figures) = (account::verdict(conclusion), account::figures(report));
        writeln!(self.out, "mcp-errconf: {verdict}; {figures}")?;
        self.out.flush()
    }
}

impl<W: Write> Reporter for GitHub<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            progress!() | Event::Pace(_) => Ok(()),
            Event::Stale(entries) => {
                let message = format!("stale in the baseline: {}", account::stale(entries).join("; "));
                self.command("notice", "mcp-errconf baseline", &account::lines(&message))
            }
            Event::SnapshotsGone(snapshots) => {
                let message = format!("snapshots not seen again: {}", account::gone(snapshots).join(", "));
                self.command("notice", "mcp-errconf snapshots", &account::lines(&message))
            }
            Event::Judged { report, conclusion } => self.judged(report, conclusion),
        }
    }
}

fn level(finding: &Finding) -> &'static str {
    match (finding.state, finding.level) {
        (State::Known, _) | (_, Level::Note) => "notice",
        (State::New, Level::Should) => "warning",
        (State::New, Level::Must) => "error",
    }
}

fn message(finding: &Finding, promises: &Promises) -> String {
    let known = if finding.state == State::Known { ", known" } else { "" };
    let mut lines = vec![format!("{}{known}: {}", finding.level, escape::line(&finding.message))];
    lines.extend(account::plain(finding, promises));
    lines.join("\n")
}

/// The data of a command, escaped for the runner.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a command's property, escaped for the runner.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
