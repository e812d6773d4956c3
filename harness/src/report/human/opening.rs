//! The beginning of the human report: which server, the verdict, the headline figure, and what to fix first.

use std::fmt::Write as _;

use crate::conclusion::Conclusion;
use crate::confinement::{Confinement, Home, Network, SecondSessionResult};
use crate::escape;
use crate::finding::{Finding, State};
use crate::judge::{Coverage, FindingCounts, Report};
use crate::report::account;
use crate::transcript::{Chosen, RootOrigin, RootReach, RootSource};

use super::prose::{counted, listed, sentence, wrapped};
use super::{Detail, Frame};

/// The column of the text after a label.
const LABEL: usize = 10;

/// If the server's command was forgotten, this must be noticed.
const BUNDLED: &str = "the bundled reference server, not your own; name yours after `--`";

/// Adds the beginning to the report.
pub(super) fn show(
    shown: &mut String,
    report: &Report,
    conclusion: &Conclusion,
    findings: &[&Finding],
    frame: &Frame<'_>,
) {
    let mut line = |label: &str, text: &str| {
        let strong = frame.theme.strong;
        for (index, text) in wrapped(text, frame.width.columns() - LABEL).iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            let _ = writeln!(shown, "{strong}{label:<LABEL$}{strong:#}{text}");
        }
    };
    line("server", &server(report));
    if let Some(confined) = confined(&report.server.confinement, frame.detail) {
        line("confined", &confined);
    }
    if let Some(second) = second(report, frame.detail) {
        line("session 2", &second);
    }
    if let Some(root) = report.server.root.as_ref().filter(|_| !report.server.bundled) {
        line("root", &root_told(root));
    }
    line("contract", &contract(report));
    line("verdict", &verdict(report, conclusion));
    // Of the calls of a campaign none is compared with one that succeeds: what its messages lack, its findings say.
    let is_counted = report.summary.mendable.of > 0 || report.learnt.is_none();
    if report.summary.error_replies > 0 && is_counted {
        line("headline", &headline(report));
    }
    if report.summary.mended.of > 0 {
        line("fixable", &sentence(&account::mended(report)));
    }
    if let Some(finding) = findings.iter().find(|finding| finding.state == State::New) {
        line("first", &first(finding));
    }
    shown.push('\n');
}

fn server(report: &Report) -> String {
    let server = &report.server;
    let command = server.command.iter().map(|word| account::shell_word(word)).collect::<Vec<_>>().join(" ");
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
    match server.bundled {
        true => format!("{BUNDLED}: {who}, MCP {protocol}"),
        false if command.is_empty() => format!("{who}, MCP {protocol}, according to the recorded exchanges"),
        false => format!("{who}, MCP {protocol}, started by: {command}"),
    }
}

/// The confinement in force; `None` if it was not requested.
fn confined(confinement: &Confinement, detail: Detail) -> Option<String> {
    let confined = match confinement {
        Confinement::Off => return None,
        Confinement::Unavailable(why) => {
            return Some(format!("no: {}", sentence(&escape::line_within(why, 300))));
        }
        Confinement::Confined(confined) => confined,
    };
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
    text.push_str(match confined.network {
        Network::Namespace => "; it has no network except loopback",
        Network::Ports => "; over TCP it can reach only the harness's own ports; UDP is not blocked",
    });
    let names = confined.kept_back.iter().map(String::as_str);
    match (confined.kept_back.len(), detail) {
        (0, _) => {}
        (_, Detail::Full) => {
            let _ = write!(text, "; withheld from its environment: {}", listed(names, usize::MAX));
        }
        (count, Detail::Brief) => {
            let kept = counted(
                count,
                "variable that looks like a secret is",
                "variables that look like secrets are",
            );
            let _ = write!(text, "; {kept} withheld from its environment (-v lists them)");
        }
    }
    Some(text)
}

/// The result of a second, confined session.
fn second(report: &Report, detail: Detail) -> Option<String> {
    Some(match report.server.second.as_ref()? {
        SecondSessionResult::Missing(why) => format!("none: {}", sentence(&escape::line_within(why, 400))),
        SecondSessionResult::Driven(within) => {
            let within = confined(&Confinement::Confined(within.clone()), detail)?;
            format!("confined, with complete calls to every tool: {within}")
        }
    })
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

fn contract(report: &Report) -> String {
    let contract = &report.contract;
    let chosen = match contract.chosen {
        Chosen::Default => "the default; choose another with --contract",
        Chosen::Flag if report.server.bundled => "the bundled server's own",
        Chosen::Flag => "from --contract",
        Chosen::Config => "from the configuration",
        Chosen::Detected => "inferred from the replies",
    };
    match &contract.looks_like {
        Some(other) => format!(
            "{} ({chosen}); most error replies use the codes of {other}: use --contract {other} to judge by \
             that one",
            contract.id
        ),
        None => format!("{} ({chosen})", contract.id),
    }
}

fn verdict(report: &Report, conclusion: &Conclusion) -> String {
    let cases = &report.summary.cases;
    let known = report.findings.iter().filter(|finding| finding.state == State::Known).count();
    let findings = match known {
        0 => findings(&report.summary.findings),
        known => format!("{}, {known} of them known", findings(&report.summary.findings)),
    };
    match conclusion {
        Conclusion::Conformant => {
            let left = cases.not_judged + cases.skipped + cases.errored;
            let except = match left {
                0 => String::new(),
                left => {
                    format!(
                        ", as far as it was tested: {left} of {} cases were not run or not judged",
                        cases.total
                    )
                }
            };
            format!("conformant{except}; {findings}")
        }
        Conclusion::Findings(_) => format!("not conformant; {findings}"),
        Conclusion::NotExercised(why) => format!("none: the server could not be exercised: {why}"),
        Conclusion::NothingSelected(why) => format!("none: nothing was selected: {why}"),
        Conclusion::NothingJudged => {
            format!("none: no error reply could be judged: no tool answered a call with an error; {findings}")
        }
        Conclusion::Inconclusive(why) => format!("none: {why}; {findings}"),
        Conclusion::Uncovered(why) => {
            // The unjudged tools are listed at the end of the report.
            let figures = Coverage::figures_of(why);
            format!("none: too little was judged: {figures}; {findings}")
        }
        Conclusion::Interrupted => format!("none: the run was interrupted; so far {findings}"),
    }
}

/// Findings by level in words.
pub(super) fn findings(counts: &FindingCounts) -> String {
    let levels = [(counts.must, "Must"), (counts.should, "Should"), (counts.note, "Note")];
    let found: Vec<_> = levels.iter().filter(|(count, _)| *count > 0).collect();
    let total = found.iter().map(|(count, _)| count).sum();
    let parts: Vec<_> = found.iter().map(|(count, level)| format!("{count} {level}")).collect();
    match parts.is_empty() {
        true => "no findings".to_owned(),
        false => format!("{} ({})", counted(total, "finding", "findings"), parts.join(", ")),
    }
}

fn headline(report: &Report) -> String {
    let (mendable, replies) = (report.summary.mendable, report.summary.error_replies);
    let others = replies.saturating_sub(mendable.of);
    if mendable.of == 0 {
        return format!(
            "none of {} could be judged on whether it says how to fix the call",
            counted(replies, "error reply", "error replies")
        );
    }
    let figure = format!(
        "{} of {}{} {} how to fix the call",
        mendable.held,
        counted(mendable.of, "error reply", "error replies"),
        if others > 0 { " that could be judged" } else { "" },
        if mendable.of == 1 { "says" } else { "say" },
    );
    match others {
        0 => figure,
        1 => format!("{figure} (1 more was an I/O error, an internal error, or could not be judged)"),
        others => {
            format!("{figure} ({others} more were I/O errors, internal errors, or could not be judged)")
        }
    }
}

fn first(finding: &Finding) -> String {
    let tools = match finding.tools() {
        0 | 1 => finding.tool.as_deref().map_or(String::new(), |tool| format!(" of {tool}")),
        tools => format!(" of {tools} tools"),
    };
    let places = counted(finding.places.len().max(1), "place", "places");
    sentence(&format!("{} in {places}{tools}: {}", finding.rule, finding.help))
}
