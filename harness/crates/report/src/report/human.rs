//! The human report: each finding like a compiler's diagnostic, the most important first, then what was not
//! judged, and last a short summary.
//!
//! The main function is [`render`]. All of a server's words go through [`escape`] on their way here.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

use crate::conclusion::Conclusion;
use crate::escape;
use crate::finding::State;

use super::prose::{sentence, wrapped};
use super::view::{FindingView, Tone};
use super::words::counted;
use super::{Detail, Kind, ReportFormat, ReportView, Theme};

mod details;
mod diagnostic;
mod opening;
mod quote;
mod unjudged;

/// The format of this module.
pub static FORMAT: ReportFormat =
    ReportFormat { name: "human", kind: Kind::AtTheEnd(|view, out| out.write_all(render(view).as_bytes())) };

/// The settings that every part of the report needs.
struct Frame<'a> {
    view: ReportView<'a>,
    theme: Theme,
    detail: Detail,
    /// No line but a command, which can be copied in one piece, is longer than this many columns.
    columns: usize,
}

// Writing to a string never fails.
impl Frame<'_> {
    /// Adds a text with a label before it, wrapped in the column after the label.
    fn labelled(&self, shown: &mut String, label: &str, text: &str) {
        let strong = self.theme.strong;
        for (index, line) in wrapped(text, self.columns - LABEL).iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            let _ = writeln!(shown, "{strong}{label:<LABEL$}{strong:#}{line}");
        }
    }

    /// Adds a title.
    fn title(&self, shown: &mut String, title: &str) {
        let strong = self.theme.strong;
        let _ = writeln!(shown, "{strong}{title}{strong:#}");
    }

    /// Adds a paragraph with a hanging indent after its beginning.
    fn paragraph(&self, shown: &mut String, beginning: &str, text: &str) {
        // If the beginning leaves hardly any room, the text starts on the next line.
        let (beginning, above) = match self.columns.checked_sub(beginning.width()) {
            Some(24..) => (beginning, None),
            _ => ("      ", Some(beginning.trim_end())),
        };
        if let Some(above) = above {
            let _ = writeln!(shown, "{above}");
        }
        for (index, line) in wrapped(text, self.columns - beginning.width()).iter().enumerate() {
            let margin = if index == 0 { beginning } else { "" };
            let _ = writeln!(shown, "{margin:<width$}{line}", width = beginning.width());
        }
    }

    /// Adds a title with paragraphs, each with its beginning, and a blank line; nothing if there are no paragraphs.
    fn section(&self, shown: &mut String, title: &str, paragraphs: &[(String, String)]) {
        if !paragraphs.is_empty() {
            self.title(shown, title);
            for (beginning, text) in paragraphs {
                self.paragraph(shown, beginning, text);
            }
            shown.push('\n');
        }
    }

    /// How many items of a list are shown: all of them with `-v`.
    fn most(&self, most: usize) -> usize {
        if self.detail == Detail::Full { usize::MAX } else { most }
    }
}

/// Says how many items of a list are left out, if any.
fn more(shown: &mut String, all: usize, most: usize, hint: &str) {
    if let Some(more @ 1..) = all.checked_sub(most) {
        let _ = writeln!(shown, "  (and {more} more{hint})");
    }
}

/// The whole report as text.
pub fn render(view: ReportView<'_>) -> String {
    let settings = view.settings;
    let columns = settings.columns.map_or(USUAL, |columns| columns.max(NARROWEST));
    let frame = Frame { view, theme: settings.theme, detail: settings.detail, columns };
    let report = view.report;
    let known: Vec<FindingView<'_>> = view.in_state(State::Known).collect();
    let new: Vec<FindingView<'_>> = view.in_state(State::New).collect();
    let mut shown = String::new();
    for removable in view.removable() {
        let most = frame.most(REMOVABLE);
        let about = ("  ".to_owned(), removable.about.to_owned());
        let items = removable.items.iter().take(most).map(|item| ("  - ".to_owned(), item.clone()));
        let left = removable.items.len().checked_sub(most).filter(|left| *left > 0);
        let left = left.map(|left| ("  ".to_owned(), format!("(and {left} more)")));
        let paragraphs: Vec<_> = std::iter::once(about).chain(items).chain(left).collect();
        frame.section(&mut shown, &removable.title, &paragraphs);
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
    for line in wrapped(&sentence(&line), frame.columns) {
        let _ = writeln!(shown, "{style}{line}{style:#}");
    }
    for line in below.lines() {
        let margin = " ".repeat(2 + line.len() - line.trim_start().len());
        frame.paragraph(shown, &margin, line);
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
    frame.title(shown, title);
    let most = frame.most(LISTED);
    for finding in findings.iter().take(most) {
        diagnostic::in_one_line(shown, *finding, frame);
    }
    more(shown, findings.len(), most, "");
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
/// The width of the report if it is not written to a terminal, so that it is the same everywhere.
const USUAL: usize = 110;
/// No report is narrower than this.
const NARROWEST: usize = 60;
