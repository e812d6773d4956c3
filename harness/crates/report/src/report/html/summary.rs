//! The top of the page: the verdict, the server and its run, one figure for messages, counts, and what to fix
//! first.

use maud::{Markup, html};

use crate::conclusion::Conclusion;
use crate::finding::{Finding, Level, State};
use crate::judge::{Messages, Report};
use crate::report::account;

use super::words::{counted, grouped, sentence};
use super::{PageContent, rule};

/// The top of the page.
pub(super) fn show(content: &PageContent<'_>) -> Markup {
    let PageContent { report, conclusion, .. } = content;
    let (tone, verdict, why) = verdict(conclusion);
    html! {
        header {
            p.soft { "Error replies of an MCP server, judged by mcp-errconf" }
            h1.verdict.(tone) { (verdict) }
            @if let Some(why) = why { p.why { (sentence(why)) } }
            (facts(content))
            @if let Some(other) = &report.contract.looks_like {
                p {
                    "Most error replies use the codes of " code { (other) } ": " code { "--contract " (other) }
                    " judges by that contract."
                }
            }
            @if let Some(stopped) = account::stopped(report) { p { strong { "Stopped" } " " (stopped) } }
            @if let Some(used_up) = account::used_up(report) { p { strong { "Limit:" } " " (used_up) } }
            @if let Some(lack) = account::unsandboxed(report) { p { strong { "Not sandboxed:" } " " (lack) } }
            (messages(report))
            @if report.summary.calls > 0 { (counts(report)) }
            (first(content))
            (next(content))
            (contents(content))
        }
    }
}

/// A tone, the verdict, and the reason for it.
fn verdict(conclusion: &Conclusion) -> (&'static str, String, Option<&str>) {
    let (verdict, why) = match conclusion {
        Conclusion::Conformant => return ("good", "Conformant".to_owned(), None),
        Conclusion::Findings(_) => return ("bad", account::verdict(conclusion), None),
        Conclusion::Uncovered(why) => return ("bad", "Too few tools were judged".to_owned(), Some(why)),
        Conclusion::NotExercised(why) => ("The server could not be exercised", Some(why.as_str())),
        Conclusion::NothingSelected(why) => ("Nothing was selected", Some(why.as_str())),
        Conclusion::NothingJudged => ("No error reply could be judged", None),
        Conclusion::Inconclusive(why) => {
            ("No error that a tool wrote itself could be judged", Some(why.as_str()))
        }
        Conclusion::Interrupted => ("The run was interrupted", None),
    };
    ("open", verdict.to_owned(), why)
}

fn facts(content: &PageContent<'_>) -> Markup {
    let report = content.report;
    let command: Vec<String> = report.server.command.iter().map(|word| account::shell_word(word)).collect();
    html! {
        dl.facts {
            div { dt { "Server" } dd { strong { (account::server(report)) } } }
            div { dt { "Contract" } dd { code { (report.contract.id) } } }
            @if let Some(date) = content.date { div { dt { "Date" } dd { (date) } } }
            @if report.summary.duration_ms > 0 {
                div { dt { "Duration" } dd { (account::time(report.summary.duration_ms)) } }
            }
            @if !command.is_empty() { div.command { dt { "Command" } dd { code { (command.join(" ")) } } } }
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
                    strong { (grouped(fixable as u64)) " of " (grouped(of as u64)) }
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
                    dt { (name) } dd { (grouped(count as u64)) }
                }
            }
        }
    }
}

/// The finding to begin with.
fn first(content: &PageContent<'_>) -> Markup {
    let mut findings = content.report.findings.iter().zip(&content.index.findings);
    let is_first = |(finding, _): &(&Finding, _)| finding.state == State::New && finding.level > Level::Note;
    html! {
        @if let Some((finding, id)) = findings.find(is_first) {
            p.first {
                strong { "Fix first: " } a href={ "#" (id) } { (sentence(&finding.message)) }
                @if finding.places.len() > 1 { " (" (counted(finding.places.len(), "place", "places")) ")" }
            }
        }
    }
}

/// Advice if too little was judged.
fn next(content: &PageContent<'_>) -> Markup {
    let next = account::next(content.report, content.conclusion);
    html! {
        @if !next.is_empty() {
            h2 { "To have more judged" }
            p { "Lines for " code { "mcp-errconf.toml" } ", and command-line options:" }
            @for lines in next { pre { (lines) } }
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
