//! The last lines of the human report: the result, the reason for the exit code, and the next command.

use std::fmt::Write as _;

use crate::conclusion::Conclusion;
use crate::escape;
use crate::finding::{Finding, Level, State};
use crate::judge::Report;
use crate::report::account;
use crate::report::given::{Given, GivenCommand, NextKind, ServerGiven};

use super::prose::{counted, wrapped};
use super::{Frame, most_urgent_first, opening};

/// The column of the text after a label.
const LABEL: usize = 10;

/// Adds the last lines.
pub(super) fn show(shown: &mut String, report: &Report, conclusion: &Conclusion, frame: &Frame<'_>) {
    let style = match conclusion {
        Conclusion::Conformant => frame.theme.good,
        _ => frame.theme.strong,
    };
    let text = sum(report, conclusion);
    let lines = match frame.width.of_terminal() {
        Some(columns) => wrapped(&text, columns),
        None => vec![text],
    };
    for line in lines {
        let _ = writeln!(shown, "{style}{line}{style:#}");
    }
    let mut line = |label: &str, text: &str| {
        let strong = frame.theme.strong;
        for (index, text) in wrapped(text, frame.width.columns() - LABEL).iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            let _ = writeln!(shown, "{strong}{label:<LABEL$}{strong:#}{text}");
        }
    };
    line("because", &because(report, conclusion));
    // A command is kept in one piece, so that it can be copied.
    let strong = frame.theme.strong;
    let _ = writeln!(shown, "{strong}{:<LABEL$}{strong:#}{}", "next", next(report, conclusion, frame.given));
}

/// One line with the result and the exit code.
fn sum(report: &Report, conclusion: &Conclusion) -> String {
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
    let verdict = match conclusion {
        Conclusion::Conformant => "conformant",
        Conclusion::Findings(_) => "not conformant",
        _ => "no verdict",
    };
    let counts = &summary.findings;
    let is_empty = verdict == "no verdict" && counts.must + counts.should + counts.note == 0;
    let findings = if is_empty { String::new() } else { format!(": {}", opening::findings(counts)) };
    format!(
        "{verdict}{findings}; {}{parts}; {}, {}; exit {}",
        counted(cases.total, "case", "cases"),
        counted(summary.calls, "call", "calls"),
        counted(summary.error_replies, "error reply", "error replies"),
        conclusion.exit_code(),
    )
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
            format!("no Must finding; with --strict {} would count", of(should, "Should"))
        }
        Conclusion::Conformant if report.findings.iter().any(|finding| finding.state == State::Known) => {
            "the baseline accepts whatever would count".to_owned()
        }
        Conclusion::Conformant => "nothing was found that counts".to_owned(),
        Conclusion::Findings(counting) if *counting > must => match must {
            0 => format!("{} (--strict)", of(should, "Should")),
            must => format!("{} and {} (--strict)", of(must, "Must"), of(should, "Should")),
        },
        Conclusion::Findings(_) if should > 0 => {
            format!("{}; Should findings count with --strict", of(must, "Must"))
        }
        Conclusion::Findings(_) => of(must, "Must"),
        Conclusion::Uncovered(_) => "fewer tools were judged than `[coverage] tools` asks for".to_owned(),
        Conclusion::NotExercised(_) => "the server could not be exercised".to_owned(),
        Conclusion::NothingSelected(_) => "nothing was selected".to_owned(),
        Conclusion::NothingJudged | Conclusion::Inconclusive(_) => {
            "no error written by a tool itself was judged".to_owned()
        }
        Conclusion::Interrupted => "it was interrupted".to_owned(),
    }
}

/// The command that comes next, ready to be typed.
fn next(report: &Report, conclusion: &Conclusion, given: &Given) -> String {
    // A campaign that looked for no successful call says nothing of them.
    let of_campaign = given.command == GivenCommand::Fuzz || report.learnt.is_some();
    let command = |own: &str, next: NextKind| {
        let server = if given.server == ServerGiven::Command { server(report) } else { String::new() };
        format!("mcp-errconf {own}{}{server}", given.options(next, own))
    };
    match conclusion {
        Conclusion::Findings(_) => {
            let findings = most_urgent_first(&report.findings);
            let first = findings.iter().find(|finding| finding.state == State::New);
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

/// The server's command line after `--`; left out if it contains a secret option, or if it is unknown.
fn server(report: &Report) -> String {
    let words = &report.server.command;
    let is_concealed =
        |word: &String| ["{env:", "{input:", "{concealed:"].iter().any(|token| word.contains(token));
    match report.server.bundled || words.is_empty() || words.iter().any(is_concealed) {
        true => String::new(),
        false => {
            let words: Vec<String> = words.iter().map(|word| account::shell_word(word)).collect();
            format!(" -- {}", words.join(" "))
        }
    }
}
