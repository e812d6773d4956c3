//! The top of the page: the verdict, the measure of messages, the figures, and what to fix first.

use std::fmt::Write as _;

use crate::conclusion::Conclusion;
use crate::finding::State;
use crate::judge::{Mended, Report};
use crate::report::account;

use super::PageContent;
use super::markup::{counted, grouped, text};

/// Adds the top of the page.
pub(super) fn show(page: &mut String, content: &PageContent<'_>) {
    let PageContent { report, conclusion, .. } = content;
    let tone = match conclusion {
        Conclusion::Conformant => "good",
        Conclusion::Findings(_) | Conclusion::Uncovered(_) => "bad",
        _ => "open",
    };
    let verdict = text(&account::verdict(conclusion));
    let (server, contract) = (text(&account::server(report)), text(&report.contract.id));
    let _ = writeln!(
        page,
        "<header>\n<p class=\"of\">mcp-errconf: <strong>{server}</strong>, contract <code>{contract}</code></p>\n\
         <h1 class=\"verdict {tone}\">{verdict}</h1>"
    );
    if let Some(other) = &report.contract.looks_like {
        let other = text(other);
        let _ = writeln!(
            page,
            "<p>Most error replies use the codes of <code>{other}</code>: <code>--contract {other}</code> judges by \
             that contract.</p>"
        );
    }
    messages(page, report);
    figures(page, report);
    first(page, content);
    next(page, content);
    page.push_str("</header>\n");
}

/// The measure of messages: of the wrong calls, those that can be corrected from the message alone.
fn messages(page: &mut String, report: &Report) {
    let Mended { of, one, two, not } = report.summary.mended;
    let mendable = report.summary.mendable;
    if of == 0 && mendable.of == 0 {
        return;
    }
    page.push_str(
        "<section class=\"messages\" aria-labelledby=\"messages\">\n<h2 id=\"messages\">The messages</h2>\n",
    );
    if mendable.of > 0 {
        let _ = writeln!(
            page,
            "<p>{} of {} how to fix the call.</p>",
            grouped(mendable.held as u64),
            counted(mendable.of, "error reply says", "error replies say")
        );
    }
    if of > 0 {
        let _ = writeln!(
            page,
            "<p>Of {}, a reader who has only the message corrects:</p>\n<svg class=\"bar\" viewBox=\"0 0 {of} 1\" \
             preserveAspectRatio=\"none\" aria-hidden=\"true\">",
            counted(of, "wrong call", "wrong calls")
        );
        let parts = [("one", one, "in one call"), ("two", two, "in two"), ("not", not, "not at all")];
        let mut at = 0;
        for (class, count, _) in parts {
            let _ = writeln!(
                page,
                "<rect class=\"{class}\" x=\"{at}\" y=\"0\" width=\"{count}\" height=\"1\"></rect>"
            );
            at += count;
        }
        page.push_str("</svg>\n<ul class=\"key\">\n");
        for (class, count, words) in parts {
            let _ = writeln!(
                page,
                "<li><span class=\"swatch {class}\"></span><strong>{}</strong> {words}</li>",
                grouped(count as u64)
            );
        }
        page.push_str("</ul>\n");
    }
    page.push_str("</section>\n");
}

fn figures(page: &mut String, report: &Report) {
    let (findings, cases) = (report.summary.findings, report.summary.cases);
    let known = report.findings.iter().filter(|finding| finding.state == State::Known).count();
    let figures = [
        ("Must", findings.must, "must", true),
        ("Should", findings.should, "should", true),
        ("Note", findings.note, "note", true),
        ("known", known, "", known > 0),
        ("cases", cases.total, "", cases.total > 0),
        ("passed", cases.passed, "", cases.total > 0),
        ("failed", cases.failed, "", cases.failed > 0),
        ("not judged", cases.not_judged, "", cases.not_judged > 0),
        ("skipped", cases.skipped, "", cases.skipped > 0),
        ("errored", cases.errored, "", cases.errored > 0),
        ("calls", report.summary.calls, "", true),
        ("error replies", report.summary.error_replies, "", true),
    ];
    page.push_str("<dl class=\"figures\">\n");
    for (name, count, class, _) in figures.into_iter().filter(|(.., is_told)| *is_told) {
        let count = grouped(count as u64);
        let _ = writeln!(page, "<div class=\"{class}\"><dt>{name}</dt><dd>{count}</dd></div>");
    }
    page.push_str("</dl>\n");
}

/// The finding to begin with.
fn first(page: &mut String, content: &PageContent<'_>) {
    let findings = content.report.findings.iter().zip(&content.index.findings);
    let Some((finding, id)) = findings.into_iter().find(|(finding, _)| finding.state == State::New) else {
        return;
    };
    let _ = writeln!(
        page,
        "<p class=\"first\"><strong>First:</strong> <a href=\"#{id}\">{}</a> in {}: {}</p>",
        text(&finding.rule),
        counted(finding.places.len().max(1), "place", "places"),
        text(&finding.help)
    );
}

/// Advice if too little was judged.
fn next(page: &mut String, content: &PageContent<'_>) {
    let next = account::next(content.report, content.conclusion);
    if next.is_empty() {
        return;
    }
    page.push_str(
        "<h2>To have more judged</h2>\n<p>Lines for <code>mcp-errconf.toml</code>, and command-line options:</p>\n",
    );
    for lines in next {
        let _ = writeln!(page, "<pre>{}</pre>", text(lines));
    }
}
