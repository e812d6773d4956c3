//! The gitlab report: GitLab's code quality report, which a merge request shows beside its changes.
//!
//! It is a list of what Code Climate calls issues, of which GitLab reads five members. Findings are identified as in SARIF.

use std::io::{self, Write};

use serde::Serialize;

use crate::escape;
use crate::finding::{Level, State};
use crate::signature::fingerprint;

use super::view::FindingView;
use super::{Kind, ReportFormat, ReportView};

/// The file to attach findings to if there is none: the configuration that a server would have.
const ANCHOR: &str = "mcp-errconf.toml";

/// The format of this module.
pub static FORMAT: ReportFormat =
    ReportFormat { name: "gitlab", summary: "code quality report of GitLab", kind: Kind::AtTheEnd(write) };

#[derive(Debug, Serialize)]
struct Issue<'r> {
    description: String,
    check_name: &'r str,
    fingerprint: String,
    severity: &'static str,
    location: Location<'r>,
}

#[derive(Debug, Serialize)]
struct Location<'r> {
    path: &'r str,
    lines: Lines,
}

#[derive(Debug, Serialize)]
struct Lines {
    begin: u32,
}

fn write(view: ReportView<'_>, out: &mut dyn Write) -> io::Result<()> {
    let path = view.settings.anchor.as_deref().unwrap_or(ANCHOR);
    let location = || Location { path, lines: Lines { begin: 1 } };
    let failure = view.failure().map(|why| Issue {
        description: format!("{why}; {}", view.figures()),
        check_name: "mcp-errconf",
        fingerprint: fingerprint(&["mcp-errconf", "not judged"]),
        severity: "blocker",
        location: location(),
    });
    let found = view.findings().map(|shown| Issue {
        description: description(shown),
        check_name: &shown.finding.rule,
        fingerprint: shown.identity(),
        severity: severity(shown),
        location: location(),
    });
    let issues: Vec<Issue<'_>> = failure.into_iter().chain(found).collect();
    writeln!(out, "{}", escape::json(&serde_json::to_string_pretty(&issues)?))
}

fn description(shown: FindingView<'_>) -> String {
    let tool = shown.finding.tool.as_deref().map(|tool| format!(" in {}", escape::line_within(tool, 80)));
    format!(
        "{}{}{}: expected: {}; help: {}",
        shown.message(),
        tool.unwrap_or_default(),
        shown.known(),
        shown.expected(),
        escape::line(&shown.finding.help)
    )
}

fn severity(shown: FindingView<'_>) -> &'static str {
    match (shown.finding.state, shown.finding.level) {
        (State::Known, _) | (_, Level::Note) => "info",
        (State::New, Level::Should) => "minor",
        (State::New, Level::Must) => "major",
    }
}
