//! The JUnit report: each case a test case, for CI systems that read this format.
//!
//! The main type is [`Junit`]. A finding that counts is a failure, a crash of the server is an error, and a
//! case that was not sent or not judged is skipped, with the reason. A run that judged nothing has an error of
//! its own, so that it never looks successful.

use std::io::{self, Write};

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::conclusion::Conclusion;
use crate::condition::CaseId;
use crate::event::{Event, Reporter};
use crate::finding::{Finding, State};
use crate::judge::{CaseVerdict, Report, Status, Strictness};

use super::ReportFormat;
use super::account::{counts, unjudged};
use crate::escape;

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "junit",
    summary: "each case as a test case, for CI systems",
    open: |out, settings| Box::new(Junit::new(out, settings.strictness)),
};

/// Writes the document at the end of the run.
#[derive(Debug)]
pub struct Junit<W> {
    out: W,
    strictness: Strictness,
}

impl<W: Write> Junit<W> {
    /// A reporter that writes to `out`; `strictness` decides which findings are failures.
    pub fn new(out: W, strictness: Strictness) -> Self {
        Self { out, strictness }
    }
}

impl<W: Write> Reporter for Junit<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let Event::Judged { report, conclusion } = event else { return Ok(()) };
        let document = document(report, conclusion, self.strictness).to_string().map_err(io::Error::other)?;
        writeln!(self.out, "{}", document.trim_end())?;
        self.out.flush()
    }
}

/// The whole report as a document.
fn document(report: &Report, conclusion: &Conclusion, strictness: Strictness) -> quick_junit::Report {
    let name = if report.server.name.is_empty() { "server" } else { report.server.name.as_str() };
    let mut suite = TestSuite::new(escape::line(name));
    for case in &report.cases {
        suite.add_test_case(test_case(case, report, strictness));
    }
    let outside = |finding: &&Finding| strictness.counts(finding.level) && finding.is_new_in(None);
    for finding in report.findings.iter().filter(outside) {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        add_finding(&mut status, &within(finding, None));
        let mut test = TestCase::new(format!("outside any case: {}", finding.rule), status);
        test.set_classname("run");
        suite.add_test_case(test);
    }
    if let Some(why) = unjudged(conclusion) {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(paragraphs(&why));
        let mut test = TestCase::new("the run", status);
        test.set_classname("run");
        suite.add_test_case(test);
    }
    let mut document = quick_junit::Report::new("mcp-errconf");
    document.add_test_suite(suite);
    document
}

fn test_case(case: &CaseVerdict, report: &Report, strictness: Strictness) -> TestCase {
    let own = case.findings.iter().filter_map(|index| report.findings.get(*index));
    let findings: Vec<Finding> = own.map(|finding| within(finding, Some(&case.id))).collect();
    let reason = || paragraphs(case.reason.as_deref().unwrap_or_default());
    let status = match case.status {
        Status::Passed => TestCaseStatus::success(),
        Status::Failed => {
            let mut failing = findings.iter().filter(|finding| counts(finding, strictness));
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            if let Some(first) = failing.next() {
                add_finding(&mut status, first);
            }
            for other in failing {
                let more = description(other);
                let so_far = status_description(&status);
                status.set_description(format!("{so_far}\n\n{more}"));
            }
            status
        }
        Status::Errored => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_type("errored").set_message(reason());
            status
        }
        Status::Skipped | Status::NotJudged => {
            let mut status = TestCaseStatus::skipped();
            let word = if case.status == Status::Skipped { "skipped" } else { "not judged" };
            status.set_type(word).set_message(format!("{word}: {}", reason()));
            status
        }
    };
    let mut test = TestCase::new(escape::line(&case.id.0), status);
    test.set_classname(escape::line(case.id.0.split('/').next().unwrap_or_default()));
    let further: Vec<String> =
        findings.iter().filter(|finding| !counts(finding, strictness)).map(description).collect();
    if !further.is_empty() {
        test.set_system_out(further.join("\n\n"));
    }
    test
}

/// The finding as shown in a case, with that case's call, or outside of any case.
fn within(finding: &Finding, case: Option<&CaseId>) -> Finding {
    let here = || finding.places.iter().filter(|place| place.case.as_ref() == case);
    let new = here().find(|place| place.state == State::New);
    match new.or_else(|| here().next()) {
        Some(place) => Finding { state: place.state, ..finding.shown_in(place) },
        None => finding.clone(),
    }
}

fn status_description(status: &TestCaseStatus) -> String {
    match status {
        TestCaseStatus::NonSuccess { description: Some(text), .. } => text.to_string(),
        _ => String::new(),
    }
}

fn add_finding(status: &mut TestCaseStatus, finding: &Finding) {
    status.set_type(finding.rule.as_str());
    status.set_message(paragraphs(&finding.message));
    status.set_description(description(finding));
}

/// A finding in the order of the human report: what was sent, what came back, what was promised, how to fix it.
fn description(finding: &Finding) -> String {
    let known = if finding.state == State::Known { " (known)" } else { "" };
    let mut lines =
        vec![format!("{}[{}]{known}: {}", finding.level, finding.rule, paragraphs(&finding.message))];
    lines.push(format!("sent: {}", paragraphs(&finding.sent.to_string())));
    let reply = finding.evidence.as_ref().map_or("(no text)", |evidence| evidence.text.as_str());
    lines.push(format!("reply: {}", paragraphs(reply)));
    lines.push(format!("expected: {}", paragraphs(&finding.requirement)));
    lines.push(format!("help: {}", paragraphs(&finding.help)));
    lines.join("\n")
}

/// The server's words without control characters that terminals interpret or XML forbids; line breaks are kept.
fn paragraphs(text: &str) -> String {
    escape::no_workflow_command(&text.split('\n').map(escape::line).collect::<Vec<_>>().join("\n"))
}
