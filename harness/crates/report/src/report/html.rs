//! The html report: a self-contained file that can be read without scripts.
//!
//! The page is written with `maud`, which escapes every text, so that a server's words
//! are never markup. Its content policy allows only the script and the style sheet that it contains, by their
//! hashes, and forbids loading anything. Each file of this folder shows one part of the page; `page.css` and
//! `page.js` are its style sheet and its script.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use crate::escape;
use crate::judge::Report;

use super::words::lines;
use super::{Kind, ReportFormat, ReportView};

mod cases;
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
pub static FORMAT: ReportFormat =
    ReportFormat { name: "html", kind: Kind::AtTheEnd(|view, out| out.write_all(page(view).as_bytes())) };

/// The data that the parts of the page are made from.
struct PageContent<'a> {
    view: ReportView<'a>,
    report: &'a Report,
    index: Index<'a>,
    matrix: Option<Matrix>,
}

fn page(view: ReportView<'_>) -> String {
    let report = view.report;
    let index = Index::new(view);
    let content = PageContent { matrix: Matrix::new(report, &index), view, report, index };
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
        @for removable in view.removable() {
            section.aside {
                h2 { (words::sentence(&removable.title)) }
                p { (words::words(removable.about)) }
                ul { @for item in &removable.items { li { code { (item) } } } }
            }
        }
        (rule::show(&content))
    };
    let title = format!("{}: {}", view.server(), view.verdict().in_a_line());
    let skip = html! { p.skip { a href="#findings" { "Skip to the findings" } } };
    let page = document(&title, STYLE, Some(SCRIPT), &skip, &body, &report.harness.version);
    // A control character in a text becomes visible; the page's own markup has none.
    escape::no_workflow_command(&lines(&page))
}

/// A whole page of this content, written by this version of the program; `top` stands before the content. The script comes
/// last, so that everything is shown before it runs.
pub fn document(
    title: &str,
    style: &str,
    script: Option<&str>,
    top: &Markup,
    content: &Markup,
    version: &str,
) -> String {
    let scripts = script.map_or(String::new(), |script| format!("script-src '{}'; ", hash(script)));
    let policy = format!(
        "default-src 'none'; {scripts}style-src '{}'; base-uri 'none'; form-action 'none'",
        hash(style)
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="referrer" content="no-referrer";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(style)) }
            }
            body {
                (top)
                main { (content) }
                footer {
                    p { "Written by mcp-errconf " (version) ". This file needs no network and stores nothing." }
                }
                @if let Some(script) = script { script { (PreEscaped(script)) } }
            }
        }
        "\n"
    };
    page.into_string()
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
            assert_eq!(escape::no_workflow_command(&lines(source)), source);
        }
    }
}
