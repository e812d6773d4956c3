//! The beginning of the human report: which server, and what limits what could be judged.

use std::fmt::Write as _;

use crate::confinement::{Confined, Confinement, Home, Network, SecondSessionResult};
use crate::escape;
use crate::judge::Report;
use crate::transcript::{Chosen, RootOrigin, RootReach, RootSource};

use super::{Detail, Frame};
use crate::report::ReportView;
use crate::report::words::listed;

/// How the report names the server that `--bundled` selects.
const BUNDLED: &str = "the bundled reference server (`--bundled`), not your own";

/// Adds the beginning to the report.
pub(super) fn show(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    let is_full = frame.detail == Detail::Full;
    let mut line = |label: &str, text: &str| frame.labelled(shown, label, text);
    line("server", &server(frame.view, frame.detail));
    for notice in frame.view.notices() {
        line(notice.label, &notice.text);
    }
    if let (true, Confinement::Confined(within)) = (is_full, &report.server.confinement) {
        line("sandbox", &sandbox(within));
    }
    if let (true, Some(SecondSessionResult::Driven(within))) = (is_full, &report.server.second) {
        line("session 2", &format!("every tool is called for real, in a sandbox: {}", sandbox(within)));
    }
    if let Some(root) = report.server.root.as_ref().filter(|_| !report.server.bundled)
        && (is_full || root.reach != RootReach::Workspace)
    {
        line("root", &root_told(root));
    }
    shown.push('\n');
}

fn server(view: ReportView<'_>, detail: Detail) -> String {
    let report = view.report;
    let server = &report.server;
    let command = view.server_command();
    let who = match (server.name.as_str(), server.version.as_str()) {
        ("", _) => "unnamed".to_owned(),
        (name, "") => escape::line_within(name, 80),
        (name, version) => format!("{} {}", escape::line_within(name, 80), escape::line_within(version, 40)),
    };
    if server.protocol_version.is_empty() && command.is_empty() {
        return "unknown (not in the recording)".to_owned();
    }
    if server.protocol_version.is_empty() {
        return format!("{} (no session was started)", if server.bundled { BUNDLED } else { &command });
    }
    let protocol = escape::line_within(&server.protocol_version, 40);
    let judged = format!("MCP {protocol}, judged by {}", contract(report));
    match (server.bundled, detail) {
        (true, _) => format!("{BUNDLED}: {who}, {judged}"),
        (false, _) if command.is_empty() => format!("{who}, {judged}, from recorded exchanges"),
        (false, Detail::Full) => format!("{who}, {judged}, started by: {command}"),
        (false, Detail::Brief | Detail::Concise) => format!("{who}, {judged}"),
    }
}

/// What a sandboxed server can reach.
fn sandbox(confined: &Confined) -> String {
    let mut text = "it can write to the workspace and to a temporary folder of its own".to_owned();
    for folder in &confined.allow_write {
        let _ = write!(text, ", and {}", escape::line_within(folder, 200));
    }
    for folder in &confined.allow_read {
        let _ = write!(text, "; it can read {}", escape::line_within(folder, 200));
    }
    if confined.home == Home::Dropped {
        text.push_str(
            "; it can read all of HOME, because it would not start without it; anything it writes there \
             is discarded",
        );
    }
    if confined.in_workspace {
        text.push_str(
            "; it was started in the workspace, because its tools refuse paths outside their working folder",
        );
    }
    text.push_str(match confined.network {
        Network::Namespace => "; it has no network except loopback",
        Network::Ports => "; over TCP it can reach only the harness's own ports; UDP is not blocked",
    });
    if !confined.kept_back.is_empty() {
        let names = listed(&confined.kept_back, usize::MAX);
        let _ = write!(text, "; it does not get the values of {names}");
    }
    text
}

/// Within which folder the server must stay, and what says so.
fn root_told(root: &RootOrigin) -> String {
    let given = escape::line_within(&root.given, 200);
    let place = match root.source {
        RootSource::Configuration if root.given == "root = false" => {
            return "none, by `[limits] root = false`: no path outside the workspace is tried".to_owned();
        }
        RootSource::Configuration => "`[limits] root = true` of the configuration".to_owned(),
        RootSource::CommandLine => format!("`{given}` of the command line"),
        RootSource::Variable => format!("`{given}` of its environment"),
    };
    let (folder, then) = match root.reach {
        RootReach::Workspace => ("the workspace", "paths outside it must be refused"),
        RootReach::Elsewhere => (
            "a folder of yours",
            "paths outside it must be refused. The workspace lies outside it too: put `{workspace}` in its \
             place to try what lies within",
        ),
        RootReach::Everything => (
            "a folder of yours",
            "it holds all that a run lays out, so no path outside it is tried: put `{workspace}` in its place",
        ),
    };
    format!("{folder}, by {place}: {then}")
}

/// The contract, and how it was chosen.
fn contract(report: &Report) -> String {
    let chosen = match report.contract.chosen {
        Chosen::Default => "the default contract",
        Chosen::Flag if report.server.bundled => "the bundled server's own",
        Chosen::Flag => "from --contract",
        Chosen::Config => "from the configuration",
        Chosen::Detected => "inferred from the replies",
    };
    format!("{} ({chosen})", report.contract.id)
}
