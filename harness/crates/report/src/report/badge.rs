//! The badge report: a small picture for a README, as SVG.
//!
//! The main type is [`Badge`], which the shields report uses too: it is the same words and colour in another form.

use std::io::{self, Write};

use serde_json::json;

use crate::conclusion::Conclusion;
use crate::event::{Event, Reporter};
use crate::finding::{Level, State};
use crate::judge::{Report, Strictness};

use super::{ReportFormat, ReportSettings, account};
use crate::escape;

/// The text on the left.
const LABEL: &str = "error replies";
/// The average width of a character in pixels, for Verdana and similar fonts at 11 pixels.
const LETTER: usize = 7;
/// The padding of each text in pixels, both sides together.
const PADDING: usize = 12;

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "badge",
    summary: "a badge for a README, as SVG",
    open: |out, settings| Box::new(Badge::new(out, settings)),
};

/// Writes the badge at the end of the run.
#[derive(Debug)]
pub struct Badge<W> {
    out: W,
    strictness: Strictness,
    write: fn(&BadgeText) -> String,
}

impl<W: Write> Badge<W> {
    /// A reporter that writes a picture, as SVG, to `out`.
    pub fn new(out: W, settings: &ReportSettings) -> Self {
        Self { out, strictness: settings.strictness, write: picture }
    }

    /// A reporter that writes the JSON of an endpoint badge of shields.io to `out`.
    pub fn shields(out: W, settings: &ReportSettings) -> Self {
        Self { write: document, ..Self::new(out, settings) }
    }
}

impl<W: Write> Reporter for Badge<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let Event::Judged { report, conclusion } = event else { return Ok(()) };
        let badge = BadgeText::new(report, conclusion, self.strictness);
        writeln!(self.out, "{}", (self.write)(&badge))?;
        self.out.flush()
    }
}

/// The contents of a badge.
struct BadgeText {
    /// The text on the right.
    message: String,
    /// The verdict, in one line.
    verdict: String,
    /// The colour, as its name in shields and in hexadecimal.
    color: (&'static str, &'static str),
}

impl BadgeText {
    /// The badge of a run; green only if replies were judged and no finding counts.
    fn new(report: &Report, conclusion: &Conclusion, strictness: Strictness) -> Self {
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

/// The JSON of an endpoint badge of shields.io, in one line.
fn document(badge: &BadgeText) -> String {
    // A badge has room for a few words; the reason why nothing was judged is only in the full verdict.
    let document = json!({
        "schemaVersion": 1,
        "label": LABEL,
        "message": badge.message,
        "color": badge.color.0,
    });
    escape::json(&document.to_string()).into_owned()
}

/// Text escaped for XML.
fn markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
