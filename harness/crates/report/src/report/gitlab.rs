//! The gitlab report: GitLab's code quality report, which a merge request shows beside its changes.
//!
//! The main type is [`GitLab`]. It is a list of what Code Climate calls issues, of which GitLab reads five
//! members. Findings are identified as in SARIF.

use std::io::{self, Write};

use serde::Serialize;

use crate::conclusion::Conclusion;
use crate::event::{Event, Reporter};
use crate::finding::{Finding, Level, State};
use crate::judge::Report;
use crate::signature::fingerprint;

use super::human::Promises;
use super::{ReportFormat, ReportSettings, account};
use crate::escape;

/// The file to attach findings to if there is none: the configuration that a server would have.
const ANCHOR: &str = "mcp-errconf.toml";

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "gitlab",
    summary: "code quality report of GitLab",
    open: |out, settings| Box::new(GitLab::new(out, settings)),
};

/// Writes the list at the end of the run.
#[derive(Debug)]
pub struct GitLab<W> {
    out: W,
    promises: Promises,
    anchor: Option<String>,
}

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

impl<W: Write> GitLab<W> {
    /// A reporter that writes to `out`; issues are attached to the settings' anchor.
    pub fn new(out: W, settings: &ReportSettings) -> Self {
        Self { out, promises: settings.promises.clone(), anchor: settings.anchor.clone() }
    }

    fn issues<'r>(&'r self, report: &'r Report, conclusion: &Conclusion) -> Vec<Issue<'r>> {
        let unjudged = account::unjudged(conclusion).map(|why| Issue {
            description: format!("{}; {}", account::lines(&why), account::figures(report)),
            check_name: "mcp-errconf",
            fingerprint: fingerprint(&["mcp-errconf", "not judged"]),
            severity: "blocker",
            location: self.location(),
        });
        let found = report.findings.iter().map(|finding| Issue {
            description: self.description(finding),
            check_name: &finding.rule,
            fingerprint: account::identity(finding),
            severity: severity(finding),
            location: self.location(),
        });
        unjudged.into_iter().chain(found).collect()
    }

    fn description(&self, finding: &Finding) -> String {
        let tool = finding.tool.as_deref().map(|tool| format!(" in {}", escape::line_within(tool, 80)));
        let known = if finding.state == State::Known { " (in the baseline)" } else { "" };
        let promise = account::promised(finding, &self.promises);
        format!(
            "{}{}{known}: expected {promise}; {}",
            escape::line(&finding.message),
            tool.unwrap_or_default(),
            escape::line(&finding.help)
        )
    }

    fn location(&self) -> Location<'_> {
        Location { path: self.anchor.as_deref().unwrap_or(ANCHOR), lines: Lines { begin: 1 } }
    }
}

impl<W: Write> Reporter for GitLab<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let Event::Judged { report, conclusion } = event else { return Ok(()) };
        let document = serde_json::to_string_pretty(&self.issues(report, conclusion))?;
        writeln!(self.out, "{}", escape::json(&document))?;
        self.out.flush()
    }
}

fn severity(finding: &Finding) -> &'static str {
    match (finding.state, finding.level) {
        (State::Known, _) | (_, Level::Note) => "info",
        (State::New, Level::Should) => "minor",
        (State::New, Level::Must) => "major",
    }
}
