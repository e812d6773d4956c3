//! The gitlab report: GitLab's code quality report, which a merge request shows beside its changes.
//!
//! It is a list of what Code Climate calls issues, of which GitLab reads five members. Findings are identified as in SARIF.

use serde_json::{Value, json};

use crate::escape;
use crate::finding::{Level, State};
use crate::signature::fingerprint;

use super::view::FindingView;
use super::{ANCHOR, Kind, ReportFormat, ReportView, json};

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "gitlab",
    kind: Kind::AtTheEnd(|view, out| out.write_all(json::document(&issues(view))?.as_bytes())),
};

fn issues(view: ReportView<'_>) -> Vec<Value> {
    let path = view.settings.anchor.as_deref().unwrap_or(ANCHOR);
    let issue = |description: String, check: &str, fingerprint: String, severity: &str| {
        json!({
            "description": description,
            "check_name": check,
            "fingerprint": fingerprint,
            "severity": severity,
            "location": {"path": path, "lines": {"begin": 1}},
        })
    };
    let failure = view.failure().map(|why| {
        let description = format!("{why}; {}", view.figures());
        issue(description, "mcp-errconf", fingerprint(&["mcp-errconf", "not judged"]), "blocker")
    });
    let found = view
        .findings()
        .map(|shown| issue(description(shown), &shown.finding.rule, shown.identity(), severity(shown)));
    failure.into_iter().chain(found).collect()
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
