//! The html report: a self-contained file that can be read without scripts.
//!
//! The main type is [`Html`]. The page is written with `maud`, which escapes every text, so that a server's words
//! are never markup. Its content policy allows only the script and the style sheet that it contains, by their
//! hashes, and forbids loading anything. Each file of this folder shows one part of the page; `page.css` and
//! `page.js` are its style sheet and its script.

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use crate::conclusion::Conclusion;
use crate::escape;
use crate::event::{Event, Reporter};
use crate::judge::{Report, Strictness};

use super::human::Promises;
use super::{ReportFormat, ReportSettings, account};

mod cases;
pub(super) mod diff;
mod filter;
mod finding;
mod group;
mod index;
mod matrix;
mod rule;
mod summary;
mod tools;
mod words;

use index::Index;
use matrix::Matrix;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "html",
    summary: "a single page for a browser",
    open: |out, settings| Box::new(Html::new(out, settings)),
};

/// Writes the page at the end of the run.
#[derive(Debug)]
pub struct Html<W> {
    out: W,
    promises: Promises,
    strictness: Strictness,
    date: Option<String>,
    /// Notices of a title and lines each.
    notices: Vec<(&'static str, Vec<String>)>,
}

/// The data that the parts of the page are made from.
struct PageContent<'a> {
    report: &'a Report,
    conclusion: &'a Conclusion,
    promises: &'a Promises,
    strictness: Strictness,
    date: Option<&'a str>,
    index: Index<'a>,
    matrix: Option<Matrix>,
}

impl<W: Write> Html<W> {
    /// A reporter that writes to `out`.
    pub fn new(out: W, settings: &ReportSettings) -> Self {
        Self {
            out,
            promises: settings.promises.clone(),
            strictness: settings.strictness,
            date: settings.date.clone(),
            notices: Vec::new(),
        }
    }
}

impl<W: Write> Reporter for Html<W> {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            progress!() | Event::Pace(_) => Ok(()),
            Event::Stale(entries) => {
                self.notices.push((account::STALE, account::stale(entries)));
                Ok(())
            }
            Event::SnapshotsGone(snapshots) => {
                self.notices.push((account::GONE, account::gone(snapshots)));
                Ok(())
            }
            Event::Judged { report, conclusion } => {
                let page = self.page(report, conclusion);
                self.out.write_all(page.as_bytes())?;
                self.out.flush()
            }
        }
    }
}

impl<W> Html<W> {
    fn page(&self, report: &Report, conclusion: &Conclusion) -> String {
        let index = Index::new(report);
        let content = PageContent {
            matrix: Matrix::new(report, &index),
            report,
            conclusion,
            promises: &self.promises,
            strictness: self.strictness,
            date: self.date.as_deref(),
            index,
        };
        let body = html! {
            (summary::show(&content))
            (matrix::show(&content))
            section aria-labelledby="findings" {
                h2 #findings tabindex="-1" { "Findings" }
                div.columns {
                    (finding::show(&content))
                    @if !report.findings.is_empty() { (filter::show(&content)) }
                }
            }
            (tools::show(&content))
            (cases::show(&content))
            @for (title, lines) in &self.notices {
                section.aside {
                    h2 { (title) }
                    ul { @for line in lines { li { code { (line) } } } }
                }
            }
            (rule::show(&content))
        };
        // A control character in a text becomes visible; the page's own markup has none.
        escape::no_workflow_command(&account::lines(&document(&content, &body).into_string()))
    }
}

/// The whole document. The script comes last, so that everything is shown before it runs.
fn document(content: &PageContent<'_>, body: &Markup) -> Markup {
    let PageContent { report, conclusion, .. } = content;
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    );
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="referrer" content="no-referrer";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (account::server(report)) ": " (account::verdict(conclusion)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                p.skip { a href="#findings" { "Skip to the findings" } }
                main { (body) }
                footer {
                    p { "Written by mcp-errconf " (report.harness.version) ". This file needs no network and stores nothing." }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
        "\n"
    }
}

/// The hash of a source, in the form of a content policy.
fn hash(source: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(source)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_named_by_its_hash() {
        assert_eq!(hash("alert('Hello, world.');"), "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=");
    }

    #[test]
    fn neither_source_ends_its_element_or_is_changed_on_its_way_out() {
        for source in [STYLE, SCRIPT] {
            assert!(!source.contains("</") && !source.contains("<!--"));
            assert_eq!(escape::no_workflow_command(&account::lines(source)), source);
        }
    }
}
