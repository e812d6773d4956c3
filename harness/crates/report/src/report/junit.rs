//! The JUnit report: each case a test case, for CI systems that read this format.
//!
//! A finding that counts is a failure, a crash of the server is an error, and a
//! case that was not sent or not judged is skipped, with the reason. A run that judged nothing has an error of
//! its own, so that it never looks successful.

use std::io;

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::condition::CaseId;
use crate::escape;
use crate::finding::{Finding, State};
use crate::judge::{CaseVerdict, Status};

use super::view::FindingView;
use super::words::lines;
use super::{Kind, ReportFormat, ReportView};

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "junit",
    kind: Kind::AtTheEnd(|view, out| {
        let document = document(view).to_string().map_err(io::Error::other)?;
        writeln!(out, "{}", document.trim_end())
    }),
};

/// The whole report as a document.
fn document(view: ReportView<'_>) -> quick_junit::Report {
    let report = view.report;
    let name = if report.server.name.is_empty() { "server" } else { report.server.name.as_str() };
    let mut suite = TestSuite::new(escape::line(name));
    for case in &report.cases {
        suite.add_test_case(test_case(case, view));
    }
    let outside =
        |finding: &&Finding| view.settings.strictness.counts(finding.level) && finding.is_new_in(None);
    for finding in report.findings.iter().filter(outside) {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        add_finding(&mut status, FindingView { view, finding: &within(finding, None) });
        let mut test = TestCase::new(format!("outside any case: {}", finding.rule), status);
        test.set_classname("run");
        suite.add_test_case(test);
    }
    let notices = view.notices();
    if !notices.is_empty() {
        let told: Vec<_> =
            notices.iter().map(|notice| format!("{}: {}", notice.label, notice.text)).collect();
        suite.set_system_out(paragraphs(&told.join("\n")));
    }
    if let Some(why) = view.failure() {
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

fn test_case(case: &CaseVerdict, view: ReportView<'_>) -> TestCase {
    let own = case.findings.iter().filter_map(|index| view.report.findings.get(*index));
    let findings: Vec<Finding> = own.map(|finding| within(finding, Some(&case.id))).collect();
    let (failing, further): (Vec<_>, Vec<_>) =
        findings.iter().map(|finding| FindingView { view, finding }).partition(|shown| shown.counts());
    let reason = || paragraphs(case.reason.as_deref().unwrap_or_default());
    let status = match case.status {
        Status::Passed => TestCaseStatus::success(),
        Status::Failed => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            if let Some(first) = failing.first() {
                add_finding(&mut status, *first);
                let all: Vec<String> = failing.into_iter().map(description).collect();
                status.set_description(all.join("\n\n"));
            }
            status
        }
        Status::Errored => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_type(case.status.words()).set_message(reason());
            status
        }
        Status::Skipped | Status::NotJudged => {
            let mut status = TestCaseStatus::skipped();
            let word = case.status.words();
            status.set_type(word).set_message(format!("{word}: {}", reason()));
            status
        }
    };
    let mut test = TestCase::new(escape::line(&case.id.0), status);
    test.set_classname(escape::line(case.id.0.split('/').next().unwrap_or_default()));
    let further: Vec<String> = further.into_iter().map(description).collect();
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

fn add_finding(status: &mut TestCaseStatus, shown: FindingView<'_>) {
    status.set_type(shown.finding.rule.as_str());
    status.set_message(paragraphs(&shown.finding.message));
    status.set_description(description(shown));
}

/// A finding with its whole account.
fn description(shown: FindingView<'_>) -> String {
    let (finding, known) = (shown.finding, shown.known());
    let mut lines = vec![format!("{}[{}]{known}: {}", finding.level, finding.rule, finding.message)];
    lines.extend(shown.account().into_iter().map(|(label, text)| format!("{label}: {text}")));
    paragraphs(&lines.join("\n"))
}

/// The server's words without control characters that terminals interpret or XML forbids; line breaks are kept.
fn paragraphs(text: &str) -> String {
    escape::no_workflow_command(&lines(text))
}
