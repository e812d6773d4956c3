//! The table of cases: status, reason and findings.

use maud::{Markup, html};

use crate::escape;
use crate::judge::CaseVerdict;

use super::words::{sentence, words};
use super::{PageContent, filter};
use crate::report::words::counted;

/// The table, folded; nothing if there are no cases.
pub(super) fn show(content: &PageContent<'_>) -> Markup {
    let cases = &content.report.cases;
    html! {
        @if !cases.is_empty() {
            section.aside {
                h2 #cases tabindex="-1" { "Cases" }
                @if content.report.findings.is_empty() { (filter::show(content)) }
                details.all {
                    summary { (counted(cases.len(), "case", "cases")) }
                    table.list.cases {
                        thead {
                            tr {
                                @for title in ["Case", "Status", "Tool", "What was tried", "Findings"] {
                                    th scope="col" { (title) }
                                }
                            }
                        }
                        tbody { @for (number, case) in cases.iter().enumerate() { (row(case, number, content)) } }
                    }
                }
            }
        }
    }
}

fn row(case: &CaseVerdict, number: usize, content: &PageContent<'_>) -> Markup {
    let index = &content.index;
    let tools: Vec<String> = case
        .tools
        .iter()
        .filter_map(|tool| index.tools.number(tool))
        .map(|number| number.to_string())
        .collect();
    let condition = case.condition.as_deref().and_then(|name| index.conditions.number(name));
    let group = condition.map(|condition| index.group_of_column[condition]);
    let findings = case
        .findings
        .iter()
        .filter_map(|finding| Some((index.findings.get(*finding)?, content.report.findings.get(*finding)?)));
    let status = case.status.words();
    html! {
        tr id={ "c" (number) } data-t=(tools.join(" ")) data-c=[condition] data-g=[group] data-s=(status) {
            th scope="row" { (escape::line_within(&case.id.0, 160)) }
            td.s class=(status.replace(' ', "-")) { (status) }
            td {
                @for (index, tool) in case.tools.iter().enumerate() {
                    @if index > 0 { ", " }
                    code { (escape::line_within(tool, 120)) }
                }
            }
            td {
                (sentence(&case.title))
                @if let Some(reason) = &case.reason { ": " (words(reason)) }
                @if let Some(call) = &case.tried { p.soft { "Tried: " (words(&escape::line_within(call, 200))) } }
            }
            td {
                @for (index, (id, finding)) in findings.enumerate() {
                    @if index > 0 { ", " }
                    a href={ "#" (id) } { (finding.rule) }
                }
            }
        }
        "\n"
    }
}
