//! The tools: how much of each was judged, how good its messages are, and how to get more judged.

use maud::{Markup, html};
use serde_json::Value;

use crate::escape;
use crate::judge::{FoundBy, KnownCall, MendedIn, MendedReply, Report, ToolVerdict};

use super::PageContent;
use super::words::{sentence, words};
use crate::report::words::counted;

/// How much of a message is shown, in characters.
const MESSAGE: usize = 400;
/// How much of a call is shown, in columns.
const CALL: usize = 600;
/// How much of a tool's name is shown, in columns.
const NAME: usize = 120;

/// The table, and further details of the server's tools.
pub(super) fn show(content: &PageContent<'_>) -> Markup {
    let report = content.report;
    let details = details(report);
    html! {
        @if !report.tools.is_empty() || !details.0.is_empty() {
            section.aside aria-labelledby="tools" {
                h2 #tools { "Tools" }
                (table(report))
                (details)
            }
        }
    }
}

fn table(report: &Report) -> Markup {
    html! {
        @if !report.tools.is_empty() {
            table.list.tools {
                thead {
                    tr {
                        @for title in ["Tool", "Class", "Judged", "Fixable", "Why not more was judged"] {
                            th scope="col" { (title) }
                        }
                    }
                }
                tbody { @for tool in &report.tools { (row(tool)) } }
            }
            p.soft {
                "Fixable: how many bad calls can be fixed from the tool's own error message alone."
            }
            @if report.tools.iter().any(|tool| !tool.replies.is_empty()) {
                details {
                    summary { "Which messages are enough, tool by tool" }
                    @for tool in report.tools.iter().filter(|tool| !tool.replies.is_empty()) { (replies(tool)) }
                }
            }
        }
    }
}

fn row(tool: &ToolVerdict) -> Markup {
    let (of, fixable) = (tool.mended.of, tool.mended.one + tool.mended.two);
    html! {
        tr {
            th scope="row" { code { (escape::line_within(&tool.name, NAME)) } }
            td { (escape::line_within(&tool.class, 40)) }
            td.figure { (tool.judged) " of " (tool.planned) }
            td.figure { @if of > 0 { (fixable) " of " (of) } }
            td {
                @if let Some(why) = &tool.why { (sentence(why)) }
                @if let Some(next) = &tool.next { pre.copy { (next) } }
            }
        }
        "\n"
    }
}

/// The first characters of a text, with its line breaks.
fn within(text: &str) -> String {
    match text.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The measured messages of a tool.
fn replies(tool: &ToolVerdict) -> Markup {
    html! {
        details.nested {
            summary {
                "Messages of " code { (escape::line_within(&tool.name, NAME)) } ", tried on "
                (counted(tool.mended.of, "bad call", "bad calls"))
            }
            ul {
                @for MendedReply { condition, calls, count, message, words } in &tool.replies {
                    li {
                        (escape::line_within(condition, 80)) ": "
                        @match calls {
                            MendedIn::One => { "fixed with one more call" },
                            MendedIn::Two => { "fixed with two more calls" },
                            MendedIn::Not => { "not fixable from the message" },
                        }
                        " (" (counted(*count, "call", "calls")) ")"
                        pre { (within(message)) }
                        @if !words.is_empty() {
                            p {
                                "Followed: "
                                @for (index, words) in words.iter().enumerate() {
                                    @if index > 0 { ", then " }
                                    q { (within(words)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The roles, calls that succeed, what was withheld, and slow calls.
fn details(report: &Report) -> Markup {
    let roles = report.bindings.iter().map(|binding| {
        html! {
            strong { (binding.role) } ": " code { (escape::line_within(&binding.tool, NAME)) } ": " (words(&binding.why))
        }
    });
    let withheld = report.withheld.iter().map(|left| {
        html! {
            code { (escape::line_within(&left.tool, NAME)) } " (" (escape::line_within(&left.class, 40)) "): "
            (counted(left.probes, "probe", "probes")) ": " (words(&left.why))
        }
    });
    let slow = report.slow.iter().map(|call| {
        let times: Vec<String> = call.taken_ms.iter().map(|time| format!("{time} ms")).collect();
        html! {
            code { (escape::line_within(&call.tool, NAME)) } ": " (times.join(", ")) " instead of " (call.usual_ms) " ms"
            pre.copy { (escape::line_within(&call.input.to_string(), CALL)) }
        }
    });
    html! {
        (listed("Tools by role", roles.collect()))
        (listed("Calls that succeed", valid_calls(report)))
        (listed("Calls that were not sent", withheld.collect()))
        (listed("Slow calls", slow.collect()))
    }
}

/// For each tool the arguments of a successful call, and how it was found. For a campaign, the calls that it
/// started from.
fn valid_calls(report: &Report) -> Vec<Markup> {
    let line = |tool: &str, valid: &Value, from: Markup| {
        html! {
            code { (escape::line_within(tool, NAME)) } " " code { (escape::line_within(&valid.to_string(), CALL)) } (from)
        }
    };
    let by_refusal = |words: Option<&String>| {
        html! { @if let Some(words) = words { ", from the refusal " q { (within(words)) } } }
    };
    if let Some(search) = &report.learnt {
        let of_campaign = |KnownCall { tool, valid, by, words, .. }: &KnownCall| {
            let from = match by {
                FoundBy::Configuration => html! { ", from the configuration" },
                FoundBy::Schema => html! { ", from its schema and description" },
                FoundBy::Refusals => by_refusal(words.as_ref()),
                FoundBy::OtherCalls => html! { ", from other calls that succeeded" },
            };
            line(tool, valid, from)
        };
        return search.known.iter().map(of_campaign).collect();
    }
    let of_run = |tool: &ToolVerdict| {
        tool.valid.as_ref().map(|valid| line(&tool.name, valid, by_refusal(tool.words.as_ref())))
    };
    report.tools.iter().filter_map(of_run).collect()
}

/// Lines in a section that can be opened; nothing if there are none.
fn listed(title: &str, lines: Vec<Markup>) -> Markup {
    html! {
        @if !lines.is_empty() {
            details {
                summary { (title) ": " (lines.len()) }
                ul { @for line in lines { li { (line) } } }
            }
        }
    }
}
