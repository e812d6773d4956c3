//! The human report: each finding like a compiler's diagnostic, the most important first, then what was not
//! judged, and last a short summary.
//!
//! The main function is [`render`]. All of a server's words go through [`escape`] on their way here.

use std::fmt::Write as _;

use crate::conclusion::Conclusion;
use crate::escape;
use crate::finding::State;

use super::prose::{Width, sentence, wrapped};
use super::view::{FindingView, Removable, Tone};
use super::words::counted;
use super::{Detail, Kind, ReportFormat, ReportView, Theme};

mod details;
mod diagnostic;
mod opening;
mod quote;
mod unjudged;
mod valid_calls;

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "human",
    summary: "for reading at a terminal",
    kind: Kind::AtTheEnd(|view, out| out.write_all(render(view).as_bytes())),
};

/// The settings that every part of the report needs.
struct Frame<'a> {
    view: ReportView<'a>,
    theme: Theme,
    detail: Detail,
    width: Width,
}

impl Frame<'_> {
    /// Adds a text with a label before it, wrapped in the column after the label.
    fn labelled(&self, shown: &mut String, label: &str, text: &str) {
        let strong = self.theme.strong;
        for (index, line) in wrapped(text, self.width.columns() - LABEL).iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            // Writing to a string never fails.
            let _ = writeln!(shown, "{strong}{label:<LABEL$}{strong:#}{line}");
        }
    }
}

/// The whole report as text.
pub fn render(view: ReportView<'_>) -> String {
    let settings = view.settings;
    let width = Width::new(settings.columns.map(|columns| columns.max(NARROWEST)));
    let frame = Frame { view, theme: settings.theme, detail: settings.detail, width };
    let report = view.report;
    let known: Vec<FindingView<'_>> = view.in_state(State::Known).collect();
    let new: Vec<FindingView<'_>> = view.in_state(State::New).collect();
    let mut shown = String::new();
    for removable in view.removable() {
        self::removable(&mut shown, &removable, &frame);
    }
    if frame.detail == Detail::Concise {
        for finding in &new {
            diagnostic::concise(&mut shown, *finding, &frame);
        }
        if !new.is_empty() {
            shown.push('\n');
        }
        self::known(&mut shown, &known, &frame);
    } else {
        opening::show(&mut shown, report, &frame);
        let whole = match frame.detail {
            // Showing one more takes less room than saying that it is left out.
            Detail::Brief if new.len() > IMPORTANT + 1 => IMPORTANT,
            _ => new.len(),
        };
        for finding in &new[..whole] {
            diagnostic::show(&mut shown, *finding, &frame);
        }
        let title = counted(new.len() - whole, "more finding", "more findings");
        in_lines(&mut shown, &format!("{title} (-v shows them in full)"), &new[whole..], &frame);
        if frame.detail == Detail::Full {
            for finding in &known {
                diagnostic::show(&mut shown, *finding, &frame);
            }
        } else {
            self::known(&mut shown, &known, &frame);
        }
        unjudged::show(&mut shown, &frame);
        if frame.detail == Detail::Full {
            details::show(&mut shown, report, &frame);
        }
    }
    ending(&mut shown, &frame);
    escape::no_workflow_command(&shown)
}

/// A list of what can be removed.
fn removable(shown: &mut String, removable: &Removable, frame: &Frame<'_>) {
    let strong = frame.theme.strong;
    let _ = writeln!(shown, "{strong}{}{strong:#}", removable.title);
    frame.width.paragraph(shown, "  ", removable.about);
    let most = if frame.detail == Detail::Full { usize::MAX } else { REMOVABLE };
    for item in removable.items.iter().take(most) {
        frame.width.paragraph(shown, "  - ", item);
    }
    if let Some(more @ 1..) = removable.items.len().checked_sub(most) {
        let _ = writeln!(shown, "  (and {more} more)");
    }
    shown.push('\n');
}

/// The end: the verdict, the figures, what to fix first, the reason for the exit code, and the next command.
fn ending(shown: &mut String, frame: &Frame<'_>) {
    let (view, strong) = (frame.view, frame.theme.strong);
    let verdict = view.verdict();
    let style = if verdict.tone == Tone::Good { frame.theme.good } else { strong };
    // A reason of several lines holds what a server printed, which keeps its indentation.
    let (line, below) = match verdict.why {
        Some(why) if why.contains('\n') => (verdict.words.clone(), why),
        _ => (verdict.in_a_line(), ""),
    };
    for line in wrapped(&sentence(&line), frame.width.columns()) {
        let _ = writeln!(shown, "{style}{line}{style:#}");
    }
    for line in below.lines() {
        let margin = " ".repeat(2 + line.len() - line.trim_start().len());
        frame.width.paragraph(shown, &margin, line);
    }
    let is_exercised =
        view.report.summary.calls > 0 || !matches!(view.conclusion, Conclusion::NotExercised(_));
    let lines = [
        ("cases", is_exercised.then(|| view.cases())),
        ("fixable", view.messages()),
        ("stopped", view.stopped()),
        ("fix first", view.fix_first()),
        ("exit", Some(view.exit())),
    ];
    for (label, text) in lines {
        if let Some(text) = text {
            frame.labelled(shown, label, &sentence(&text));
        }
    }
    // A command is kept in one piece, so that it can be copied.
    let _ = writeln!(shown, "{strong}{:<LABEL$}{strong:#}{}", "next", view.next());
}

/// The findings that the baseline accepts.
fn known(shown: &mut String, findings: &[FindingView<'_>], frame: &Frame<'_>) {
    let title = counted(findings.len(), "known finding", "known findings");
    in_lines(shown, &format!("{title} (in the baseline; -v shows them in full)"), findings, frame);
}

/// Findings with a line each.
fn in_lines(shown: &mut String, title: &str, findings: &[FindingView<'_>], frame: &Frame<'_>) {
    if findings.is_empty() {
        return;
    }
    let strong = frame.theme.strong;
    // Writing to a string never fails.
    let _ = writeln!(shown, "{strong}{title}{strong:#}");
    let most = if frame.detail == Detail::Full { usize::MAX } else { LISTED };
    for finding in findings.iter().take(most) {
        diagnostic::in_one_line(shown, *finding, frame);
    }
    if let Some(more @ 1..) = findings.len().checked_sub(most) {
        let _ = writeln!(shown, "  (and {more} more)");
    }
    shown.push('\n');
}

/// At most this many findings are shown in full.
const IMPORTANT: usize = 10;
/// At most this many things that can be removed are named.
const REMOVABLE: usize = 10;
/// At most this many further findings get a line each.
const LISTED: usize = 30;
/// The column of the text after a label.
const LABEL: usize = 10;
/// No report is narrower than this.
const NARROWEST: usize = 60;
