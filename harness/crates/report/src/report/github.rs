//! The github report: workflow commands, which GitHub Actions shows as annotations: at the line that defines a finding's tool,
//! and once at the workflow for all findings without such a line.
//!
//! Each command's data begins with our own words, and nothing of a server's can end a command or begin another one.

use std::io::{self, Write};

use crate::escape;
use crate::finding::{Level, State};

use super::view::FindingView;
use super::{Kind, ReportFormat, ReportView, SourceLine};

/// The format of this module.
pub static FORMAT: ReportFormat =
    ReportFormat { name: "github", kind: Kind::AtTheEnd(|view, out| Commands { view, out }.write()) };

/// At most this many findings are named in one annotation.
const NAMED: usize = 20;

struct Commands<'a> {
    view: ReportView<'a>,
    out: &'a mut dyn Write,
}

impl Commands<'_> {
    fn write(&mut self) -> io::Result<()> {
        let view = self.view;
        for removable in view.removable() {
            let items = removable.items.join("; ");
            let text = format!("{}: {items}. {}", removable.title, removable.about);
            self.command(None, "notice", "mcp-errconf", &text)?;
        }
        if let Some(why) = view.failure() {
            self.command(None, "error", "mcp-errconf", &why)?;
        }
        for notice in view.notices() {
            let command = if notice.is_warning { "warning" } else { "notice" };
            self.command(None, command, "mcp-errconf", &format!("{}: {}", notice.label, notice.text))?;
        }
        let mut without = Vec::new();
        for shown in view.findings() {
            let finding = shown.finding;
            let places = finding.places.iter().filter_map(|place| place.tool.as_ref());
            let tool = finding.tool.iter().chain(places).next();
            match tool.and_then(|tool| (view.settings.definition)(tool)) {
                Some(line) => self.command(Some(line), level(shown), &title(shown), &message(shown))?,
                None => without.push(shown),
            }
        }
        self.without_place(&without)?;
        writeln!(self.out, "mcp-errconf: {}; {}", view.verdict().in_a_line(), view.figures())
    }

    /// A command at a line of the sources. Without one it stands at the workflow or, where that is not known, at the anchor.
    fn command(&mut self, at: Option<SourceLine>, command: &str, title: &str, data: &str) -> io::Result<()> {
        let settings = self.view.settings;
        let file = settings.workflow.clone().or_else(|| settings.anchor.clone());
        let place = at.or_else(|| file.map(|file| SourceLine { file, line: 1 }));
        let place = place.map(|place| format!("file={},line={},", property(&place.file), place.line));
        let (place, title) = (place.unwrap_or_default(), property(title));
        writeln!(self.out, "::{command} {place}title={title}::mcp-errconf: {}", self::data(data))
    }

    /// All findings without a place in the server's sources, in one command of the gravest level.
    fn without_place(&mut self, findings: &[FindingView<'_>]) -> io::Result<()> {
        let (command, title, data) = match findings {
            [] => return Ok(()),
            [finding] => (level(*finding), title(*finding), message(*finding)),
            findings => {
                let gravest = ["error", "warning", "notice"]
                    .into_iter()
                    .find(|command| findings.iter().any(|finding| level(*finding) == *command));
                let named = findings.iter().take(NAMED);
                let mut lines: Vec<_> =
                    named.map(|finding| format!("{}: {}", title(*finding), told(*finding))).collect();
                if let more @ 1.. = findings.len().saturating_sub(NAMED) {
                    lines.push(format!("{more} more are in the log and in the other reports"));
                }
                let title = format!("{} findings without a line in the sources", findings.len());
                (gravest.unwrap_or("notice"), title, lines.join("\n"))
            }
        };
        self.command(None, command, &title, &data)
    }
}

fn level(shown: FindingView<'_>) -> &'static str {
    match (shown.finding.state, shown.finding.level) {
        (State::Known, _) | (_, Level::Note) => "notice",
        (State::New, Level::Should) => "warning",
        (State::New, Level::Must) => "error",
    }
}

fn title(shown: FindingView<'_>) -> String {
    let tool = shown.finding.tool.as_deref().map(|tool| format!(" in {tool}")).unwrap_or_default();
    escape::line_within(&format!("{}{tool}", shown.finding.rule), 120)
}

/// What was found, in a line.
fn told(shown: FindingView<'_>) -> String {
    format!("{}{}: {}", shown.finding.level, shown.known(), shown.message())
}

fn message(shown: FindingView<'_>) -> String {
    let mut lines = vec![told(shown)];
    lines.extend(shown.account_in_lines());
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
