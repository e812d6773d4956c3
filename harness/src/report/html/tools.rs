//! The tools: how much of each was judged, how good its messages are, and how to get more judged.

use std::fmt::Write as _;

use crate::judge::{FoundBy, KnownCall, Mended, MendedIn, MendedReply, Report, ToolVerdict};

use serde_json::Value;

use super::PageContent;
use super::markup::{counted, text, text_within};

/// How much of a message is shown, in columns.
const MESSAGE: usize = 400;

/// Adds the table, and further details of the server's tools.
pub(super) fn show(page: &mut String, content: &PageContent<'_>) {
    let report = content.report;
    if !report.tools.is_empty() {
        let _ = writeln!(
            page,
            "<section>\n<h2 id=\"tools\">Tools</h2>\n<div class=\"scroll stack\" role=\"region\" \
             aria-labelledby=\"tools\" tabindex=\"0\">\n<table class=\"tools\">\n<thead><tr><th scope=\"col\">Tool</th><th \
             scope=\"col\">Class</th><th scope=\"col\">Judged</th><th scope=\"col\">Mended in one call, in two, \
             not</th><th scope=\"col\">Why not more</th></tr></thead>\n<tbody>"
        );
        report.tools.iter().for_each(|tool| row(page, tool));
        page.push_str("</tbody>\n</table>\n</div>\n");
        report.tools.iter().for_each(|tool| replies(page, tool));
        page.push_str("</section>\n");
    }
    add_details(page, content);
}

fn row(page: &mut String, tool: &ToolVerdict) {
    let Mended { of, one, two, not } = tool.mended;
    let mended = if of > 0 { format!("{one}, {two}, {not}") } else { String::new() };
    let why = tool.why.as_deref().map(text).unwrap_or_default();
    let next = tool.next.as_deref().map(|next| format!("<pre>{}</pre>", text(next))).unwrap_or_default();
    let _ = writeln!(
        page,
        "<tr><th scope=\"row\"><code>{}</code></th><td>{}</td><td class=\"figure\">{} of {}</td><td class=\"figure\">{mended}</td><td>{why}{next}</td></tr>",
        text_within(&tool.name, 120),
        text_within(&tool.class, 40),
        tool.judged,
        tool.planned
    );
}

/// The measured messages of a tool.
fn replies(page: &mut String, tool: &ToolVerdict) {
    if tool.replies.is_empty() {
        return;
    }
    let _ = writeln!(
        page,
        "<details class=\"beside\">\n<summary>What the messages of <code>{}</code> lead to: {}</summary>\n<ul>",
        text_within(&tool.name, 120),
        counted(tool.mended.of, "wrong call", "wrong calls")
    );
    for MendedReply { condition, calls, count, message, words } in &tool.replies {
        let calls = match calls {
            MendedIn::One => "corrected in one call",
            MendedIn::Two => "corrected in two calls",
            MendedIn::Not => "not corrected",
        };
        let _ = write!(
            page,
            "<li>{}: {calls}, {}<pre>{}</pre>",
            text_within(condition, 80),
            counted(*count, "call", "calls"),
            text_within(message, MESSAGE)
        );
        if !words.is_empty() {
            let words: Vec<String> =
                words.iter().map(|words| format!("<q>{}</q>", text_within(words, MESSAGE))).collect();
            let _ = write!(page, "<p>Followed: {}</p>", words.join(", then "));
        }
        page.push_str("</li>\n");
    }
    page.push_str("</ul>\n</details>\n");
}

/// The roles, what was withheld, and slow calls.
fn add_details(page: &mut String, content: &PageContent<'_>) {
    let report = content.report;
    let roles = report.bindings.iter().map(|binding| {
        let (role, tool) = (binding.role.to_string(), text_within(&binding.tool, 120));
        format!("<strong>{}</strong>: <code>{tool}</code>: {}", text(&role), text(&binding.why))
    });
    listed(page, "Which tool plays which role", roles.collect());
    listed(page, "Calls that succeed", known(report));
    let withheld = report.withheld.iter().map(|left| {
        let (tool, class) = (text_within(&left.tool, 120), text_within(&left.class, 40));
        let probes = counted(left.probes, "probe", "probes");
        format!("<code>{tool}</code> ({class}): {probes}: {}", text(&left.why))
    });
    listed(page, "Calls that were not sent", withheld.collect());
    let slow = report.slow.iter().map(|call| {
        let times: Vec<String> = call.taken_ms.iter().map(|time| format!("{time} ms")).collect();
        format!(
            "<code>{}</code>: {} instead of {} ms:<pre>{}</pre>",
            text_within(&call.tool, 120),
            times.join(", "),
            call.usual_ms,
            text_within(&call.input.to_string(), 600)
        )
    });
    listed(page, "Calls that take far longer than others", slow.collect());
}

/// For each tool the arguments of a successful call, and how it was found. For a campaign, the calls that it
/// started from.
fn known(report: &Report) -> Vec<String> {
    let line = |tool: &str, valid: &Value, from: &str| {
        let (tool, valid) = (text_within(tool, 120), text_within(&valid.to_string(), 600));
        format!("<code>{tool}</code> <code>{valid}</code>{from}")
    };
    let quoted = |words: Option<&String>| {
        let words = words.map(|words| format!(", by the refusal <q>{}</q>", text_within(words, MESSAGE)));
        words.unwrap_or_default()
    };
    if let Some(search) = &report.learnt {
        let of_campaign = |KnownCall { tool, valid, by, words, .. }: &KnownCall| {
            let from = match by {
                FoundBy::Configuration => ", from the configuration".to_owned(),
                FoundBy::Schema => ", from its schema and description".to_owned(),
                FoundBy::Refusals => quoted(words.as_ref()),
                FoundBy::OtherCalls => ", from other calls that succeeded".to_owned(),
            };
            line(tool, valid, &from)
        };
        return search.known.iter().map(of_campaign).collect();
    }
    let of_run = |tool: &ToolVerdict| {
        tool.valid.as_ref().map(|valid| line(&tool.name, valid, &quoted(tool.words.as_ref())))
    };
    report.tools.iter().filter_map(of_run).collect()
}

/// Lines of markup in a section that can be opened; nothing if there are none.
fn listed(page: &mut String, title: &str, lines: Vec<String>) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(page, "<details class=\"beside\">\n<summary>{title}: {}</summary>\n<ul>", lines.len());
    for line in lines {
        let _ = writeln!(page, "<li>{line}</li>");
    }
    page.push_str("</ul>\n</details>\n");
}
