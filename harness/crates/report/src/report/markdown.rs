//! The markdown report: for comments on pull requests and job summaries.
//!
//! The main type is [`Markdown`]. A server's words are always in code, where nothing is interpreted: no links,
//! pictures, mentions or HTML.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::conclusion::Conclusion;
use crate::event::{Event, Reporter};
use crate::finding::{Finding, PendingText, State};
use crate::judge::{CaseVerdict, Report, Status};

use super::html::diff::{Shared, compare};
use super::human::Promises;
use super::{ReportFormat, ReportSettings, account};
use crate::escape;

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "markdown",
    summary: "a comment on a pull request, or a job summary",
    open: |out, settings| Box::new(Markdown::new(out, settings)),
};

/// GitHub allows comments of 65,536 characters: findings beyond this many bytes are counted, not shown.
const LONGEST: usize = 56_000;

/// Writes the document at the end of the run.
#[derive(Debug)]
pub struct Markdown<W> {
    out: W,
    promises: Promises,
    notices: String,
}

impl<W: Write> Markdown<W> {
    /// A reporter that writes to `out`.
    pub fn new(out: W, settings: &ReportSettings) -> Self {
        Self { out, promises: settings.promises.clone(), notices: String::new() }
    }
}

impl<W: Write> Reporter for Markdown<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            progress!() | Event::Pace(_) => Ok(()),
            Event::Stale(entries) => {
                list(&mut self.notices, account::STALE, &account::stale(entries));
                Ok(())
            }
            Event::SnapshotsGone(snapshots) => {
                list(&mut self.notices, account::GONE, &account::gone(snapshots));
                Ok(())
            }
            Event::Judged { report, conclusion } => {
                let document = document(report, conclusion, &self.promises, &self.notices);
                self.out.write_all(document.as_bytes())?;
                self.out.flush()
            }
        }
    }
}

fn document(report: &Report, conclusion: &Conclusion, promises: &Promises, notices: &str) -> String {
    let mut text = format!("## mcp-errconf: {}\n\n", sentence(conclusion));
    let (server, contract) = (code(&account::server(report)), code(&report.contract.id));
    let _ = writeln!(text, "{server}, contract {contract}: {}.\n", account::figures(report));
    if let Some(stopped) = account::stopped(report) {
        let _ = writeln!(text, "**Stopped:** {}\n", code(&stopped));
    }
    if let Some(used_up) = account::used_up(report) {
        let _ = writeln!(text, "**Limit:** {used_up}\n");
    }
    if let Some(lack) = account::unsandboxed(report) {
        let _ = writeln!(text, "**Not sandboxed:** {}\n", code(&lack));
    }
    let new = report.findings.iter().filter(|finding| finding.state == State::New);
    group(&mut text, "To fix, the most harmful first", new, promises);
    let known = report.findings.iter().filter(|finding| finding.state == State::Known);
    group(&mut text, "Known (in the baseline)", known, promises);
    unjudged(&mut text, report);
    next(&mut text, report, conclusion);
    text.push_str(notices);
    format!("{}\n", escape::no_workflow_command(text.trim_end()))
}

/// Advice if too little was judged.
fn next(text: &mut String, report: &Report, conclusion: &Conclusion) {
    let next = account::next(report, conclusion);
    if !next.is_empty() {
        text.push_str(
            "### To have more judged\n\nLines for `mcp-errconf.toml`, and command-line options:\n\n",
        );
    }
    for lines in next {
        for line in lines.lines() {
            let _ = writeln!(text, "- {}", code(&escape::line(line)));
        }
    }
    text.push('\n');
}

/// The verdict, with the server's words in code.
fn sentence(conclusion: &Conclusion) -> String {
    match conclusion {
        Conclusion::NotExercised(why) => {
            format!("the server could not be exercised: {}", code(&account::in_one_line(why)))
        }
        Conclusion::NothingSelected(why) => format!("nothing was selected: {}", code(why)),
        Conclusion::Uncovered(why) => code(why),
        other => account::verdict(other),
    }
}

fn group<'f>(
    text: &mut String,
    title: &str,
    findings: impl Iterator<Item = &'f Finding>,
    promises: &Promises,
) {
    let findings: Vec<&Finding> = findings.collect();
    if findings.is_empty() {
        return;
    }
    let _ = writeln!(text, "### {title} ({})\n", findings.len());
    for (index, finding) in findings.iter().enumerate() {
        let shown = item(finding, promises);
        if text.len() + shown.len() > LONGEST {
            let _ = writeln!(
                text,
                "And {} more: the other report formats list them all.\n",
                findings.len() - index
            );
            return;
        }
        text.push_str(&shown);
    }
}

/// One finding: a line that can be opened to show the account.
fn item(finding: &Finding, promises: &Promises) -> String {
    let tool = finding.tool.as_deref().map(|tool| format!(" {}", element(tool))).unwrap_or_default();
    let (rule, message) = (element(&finding.rule), element(&finding.message));
    let mut text = format!("<details>\n<summary>{}: {rule}{tool}: {message}</summary>\n\n", finding.level);
    let _ = writeln!(text, "Sent:\n\n{}", block(&account::sent(finding)));
    match account::reply(finding) {
        Some(reply) => {
            let _ = writeln!(text, "Reply:\n\n{}", block(&reply.text()));
            if !reply.marked.is_empty() && reply.marked != reply.text() {
                let _ = writeln!(
                    text,
                    "The offending part: \
                        {}\n",
                    code(&escape::line_within(&reply.marked, 200))
                );
            }
        }
        None => text.push_str("The reply had no text.\n\n"),
    }
    for pending in &finding.texts {
        let _ = writeln!(text, "Snapshot {}:\n\n{}", code(&pending.snapshot), changed(pending));
    }
    let _ = writeln!(text, "Expected: {}\n", code(&account::promised(finding, promises)));
    let _ = writeln!(text, "To fix it: {}\n", code(&finding.help));
    let _ = writeln!(text, "Shown in: {}\n", code(&account::places(finding)));
    let examples = account::examples(finding);
    if !examples.is_empty() {
        let _ = writeln!(text, "Examples:\n\n{}", block(&examples.join("\n")));
    }
    for (label, detail) in [
        ("Count", account::shown_by(finding)),
        ("Confirmed", account::confirmed(finding)),
        ("Replay", account::replay(finding)),
    ] {
        if let Some(detail) = detail {
            let _ = writeln!(text, "{label}: {}\n", code(&detail));
        }
    }
    let _ = writeln!(text, "</details>\n");
    text
}

/// How a text differs from the accepted one, line by line.
fn changed(pending: &PendingText) -> String {
    let before: Vec<&str> = pending.accepted.as_deref().unwrap_or_default().lines().collect();
    let after: Vec<&str> = pending.seen.lines().collect();
    let (in_before, in_after) = compare(&before, &after);
    let mut lines = Vec::new();
    let (mut old, mut new) = (0, 0);
    while old < before.len() || new < after.len() {
        let (sign, line) = match (in_before.get(old), in_after.get(new)) {
            (Some(Shared::No), _) => ('-', before[old]),
            (_, Some(Shared::No)) => ('+', after[new]),
            _ => (' ', after[new]),
        };
        old += usize::from(sign != '+');
        new += usize::from(sign != '-');
        lines.push(format!("{sign} {}", escape::line(line)));
    }
    fenced("diff", &lines.join("\n"))
}

/// Why cases were not judged, each reason once.
fn unjudged(text: &mut String, report: &Report) {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    let untried =
        |case: &&CaseVerdict| matches!(case.status, Status::NotJudged | Status::Skipped | Status::Errored);
    for case in report.cases.iter().filter(untried) {
        let reason = case.reason.as_deref().unwrap_or("no reason was recorded");
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, count)) => *count += 1,
            None => reasons.push((reason, 1)),
        }
    }
    let lines: Vec<String> = reasons.iter().map(|(reason, count)| format!("{count}: {reason}")).collect();
    list(text, "Not judged, skipped or errored", &lines);
}

fn list(text: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(text, "### {title}\n");
    for line in lines.iter().take(50) {
        let _ = writeln!(text, "- {}", code(&escape::line_within(line, 400)));
    }
    if lines.len() > 50 {
        let _ = writeln!(text, "- and {} more", lines.len() - 50);
    }
    text.push('\n');
}

/// Text as inline code. Backticks, which would end the code, become quotes; backslashes are harmless.
pub(super) fn code(text: &str) -> String {
    let shown = escape::line(text).replace('`', "'");
    match shown.trim() {
        "" => "(empty)".to_owned(),
        trimmed => format!("`{trimmed}`"),
    }
}

/// Text in an HTML code element, in which Markdown is not interpreted.
fn element(text: &str) -> String {
    let text = escape::line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<code>{text}</code>")
}

/// Lines as a code block, with a fence that none of them can be.
fn block(text: &str) -> String {
    fenced("text", text)
}

fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}{language}\n{text}\n{fence}\n")
}
