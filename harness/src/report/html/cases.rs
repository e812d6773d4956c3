//! The table of cases: status, reason and findings.

use std::fmt::Write as _;

use crate::judge::CaseVerdict;

use super::PageContent;
use super::markup::{counted, status, text, text_within};

/// Adds the table; nothing if there are no cases.
pub(super) fn show(page: &mut String, content: &PageContent<'_>) {
    let cases = &content.report.cases;
    if cases.is_empty() {
        return;
    }
    let _ = writeln!(
        page,
        "<section>\n<h2 id=\"cases\" tabindex=\"-1\">Cases</h2>\n<details class=\"all\">\n\
         <summary>{}</summary>\n<div class=\"scroll stack\" role=\"region\" aria-labelledby=\"cases\" tabindex=\"0\">\n<table \
         class=\"cases\">\n<thead><tr><th scope=\"col\">Case</th><th scope=\"col\">Status</th><th scope=\"col\">Tool</th><th \
         scope=\"col\">What</th><th scope=\"col\">Findings</th></tr></thead>\n<tbody>",
        counted(cases.len(), "case", "cases")
    );
    for (number, case) in cases.iter().enumerate() {
        row(page, case, number, content);
    }
    page.push_str("</tbody>\n</table>\n</div>\n</details>\n</section>\n");
}

fn row(page: &mut String, case: &CaseVerdict, number: usize, content: &PageContent<'_>) {
    let index = &content.index;
    let tools =
        case.tools.iter().filter_map(|tool| index.tools.number(tool)).map(|number| number.to_string());
    let tools = tools.collect::<Vec<_>>().join(" ");
    let condition = case.condition.as_deref().and_then(|name| index.conditions.number(name));
    let condition = condition.map(|number| number.to_string()).unwrap_or_default();
    let names: Vec<String> =
        case.tools.iter().map(|tool| format!("<code>{}</code>", text_within(tool, 120))).collect();
    let reason = case.reason.as_deref().map(|reason| format!(": {}", text(reason))).unwrap_or_default();
    let tried = case.tried.as_deref().map(tried).unwrap_or_default();
    let link = |finding: &usize| {
        let rule = text(&content.report.findings[*finding].rule);
        format!("<a href=\"#{}\">{rule}</a>", index.findings[*finding])
    };
    let is_there = |finding: &&usize| **finding < index.findings.len();
    let findings: Vec<String> = case.findings.iter().filter(is_there).map(link).collect();
    let status = status(case.status);
    let class = status.replace(' ', "-");
    let _ = writeln!(
        page,
        "<tr id=\"c{number}\" data-t=\"{tools}\" data-c=\"{condition}\" data-s=\"{status}\"><th scope=\"row\">{}</th><td \
         class=\"s {class}\">{status}</td><td>{}</td><td>{}{reason}{tried}</td><td>{}</td></tr>",
        text_within(&case.id.0, 160),
        names.join(", "),
        text(&case.title),
        findings.join(", ")
    );
}

/// The call that was made, as markup.
fn tried(call: &str) -> String {
    format!("<p>Tried: <code>{}</code></p>", text_within(call, 200))
}
