//! The beginning of the page with its content policy, and the end.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::judge::Report;
use crate::report::account;

use super::PageContent;
use super::markup::text;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Everything before the page's own content.
pub(super) fn show(page: &mut String, content: &PageContent<'_>) {
    let (style, script) = (hash(STYLE), hash(SCRIPT));
    let title =
        text(&format!("{}: {}", account::server(content.report), account::verdict(content.conclusion)));
    let _ = write!(
        page,
        r##"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '{script}'; style-src '{style}'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{STYLE}</style>
</head>
<body>
<p class="skip"><a href="#findings">To the findings</a></p>
<main>
"##
    );
}

/// The end of the page: the script comes last, so that everything is shown before it runs.
pub(super) fn close(page: &mut String, report: &Report) {
    let version = text(&report.harness.version);
    let _ = write!(
        page,
        "</main>\n<footer><p>Written by mcp-errconf {version}. This file needs no network and keeps nothing.</p></footer>\n\
         <script>{SCRIPT}</script>\n</body>\n</html>\n"
    );
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
    fn neither_ends_before_its_end_nor_would_be_changed_on_its_way_out() {
        for source in [STYLE, SCRIPT] {
            assert!(!source.contains("</") && !source.contains("<!--") && !source.contains('\r'));
            assert_eq!(crate::escape::no_workflow_command(source), source);
        }
    }
}
