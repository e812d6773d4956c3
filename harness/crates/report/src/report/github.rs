//! The github report: workflow commands, which GitHub Actions shows as annotations: at the line that defines a finding's tool,
//! and once at the workflow for all findings without such a line.
//!
//! The main type is [`GitHub`]. Each command's data begins with our own words, and nothing of a server's can end a
//! command or begin another one.

use std::io::{self, Write};

use crate::conclusion::Conclusion;
use crate::event::{Event, Reporter};
use crate::finding::{Finding, Level, State};
use crate::judge::Report;

use super::human::Promises;
use super::{ReportFormat, ReportSettings, SourceLine, account};
use crate::escape;

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "github",
    summary: "annotations of a GitHub Actions job",
    open: |out, settings| Box::new(GitHub::new(out, settings)),
};

/// At most this many findings are named in one annotation.
const NAMED: usize = 20;

/// Writes the commands at the end of the run.
#[derive(Debug)]
pub struct GitHub<W> {
    out: W,
    promises: Promises,
    definition: fn(&str) -> Option<SourceLine>,
    workflow: Option<SourceLine>,
}

impl<W: Write> GitHub<W> {
    /// A reporter that writes to `out`. Where the workflow is not known, the settings' anchor stands for it.
    pub fn new(out: W, settings: &ReportSettings) -> Self {
        let file = settings.workflow.as_ref().or(settings.anchor.as_ref());
        Self {
            out,
            promises: settings.promises.clone(),
            definition: settings.definition,
            workflow: file.cloned().map(|file| SourceLine { file, line: 1 }),
        }
    }

    /// A command without a place in the server's sources.
    fn command(&mut self, command: &str, title: &str, data: &str) -> io::Result<()> {
        let workflow = self.workflow.clone();
        self.command_at(workflow.as_ref(), command, title, data)
    }

    fn command_at(
        &mut self,
        place: Option<&SourceLine>,
        command: &str,
        title: &str,
        data: &str,
    ) -> io::Result<()> {
        let place = place.map(|place| format!("file={},line={},", property(&place.file), place.line));
        let (place, title) = (place.unwrap_or_default(), property(title));
        writeln!(self.out, "::{command} {place}title={title}::mcp-errconf: {}", self::data(data))
    }

    /// All findings without a place in the server's sources, in one command of the gravest level.
    fn without_place(&mut self, findings: &[&Finding]) -> io::Result<()> {
        let (command, title, data) = match findings {
            [] => return Ok(()),
            [finding] => (level(finding), title(finding), message(finding, &self.promises)),
            findings => {
                let gravest = ["error", "warning", "notice"]
                    .into_iter()
                    .find(|command| findings.iter().any(|finding| level(finding) == *command));
                let named = findings.iter().take(NAMED);
                let mut lines: Vec<_> =
                    named.map(|finding| format!("{}: {}", title(finding), told(finding))).collect();
                if let more @ 1.. = findings.len().saturating_sub(NAMED) {
                    lines.push(format!("{more} more are in the log and in the other reports"));
                }
                let title = format!("{} findings without a line in the sources", findings.len());
                (gravest.unwrap_or("notice"), title, lines.join("\n"))
            }
        };
        self.command(command, &title, &data)
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
        let mut without = Vec::new();
        for finding in &report.findings {
            let mut tools =
                finding.tool.iter().chain(finding.places.iter().filter_map(|place| place.tool.as_ref()));
            match tools.next().and_then(|tool| (self.definition)(tool)) {
                Some(line) => {
                    let data = message(finding, &self.promises);
                    self.command_at(Some(&line), level(finding), &title(finding), &data)?;
                }
                None => without.push(finding),
            }
        }
        self.without_place(&without)?;
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

fn title(finding: &Finding) -> String {
    let tool = finding.tool.as_deref().map(|tool| format!(" in {tool}")).unwrap_or_default();
    escape::line_within(&format!("{}{tool}", finding.rule), 120)
}

/// What was found, in a line.
fn told(finding: &Finding) -> String {
    let known = if finding.state == State::Known { ", known" } else { "" };
    format!("{}{known}: {}", finding.level, escape::line(&finding.message))
}

fn message(finding: &Finding, promises: &Promises) -> String {
    let mut lines = vec![told(finding)];
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
