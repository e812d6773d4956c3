//! The end of the human report: the verdict, the figures, what to fix first, the reason for the exit code, and
//! the next command.

use std::fmt::Write as _;

use crate::conclusion::Conclusion;
use crate::escape;
use crate::finding::{Finding, Level, State};
use crate::judge::{Coverage, FindingCounts, Report};
use crate::report::account;
use crate::report::given::{Given, GivenCommand, NextKind, ServerGiven};

use super::prose::{counted, sentence, wrapped};
use super::{Frame, LABEL};

/// Adds the summary; `first` is the finding to fix first.
pub(super) fn show(
    shown: &mut String,
    report: &Report,
    conclusion: &Conclusion,
    first: Option<&Finding>,
    frame: &Frame<'_>,
) {
    let style = match conclusion {
        Conclusion::Conformant => frame.theme.good,
        _ => frame.theme.strong,
    };
    for line in wrapped(&sentence(&verdict(report, conclusion)), frame.width.columns()) {
        let _ = writeln!(shown, "{style}{line}{style:#}");
    }
    if let Conclusion::NotExercised(why) = conclusion {
        for line in why.lines() {
            // What a server printed keeps its indentation.
            let margin = " ".repeat(2 + line.len() - line.trim_start().len());
            frame.width.paragraph(shown, &margin, line);
        }
    }
    let mut line = |label: &str, text: &str| frame.labelled(shown, label, text);
    if report.summary.calls > 0 || !matches!(conclusion, Conclusion::NotExercised(_)) {
        line("cases", &figures(report));
    }
    if report.summary.messages.judged > 0 {
        line("fixable", &sentence(&account::messages(report)));
    }
    if let Some(stopped) = account::stopped(report) {
        line("stopped", &stopped);
    }
    if let Some(first) = first {
        line("fix first", &fix_first(first));
    }
    line("exit", &format!("{}: {}", conclusion.exit_code(), because(report, conclusion)));
    // A command is kept in one piece, so that it can be copied.
    let strong = frame.theme.strong;
    let _ = writeln!(
        shown,
        "{strong}{:<LABEL$}{strong:#}{}",
        "next",
        next(report, conclusion, first, frame.given)
    );
}

/// The numbers of cases, calls and error replies.
fn figures(report: &Report) -> String {
    let (summary, cases) = (&report.summary, &report.summary.cases);
    let counts = [
        (cases.passed, "passed"),
        (cases.failed, "failed"),
        (cases.not_judged, "not judged"),
        (cases.skipped, "skipped"),
        (cases.errored, "errored"),
    ];
    let parts = counts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<_> = parts.map(|(count, status)| format!("{count} {status}")).collect();
    let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    format!(
        "{}{parts}; {}, {}",
        cases.total,
        counted(summary.calls, "call", "calls"),
        counted(summary.error_replies, "error reply", "error replies"),
    )
}

fn verdict(report: &Report, conclusion: &Conclusion) -> String {
    let cases = &report.summary.cases;
    let known = report.findings.iter().filter(|finding| finding.state == State::Known).count();
    let findings = match known {
        0 => findings(&report.summary.findings),
        known => format!("{}, {known} of them known", findings(&report.summary.findings)),
    };
    match conclusion {
        Conclusion::Conformant => match cases.not_judged + cases.skipped + cases.errored {
            0 if report.stopped_after_ms.is_none() => format!("conformant: {findings}"),
            0 => format!("conformant as far as it was tested: {findings}"),
            left => format!(
                "conformant as far as it was tested ({left} of {} cases were not run or not judged): {findings}",
                cases.total
            ),
        },
        Conclusion::Findings(_) => format!("not conformant: {findings}"),
        Conclusion::NotExercised(_) => "no verdict: the server could not be exercised".to_owned(),
        Conclusion::NothingSelected(why) => format!("no verdict: nothing was selected: {why}"),
        Conclusion::NothingJudged => {
            format!(
                "no verdict: no tool answered a call with an error, so no error reply was judged; {findings}"
            )
        }
        Conclusion::Inconclusive(why) => format!("no verdict: {why}; {findings}"),
        Conclusion::Uncovered(why) => {
            format!("no verdict: too little was judged: {}; {findings}", Coverage::figures_of(why))
        }
        Conclusion::Interrupted => format!("no verdict: the run was interrupted; so far {findings}"),
    }
}

/// Findings by level in words.
fn findings(counts: &FindingCounts) -> String {
    let levels = [(counts.must, "Must"), (counts.should, "Should"), (counts.note, "Note")];
    let found: Vec<_> = levels.iter().filter(|(count, _)| *count > 0).collect();
    let total = found.iter().map(|(count, _)| count).sum();
    let parts: Vec<_> = found.iter().map(|(count, level)| format!("{count} {level}")).collect();
    match parts.is_empty() {
        true => "no findings".to_owned(),
        false => format!("{} ({})", counted(total, "finding", "findings"), parts.join(", ")),
    }
}

/// The finding to fix first, in one sentence.
fn fix_first(finding: &Finding) -> String {
    let places = match (finding.places.len(), finding.tools()) {
        (0 | 1, _) => String::new(),
        (places, 0 | 1) => format!(" ({places} places)"),
        (places, tools) => format!(" ({places} places in {tools} tools)"),
    };
    sentence(&format!("{}: {}{places}", finding.rule, finding.message))
}

/// The reason for the exit code.
fn because(report: &Report, conclusion: &Conclusion) -> String {
    let new = |level: Level| {
        let is_new = |finding: &&Finding| finding.level == level && finding.state == State::New;
        report.findings.iter().filter(is_new).count()
    };
    let (must, should) = (new(Level::Must), new(Level::Should));
    let of =
        |count: usize, level: &str| counted(count, &format!("{level} finding"), &format!("{level} findings"));
    match conclusion {
        Conclusion::Conformant if should > 0 => {
            format!("No Must finding. With --strict, {} would fail the run.", of(should, "Should"))
        }
        Conclusion::Conformant if report.findings.iter().any(|finding| finding.state == State::Known) => {
            "All failing findings are in the baseline.".to_owned()
        }
        Conclusion::Conformant => "No finding fails the run.".to_owned(),
        Conclusion::Findings(counting) if *counting > must => match must {
            0 => format!("{} (--strict).", of(should, "Should")),
            must => format!("{} and {} (--strict).", of(must, "Must"), of(should, "Should")),
        },
        Conclusion::Findings(_) if should > 0 => {
            format!("{} (Should findings fail the run only with --strict).", of(must, "Must"))
        }
        Conclusion::Findings(_) => format!("{}.", of(must, "Must")),
        Conclusion::Uncovered(_) => "Fewer tools were judged than `[coverage] tools` asks for.".to_owned(),
        Conclusion::NotExercised(_) => "The server could not be exercised.".to_owned(),
        Conclusion::NothingSelected(_) => "Nothing was selected.".to_owned(),
        Conclusion::NothingJudged | Conclusion::Inconclusive(_) => {
            "No error written by a tool itself was judged.".to_owned()
        }
        Conclusion::Interrupted => "The run was interrupted.".to_owned(),
    }
}

/// The command that comes next, ready to be typed.
fn next(report: &Report, conclusion: &Conclusion, first: Option<&Finding>, given: &Given) -> String {
    // A campaign that looked for no successful call says nothing of them.
    let of_campaign = given.command == GivenCommand::Fuzz || report.learnt.is_some();
    let command = |own: &str, next: NextKind| {
        let server =
            if given.server == ServerGiven::Command { account::server_words(report) } else { String::new() };
        format!("mcp-errconf {own}{}{server}", given.options(next, own))
    };
    match conclusion {
        Conclusion::Findings(_) => {
            let replay = first.and_then(|finding| finding.replay.as_deref());
            match (replay, first) {
                (Some(replay), _) => escape::line(replay),
                (None, Some(first)) => format!("mcp-errconf explain {}", escape::line(&first.rule)),
                (None, None) => "mcp-errconf list rules".to_owned(),
            }
        }
        Conclusion::Conformant if report.server.bundled => "mcp-errconf run -- ./my-server".to_owned(),
        Conclusion::Conformant if of_campaign => {
            command("fuzz --duration 8h --corpus corpus", NextKind::Same)
        }
        Conclusion::Conformant => command("fuzz --duration 10m", NextKind::Judging),
        Conclusion::NotExercised(_) => command("doctor", NextKind::Starting),
        // Without the `--tools` that no tool matches.
        Conclusion::NothingSelected(_) if of_campaign => command("fuzz", NextKind::Judging),
        Conclusion::NothingSelected(_) => "mcp-errconf list cases".to_owned(),
        Conclusion::NothingJudged | Conclusion::Inconclusive(_) | Conclusion::Uncovered(_) => {
            command(if of_campaign { "fuzz -v" } else { "run -v" }, NextKind::Same)
        }
        Conclusion::Interrupted if of_campaign => command("fuzz --duration 1m", NextKind::Same),
        Conclusion::Interrupted => command("run --max-probes 50", NextKind::Same),
    }
}
