//! The html report: one file that needs no script, no style sheet, no font and no picture from anywhere.
//!
//! The main type is [`Html`]. All of a server's words are text in it, never markup, and its policy forbids whatever
//! would run or be fetched.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::conclusion::Conclusion;
use crate::event::{Event, Reporter};
use crate::finding::{Finding, State};
use crate::judge::{Report, Status, Strictness};

use super::human::Promises;
use super::{ReportFormat, ReportSettings, account};
use crate::escape;

/// See the module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "html",
    summary: "a single page for a browser",
    open: |out, settings| Box::new(Html::new(out, settings)),
};

const HEAD: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>mcp-errconf</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code, pre { font: 14px/1.45 ui-monospace, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .6rem; border: 1px solid #8886; border-radius: 4px; }
details { border-left: 4px solid #888; padding: .2rem 0 .2rem .8rem; margin: .6rem 0; }
details.must { border-color: #c33; }
details.should { border-color: #c80; }
summary { cursor: pointer; }
mark { background: #fd6; color: #000; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #8884; }
dt { font-weight: bold; }
dd { margin: 0 0 .5rem 0; }
</style>
</head>
<body>
"#;

/// Writes the page once all is judged.
#[derive(Debug)]
pub struct Html<W> {
    out: W,
    promises: Promises,
    strictness: Strictness,
    beside: String,
}

impl<W: Write> Html<W> {
    /// Writes to `out`.
    pub fn new(out: W, settings: &ReportSettings) -> Self {
        let (promises, strictness) = (settings.promises.clone(), settings.strictness);
        Self { out, promises, strictness, beside: String::new() }
    }
}

impl<W: Write> Reporter for Html<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Started { .. }
            | Event::Walled { .. }
            | Event::Driven { .. }
            | Event::Learning { .. }
            | Event::Learnt { .. }
            | Event::Confirming { .. }
            | Event::Unwritten(_)
            | Event::Pace(_) => Ok(()),
            Event::Stale(entries) => {
                let entries: Vec<String> = entries.iter().map(ToString::to_string).collect();
                list(&mut self.beside, "Stale baseline entries, which no longer match any finding", &entries);
                Ok(())
            }
            Event::SnapshotsGone(snapshots) => {
                let names: Vec<String> = snapshots.iter().map(|gone| format!("{}.snap", gone.name)).collect();
                list(&mut self.beside, "Snapshots whose texts no longer occur", &names);
                Ok(())
            }
            Event::Judged { report, conclusion } => {
                let page = self.page(report, conclusion);
                self.out.write_all(page.as_bytes())?;
                self.out.flush()
            }
        }
    }
}

impl<W> Html<W> {
    fn page(&self, report: &Report, conclusion: &Conclusion) -> String {
        let mut page = HEAD.to_owned();
        let _ = writeln!(page, "<h1>mcp-errconf: {}</h1>", text(&account::verdict(conclusion)));
        let (server, contract) = (text(&account::server(report)), text(&report.contract.id));
        let figures = text(&account::figures(report));
        let _ =
            writeln!(page, "<p><strong>{server}</strong>, contract <code>{contract}</code>: {figures}.</p>");
        let _ = writeln!(page, "<h2>Findings</h2>");
        if report.findings.is_empty() {
            page.push_str("<p>None.</p>\n");
        }
        for finding in &report.findings {
            self.finding(&mut page, finding);
        }
        cases(&mut page, report);
        page.push_str(&self.beside);
        page.push_str("</body>\n</html>\n");
        escape::no_workflow_command(&page)
    }

    fn finding(&self, page: &mut String, finding: &Finding) {
        let open = if account::counts(finding, self.strictness) { " open" } else { "" };
        let known = if finding.state == State::Known { ", known" } else { "" };
        let tool = finding.tool.as_deref().map(|tool| format!(" <code>{}</code>", text(tool)));
        let (level, rule, tool) = (finding.level, text(&finding.rule), tool.unwrap_or_default());
        let message = text(&finding.message);
        let _ = writeln!(
            page,
            "<details class=\"{level}\"{open}>\n<summary>{level}{known} <code>{rule}</code>{tool}: \
             {message}</summary>\n<dl>"
        );
        let mut entry = |title: &str, markup: &str| {
            let _ = writeln!(page, "<dt>{title}</dt>\n<dd>{markup}</dd>");
        };
        entry("Sent", &format!("<pre>{}</pre>", text(&account::sent(finding))));
        let reply = account::reply(finding).map(|reply| {
            let (before, marked, after) = (text(&reply.before), text(&reply.marked), text(&reply.after));
            let marked = if marked.is_empty() { marked } else { format!("<mark>{marked}</mark>") };
            format!("<pre>{before}{marked}{after}</pre>")
        });
        entry("Reply", &reply.unwrap_or_else(|| "no text".to_owned()));
        entry("Expected", &text(&account::promised(finding, &self.promises)));
        entry("To fix it", &text(&finding.help));
        entry("Shown in", &text(&account::places(finding)));
        for (label, told) in
            [("Confirmed", account::confirmed(finding)), ("Replay", account::replay(finding))]
        {
            if let Some(told) = told {
                entry(label, &text(&told));
            }
        }
        page.push_str("</dl>\n</details>\n");
    }
}

fn cases(page: &mut String, report: &Report) {
    page.push_str("<h2>Cases</h2>\n<table>\n<tr><th>Case</th><th>Status</th><th>What</th></tr>\n");
    for case in &report.cases {
        let status = match case.status {
            Status::Passed => "passed",
            Status::Failed => "failed",
            Status::NotJudged => "not judged",
            Status::Skipped => "skipped",
            Status::Errored => "errored",
        };
        let what = text(case.reason.as_deref().unwrap_or(&case.title));
        let _ = writeln!(
            page,
            "<tr><td><code>{}</code></td><td>{status}</td><td>{what}</td></tr>",
            text(&case.id.0)
        );
    }
    page.push_str("</table>\n");
}

fn list(page: &mut String, title: &str, lines: &[String]) {
    let _ = writeln!(page, "<h2>{title}</h2>\n<ul>");
    for line in lines {
        let _ = writeln!(page, "<li><code>{}</code></li>", text(line));
    }
    page.push_str("</ul>\n");
}

/// Text that is text in HTML, within elements and attributes alike.
fn text(text: &str) -> String {
    account::lines(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}
