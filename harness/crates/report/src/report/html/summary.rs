//! The top of the page: the verdict, the server and its run, one figure for messages, counts, and what to fix
//! first.

use maud::{Markup, html};

use crate::finding::State;
use crate::judge::{Messages, Report};
use crate::report::view::Tone;
use crate::report::words::{grouped, time};

use super::words::sentence;
use super::{PageContent, rule};

/// The top of the page.
pub(super) fn show(content: &PageContent<'_>) -> Markup {
    let PageContent { view, report, .. } = content;
    let verdict = view.verdict();
    let tone = match verdict.tone {
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Open => "open",
    };
    html! {
        header {
            p.soft { "Error replies of an MCP server, judged by mcp-errconf" }
            h1.verdict.(tone) { (sentence(&verdict.words)) }
            @if let Some(why) = verdict.why { p.why { (sentence(why)) } }
            (facts(content))
            @for notice in view.notices() { p { strong { (sentence(notice.label)) ": " } (sentence(&notice.text)) } }
            (messages(report))
            @if report.summary.calls > 0 { (counts(report)) }
            (first(content))
            (advice(content))
            (contents(content))
        }
    }
}

fn facts(content: &PageContent<'_>) -> Markup {
    let report = content.report;
    let command = content.view.server_command();
    html! {
        dl.facts {
            div { dt { "Server" } dd { strong { (content.view.server()) } } }
            div { dt { "Contract" } dd { code { (report.contract.id) } } }
            @if let Some(date) = content.view.settings.date.as_deref() { div { dt { "Date" } dd { (date) } } }
            @if report.summary.duration_ms > 0 {
                div { dt { "Duration" } dd { (time(report.summary.duration_ms)) } }
            }
            @if !command.is_empty() { div.command { dt { "Command" } dd { code { (command) } } } }
        }
    }
}

/// The figure for messages: of the bad calls, those that can be fixed from the message alone.
fn messages(report: &Report) -> Markup {
    let Messages { judged: of, fixable } = report.summary.messages;
    html! {
        @if of > 0 {
            div.messages {
                p {
                    strong { (grouped(fixable)) " of " (grouped(of)) }
                    @if of == 1 { " bad call" } @else { " bad calls" }
                    " can be fixed from the error message alone."
                }
                svg.bar viewBox={ "0 0 " (of) " 1" } preserveAspectRatio="none" aria-hidden="true" {
                    rect.fixable x="0" y="0" width=(fixable) height="1" {}
                    rect.rest x=(fixable) y="0" width=(of - fixable) height="1" {}
                }
            }
        }
    }
}

fn counts(report: &Report) -> Markup {
    let (findings, cases) = (report.summary.findings, report.summary.cases);
    let known = report.findings.iter().filter(|finding| finding.state == State::Known).count();
    let counts = [
        ("Must", findings.must, "must", true),
        ("Should", findings.should, "should", true),
        ("Note", findings.note, "note", true),
        ("known", known, "", known > 0),
        ("cases passed", cases.passed, "", cases.total > 0),
        ("failed", cases.failed, "", cases.failed > 0),
        ("not judged", cases.not_judged, "", cases.not_judged > 0),
        ("skipped", cases.skipped, "", cases.skipped > 0),
        ("errored", cases.errored, "", cases.errored > 0),
        ("calls", report.summary.calls, "", true),
        ("error replies", report.summary.error_replies, "", true),
    ];
    html! {
        dl.counts {
            @for (name, count, class, _) in counts.into_iter().filter(|(.., is_shown)| *is_shown) {
                div class=[Some(class).filter(|class| !class.is_empty())] {
                    dt { (name) } dd { (grouped(count)) }
                }
            }
        }
    }
}

/// The finding to begin with, and the next command.
fn first(content: &PageContent<'_>) -> Markup {
    let view = content.view;
    let mut findings = view.findings().zip(&content.index.findings);
    let first =
        view.first().and_then(|first| findings.find(|(other, _)| std::ptr::eq(other.finding, first.finding)));
    html! {
        @if let Some((first, id)) = first {
            p.first {
                strong { "Fix first: " } a href={ "#" (id) } { (sentence(&first.finding.message)) } (first.extent())
            }
        }
        p.next { strong { "Next: " } code { (view.next()) } }
    }
}

/// Advice if too little was judged.
fn advice(content: &PageContent<'_>) -> Markup {
    let advice = content.view.advice();
    html! {
        @if !advice.is_empty() {
            h2 { "To have more judged" }
            p { "Lines for " code { "mcp-errconf.toml" } ", and command-line options:" }
            @for lines in advice { pre { (lines) } }
        }
    }
}

/// Links to the parts of the page.
fn contents(content: &PageContent<'_>) -> Markup {
    let report = content.report;
    let tools = report.tools.len();
    html! {
        nav aria-label="Contents" {
            a href="#findings" { "Findings" }
            @if content.matrix.is_some() { a href="#matrix" { "Matrix" } }
            @if tools > 0 { a href="#tools" { "Tools" } }
            @if !report.cases.is_empty() { a href="#cases" { "Cases" } }
            @if !rule::found(content).is_empty() { a href="#rules" { "Rules" } }
        }
    }
}
