//! The badge report: a small picture for a README, as SVG.
//!
//! The main type is [`Badge`]. What it says in two words and a colour, `BadgeText`, the shields report says too.

use std::io::{self, Write};

use crate::conclusion::Conclusion;
use crate::event::{Event, Reporter};
use crate::finding::{Level, State};
use crate::judge::{Report, Strictness};

use super::{ReportFormat, ReportSettings, account};
use crate::escape;

/// What stands on the left.
pub(super) const LABEL: &str = "error replies";
/// The width of a letter, in pixels: what Verdana and its like have at 11 pixels, on the average.
const LETTER: usize = 7;
/// Beside each text, in pixels, both sides together.
const PADDING: usize = 12;

/// See the module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "badge",
    summary: "a badge for a README, as SVG",
    open: |out, settings| Box::new(Badge::new(out, settings)),
};

/// Writes the picture once all is judged.
#[derive(Debug)]
pub struct Badge<W> {
    out: W,
    strictness: Strictness,
}

impl<W: Write> Badge<W> {
    /// Writes to `out`.
    pub fn new(out: W, settings: &ReportSettings) -> Self {
        Self { out, strictness: settings.strictness }
    }
}

impl<W: Write> Reporter for Badge<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let Event::Judged { report, conclusion } = event else { return Ok(()) };
        let badge = BadgeText::new(report, conclusion, self.strictness);
        writeln!(self.out, "{}", picture(&badge))?;
        self.out.flush()
    }
}

/// What a badge says of a run.
pub(super) struct BadgeText {
    /// On the right.
    pub(super) message: String,
    /// The whole verdict, in a line.
    pub(super) verdict: String,
    /// The colour by the name that shields has for it, and in hexadecimal.
    pub(super) color: (&'static str, &'static str),
}

impl BadgeText {
    /// Green only where replies were judged and nothing counts.
    pub(super) fn new(report: &Report, conclusion: &Conclusion, strictness: Strictness) -> Self {
        let found = |level| {
            let new = |state| state == State::New;
            report.findings.iter().filter(|finding| finding.level == level && new(finding.state)).count()
        };
        let (must, should) = (found(Level::Must), found(Level::Should));
        let (message, color) = match conclusion {
            Conclusion::Conformant if should > 0 && strictness == Strictness::Must => {
                (format!("conformant, {should} Should"), ("green", "#97ca00"))
            }
            Conclusion::Conformant => ("conformant".to_owned(), ("brightgreen", "#4c1")),
            Conclusion::Findings(_) if must > 0 => {
                (format!("{must} Must, {should} Should"), ("red", "#e05d44"))
            }
            Conclusion::Findings(_) => (format!("{should} Should"), ("orange", "#fe7d37")),
            Conclusion::Uncovered(_) => ("too little judged".to_owned(), ("orange", "#fe7d37")),
            Conclusion::NotExercised(_)
            | Conclusion::NothingSelected(_)
            | Conclusion::NothingJudged
            | Conclusion::Inconclusive(_)
            | Conclusion::Interrupted => ("not judged".to_owned(), ("lightgrey", "#9f9f9f")),
        };
        Self { message, verdict: escape::line(&account::verdict(conclusion)), color }
    }
}

fn picture(badge: &BadgeText) -> String {
    let width = |text: &str| text.chars().count() * LETTER + PADDING;
    let (left, right) = (width(LABEL), width(&badge.message));
    let (whole, at_left, at_right) = (left + right, left / 2, left + right / 2);
    let (message, color) = (markup(&badge.message), badge.color.1);
    let verdict = if badge.verdict == badge.message { "" } else { &format!("; {}", badge.verdict) };
    let title = markup(&format!("{LABEL}: {}{verdict}", badge.message));
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="20" role="img" aria-label="{LABEL}: {message}">
  <title>{title}</title>
  <clipPath id="r"><rect width="{whole}" height="20" rx="3"/></clipPath>
  <g clip-path="url(#r)">
    <rect width="{left}" height="20" fill="#555"/>
    <rect x="{left}" width="{right}" height="20" fill="{color}"/>
  </g>
  <g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
    <text x="{at_left}" y="14">{LABEL}</text>
    <text x="{at_right}" y="14" fill="#000" fill-opacity=".4">{message}</text>
    <text x="{at_right}" y="13.5">{message}</text>
  </g>
</svg>"##
    )
}

/// Text as XML has it.
fn markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
