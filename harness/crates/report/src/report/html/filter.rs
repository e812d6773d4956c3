//! The filter for findings and cases: chips, and fields. It is hidden until the script shows it, because it does
//! nothing without the script.

use maud::{Markup, html};

use crate::escape;
use crate::finding::State;
use crate::judge::Status;

use super::PageContent;

/// The form; nothing if there is nothing to filter.
pub(super) fn show(content: &PageContent<'_>) -> Markup {
    let PageContent { report, index, .. } = content;
    let (levels, cases) = (report.summary.findings, report.summary.cases);
    let known = report.findings.iter().filter(|finding| finding.state == State::Known).count();
    let statuses = [
        (Status::Failed, cases.failed),
        (Status::Passed, cases.passed),
        (Status::NotJudged, cases.not_judged),
        (Status::Skipped, cases.skipped),
        (Status::Errored, cases.errored),
    ];
    html! {
        @if !report.findings.is_empty() || !index.groups.list.is_empty() {
            form.filter role="search" aria-label="Filter" hidden {
                label.text { "Text" input type="search" name="text" autocomplete="off" spellcheck="false"; }
                @if !report.findings.is_empty() {
                    (chips("level", "Level", [
                        ("must", "Must", levels.must),
                        ("should", "Should", levels.should),
                        ("note", "Note", levels.note),
                    ]))
                }
                @if known > 0 {
                    (chips("state", "State", [("new", "new", report.findings.len() - known), ("known", "known", known)]))
                }
                @if !index.groups.list.is_empty() {
                    fieldset {
                        legend { @if report.cases.is_empty() { "Rules" } @else { "What is wrong with the call" } }
                        @for (number, name) in index.groups.list.iter().enumerate() {
                            label.chip { input type="checkbox" name="group" value=(number); span { (name) } }
                        }
                    }
                }
                (select("tool", "Tool", &index.tools.list))
                @if !report.cases.is_empty() { (select("condition", "Condition", &index.conditions.list)) }
                (select("rule", "Rule", &index.rules.list))
                @if !report.cases.is_empty() {
                    (chips("status", "Cases", statuses.map(|(of, count)| (of.words(), of.words(), count))))
                }
                p.buttons {
                    output aria-live="polite" {}
                    button type="reset" { "Clear filter" }
                    @if !report.findings.is_empty() {
                        button type="button" name="open" { "Open all" }
                        button type="button" name="close" { "Close all" }
                    }
                    button type="button" name="theme" { "Switch theme" }
                }
                details.keys {
                    summary { "Keyboard" }
                    label { input type="checkbox" name="keys" checked; " Single-key shortcuts" }
                    dl.words {
                        @for (key, action) in [
                            ("/", "filter by text"),
                            ("j", "next finding"),
                            ("k", "previous finding"),
                            ("Enter", "open or close it"),
                            ("m", "go to the matrix"),
                            ("x", "clear the filter"),
                        ] {
                            dt { kbd { (key) } } dd { (action) }
                        }
                    }
                }
            }
        }
    }
}

/// Chips of which any number can be chosen; none means all. Chips without a count are left out.
fn chips<const N: usize>(name: &str, legend: &str, chips: [(&str, &str, usize); N]) -> Markup {
    html! {
        fieldset {
            legend { (legend) }
            @for (value, label, count) in chips.into_iter().filter(|(.., count)| *count > 0) {
                label.chip {
                    input type="checkbox" name=(name) value=(value);
                    span { (label) " " b { (count) } }
                }
            }
        }
    }
}

fn select(name: &str, label: &str, names: &[&str]) -> Markup {
    let mut sorted: Vec<(usize, &str)> = names.iter().copied().enumerate().collect();
    sorted.sort_unstable_by_key(|(_, name)| *name);
    html! {
        @if names.len() > 1 {
            label {
                (label)
                select name=(name) {
                    option value="" { "all" }
                    @for (number, name) in sorted { option value=(number) { (escape::line_within(name, 80)) } }
                }
            }
        }
    }
}
