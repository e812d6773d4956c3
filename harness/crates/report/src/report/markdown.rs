//! The markdown report: for comments on pull requests and job summaries.
//!
//! A server's words are always in code, where nothing is interpreted: no links, pictures, mentions or HTML.

use std::fmt::Write as _;

use crate::escape;
use crate::finding::{PendingText, State};
use crate::judge::Status;

use super::diff::signed_lines;
use super::view::FindingView;
use super::words::{in_one_line, lines};
use super::{Kind, ReportFormat, ReportView};

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "markdown",
    kind: Kind::AtTheEnd(|view, out| out.write_all(document(view).as_bytes())),
};

/// GitHub allows comments of 65,536 characters: findings beyond this many bytes are counted, not shown.
const LONGEST: usize = 56_000;

fn document(view: ReportView<'_>) -> String {
    let verdict = view.verdict();
    let why = verdict.why.map(|why| code(&in_one_line(why)));
    let parts = [Some(verdict.words), why, verdict.findings].into_iter().flatten();
    let mut text = format!("## mcp-errconf: {}\n\n", parts.collect::<Vec<_>>().join(": "));
    let (server, contract) = (code(&view.server()), code(&view.report.contract.id));
    let _ = writeln!(text, "{server}, contract {contract}. Figures: {}.\n", view.figures());
    for notice in view.notices() {
        let _ = writeln!(text, "**{}:** {}\n", notice.label, code(&notice.text));
    }
    let _ = writeln!(text, "Next: {}\n", code(&view.next()));
    group(&mut text, "To fix, the most harmful first", view.in_state(State::New));
    group(&mut text, "Known (in the baseline)", view.in_state(State::Known));
    unjudged(&mut text, view);
    advice(&mut text, view);
    for removable in view.removable() {
        list(&mut text, &removable.title, &removable.items);
    }
    format!("{}\n", escape::no_workflow_command(text.trim_end()))
}

/// Advice if too little was judged.
fn advice(text: &mut String, view: ReportView<'_>) {
    let advice = view.advice();
    if advice.is_empty() {
        return;
    }
    text.push_str("### To have more judged\n\nLines for `mcp-errconf.toml`, and command-line options:\n\n");
    for line in advice.iter().flat_map(|lines| lines.lines()) {
        let _ = writeln!(text, "- {}", code(&escape::line(line)));
    }
    text.push('\n');
}

fn group<'r>(text: &mut String, title: &str, findings: impl Iterator<Item = FindingView<'r>>) {
    let findings: Vec<_> = findings.collect();
    if findings.is_empty() {
        return;
    }
    let _ = writeln!(text, "### {title} ({})\n", findings.len());
    for (index, shown) in findings.iter().enumerate() {
        let item = item(*shown);
        if text.len() + item.len() > LONGEST {
            let left = findings.len() - index;
            let _ = writeln!(text, "And {left} more: the other report formats list them all.\n");
            return;
        }
        text.push_str(&item);
    }
}

/// One finding: a line that can be opened to show the account.
fn item(shown: FindingView<'_>) -> String {
    let finding = shown.finding;
    let tool = finding.tool.as_deref().map(|tool| format!(" {}", element(tool))).unwrap_or_default();
    let (rule, message) = (element(&finding.rule), element(&finding.message));
    let mut text = format!("<details>\n<summary>{}: {rule}{tool}: {message}</summary>\n\n", finding.level);
    let sent: Vec<String> = shown.calls().iter().map(|call| lines(&call.whole())).collect();
    let _ = writeln!(text, "Sent:\n\n{}", block(&sent.join("\n")));
    match shown.reply() {
        Some(reply) => {
            let _ = writeln!(text, "{}:\n\n{}", shown.source().1, block(&reply.text()));
            if !reply.marked.is_empty() && reply.marked != reply.text() {
                let part = code(&escape::line_within(&reply.marked, 200));
                let _ = writeln!(text, "The offending part: {part}\n");
            }
        }
        None => text.push_str("The reply had no text.\n\n"),
    }
    for pending in &finding.texts {
        let _ = writeln!(text, "Snapshot {}:\n\n{}", code(&pending.snapshot), changed(pending));
    }
    let _ = writeln!(text, "Expected: {}\n", code(&shown.expected()));
    let (fix, wording) = shown.fix();
    let _ = writeln!(text, "To fix it: {}\n", code(fix));
    if let Some(wording) = wording {
        let _ = writeln!(text, "Suggested text:\n\n{}", block(&lines(wording)));
    }
    let _ = writeln!(text, "Shown in: {}\n", code(&shown.places()));
    let examples = shown.examples();
    if !examples.is_empty() {
        let _ = writeln!(text, "Examples:\n\n{}", block(&examples.join("\n")));
    }
    for (label, detail) in [
        ("Cause", shown.cause()),
        ("Count", shown.shown_by()),
        ("Confirmed", shown.confirmed()),
        ("Reproduce", shown.reproduce().or_else(|| shown.without_replay().map(str::to_owned))),
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
    let lines = signed_lines(pending.accepted.as_deref().unwrap_or_default(), &pending.seen);
    let shown: Vec<String> =
        lines.iter().map(|(sign, line)| format!("{sign} {}", escape::line(line))).collect();
    fenced("diff", &shown.join("\n"))
}

/// Why cases were not judged, each reason once.
fn unjudged(text: &mut String, view: ReportView<'_>) {
    let statuses = [Status::NotJudged, Status::Skipped, Status::Errored];
    let reasons = statuses.into_iter().flat_map(|status| view.reasons(status, str::to_owned));
    let reasons: Vec<String> =
        reasons.map(|reason| format!("{}: {}", reason.cases.len(), reason.reason)).collect();
    list(text, "Not judged, skipped or errored", &reasons);
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

/// The first columns of a text as inline code that may stand in a table.
pub fn code_within(text: &str, columns: usize) -> String {
    code(&escape::line_within(text, columns).replace('|', "\u{a6}"))
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
