//! The findings, each with its call, reply, promise, explanation, fix, reproduction and places.

use std::fmt::Write as _;

use crate::contract;
use crate::finding::{Finding, FindingPlace, Layer, State};
use crate::judge::{Report, ServerInfo};
use crate::report::account;
use crate::rules;
use crate::transcript::Chosen;

use super::markup::{counted, level, text, text_within};
use super::{PageContent, diff, index, prose};

/// How much of a call is shown, in characters.
const SENT: usize = 4_000;
/// How many places are shown expanded.
const OPEN_PLACES: usize = 8;
/// How many other wordings are shown.
const WORDINGS: usize = 50;
/// How many places are listed.
const PLACES: usize = 500;

/// Adds the findings in the order of the report; the first that counts is expanded.
pub(super) fn show(page: &mut String, content: &PageContent<'_>) {
    let findings = &content.report.findings;
    if findings.is_empty() {
        page.push_str("<p>None.</p>\n");
        return;
    }
    let first = findings.iter().position(|finding| account::counts(finding, content.strictness));
    page.push_str("<div class=\"findings\">\n");
    for (number, finding) in findings.iter().enumerate() {
        let open = if Some(number) == first { " open" } else { "" };
        show_one(page, finding, number, open, content);
    }
    page.push_str("</div>\n<p class=\"none\" hidden>No finding is left by this filter.</p>\n");
}

fn show_one(page: &mut String, finding: &Finding, number: usize, open: &str, content: &PageContent<'_>) {
    let (id, pairs) = (&content.index.findings[number], content.index.pairs(finding));
    let rule = content.index.rules.number(&finding.rule).unwrap_or_default();
    let state = match finding.state {
        State::New => "new",
        State::Known => "known",
    };
    let class = finding.level;
    let _ = write!(
        page,
        "<details class=\"f {class}\" data-r=\"{rule}\" data-s=\"{state}\" data-p=\"{pairs}\"{open}>\n<summary><h3>"
    );
    title(page, finding);
    let _ = writeln!(page, "</h3></summary>\n<div class=\"b\" id=\"{id}\">\n<dl>");
    account(page, finding, content);
    places(page, finding, content);
    wordings(page, finding);
    let _ = writeln!(page, "</dl>\n<p><a href=\"#{id}\">Link to this finding</a></p>\n</div>\n</details>");
}

fn title(page: &mut String, finding: &Finding) {
    let _ = write!(
        page,
        "<span class=\"l\">{}</span> <code>{}</code> ",
        level(finding.level),
        text(&finding.rule)
    );
    if let Some(tool) = &finding.tool {
        let _ = write!(page, "<span class=\"t\">{}</span> ", text_within(tool, 120));
    }
    let _ = write!(page, "<span class=\"m\">{}</span>", text(&finding.message));
    if finding.places.len() > 1 {
        let _ = write!(page, " <span class=\"n\">{} places</span>", finding.places.len());
    }
    if finding.state == State::Known {
        page.push_str(" <span class=\"n\">known</span>");
    }
    match (finding.stable, &finding.unconfirmed) {
        (Some(_), Some(_)) => page.push_str(" <span class=\"n\">not confirmed</span>"),
        (Some(false), None) => page.push_str(" <span class=\"n\">not every time</span>"),
        _ => {}
    }
}

fn account(page: &mut String, finding: &Finding, content: &PageContent<'_>) {
    let mut entry = |title: &str, markup: &str| {
        let _ = writeln!(page, "<dt>{title}</dt><dd>{markup}</dd>");
    };
    entry("Call", &format!("<pre>{}</pre>", sent(finding)));
    entry("Reply", &reply(finding));
    if !finding.texts.is_empty() {
        entry("Texts", &finding.texts.iter().map(diff::shown).collect::<String>());
    }
    entry("Expected", &expected(finding, content));
    if finding.layer == Some(Layer::Sdk) {
        entry("Source", "an MCP SDK's validation wrote this error, before the tool's own code ran");
    }
    if let Some(rule) = rules::all().iter().find(|rule| rule.id == finding.rule) {
        let (summary, element) = (prose::inline(&rule.page.summary), index::rule(rule.id));
        entry("Why", &format!("{summary} (<a href=\"#{element}\">why this matters</a>)"));
    }
    entry("Fix", &text(&finding.help));
    if let Some(confirmed) = account::confirmed(finding) {
        entry("Confirmed", &text(&confirmed));
    }
    if let Some(replay) = account::replay(finding) {
        let is_command = finding.replay.is_some();
        let replay = text(&replay);
        entry("Reproduce", &if is_command { format!("<pre>{replay}</pre>") } else { replay });
    } else if let Some(command) = command(finding, content.report) {
        entry("Reproduce", &format!("<pre>{}</pre>", text(&command)));
    }
}

/// What was promised, and where.
fn expected(finding: &Finding, content: &PageContent<'_>) -> String {
    match rules::promise(&finding.requirement) {
        Some(sentence) if content.promises.sentence(&finding.requirement).is_none() => {
            format!("{} ({})", prose::inline(sentence), text(&finding.requirement))
        }
        _ => text(&account::promised(finding, content.promises)),
    }
}

/// What was sent, over several lines.
fn sent(finding: &Finding) -> String {
    if finding.sent.is_null() {
        return "(nothing)".to_owned();
    }
    let laid_out = match &finding.sent {
        serde_json::Value::String(line) => line.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_else(|_| other.to_string()),
    };
    match laid_out.char_indices().nth(SENT) {
        Some((end, _)) => format!("{} [...]", text(&laid_out[..end])),
        None => text(&laid_out),
    }
}

/// What came back, with the part marked that shows the finding.
fn reply(finding: &Finding) -> String {
    let Some(reply) = account::reply(finding) else { return "(no text)".to_owned() };
    let (before, marked, after) = (text(&reply.before), text(&reply.marked), text(&reply.after));
    let marked = if marked.is_empty() { marked } else { format!("<mark>{marked}</mark>") };
    match before.is_empty() && marked.is_empty() && after.is_empty() {
        true => "(an empty text)".to_owned(),
        false => format!("<pre>{before}{marked}{after}</pre>"),
    }
}

/// The command that runs the finding's case again; `None` if there is no case, or if it is unknown how to start
/// the server.
fn command(finding: &Finding, report: &Report) -> Option<String> {
    let case = finding.case.as_ref()?;
    let ServerInfo { command, bundled, .. } = &report.server;
    if command.is_empty() && !bundled {
        return None;
    }
    let mut words = vec!["mcp-errconf".to_owned(), "run".to_owned()];
    words.extend(["--filter".to_owned(), account::shell_word(&case.0)]);
    let is_built_in = || contract::builtin_ids().any(|id| id == report.contract.id);
    if matches!(report.contract.chosen, Chosen::Flag | Chosen::Detected) && !bundled {
        let named = if is_built_in() { account::shell_word(&report.contract.id) } else { "DIR".to_owned() };
        words.extend(["--contract".to_owned(), named]);
    }
    if report.seed != 0 {
        words.extend(["--seed".to_owned(), report.seed.to_string()]);
    }
    if *bundled {
        words.push("--bundled".to_owned());
    } else {
        words.push("--".to_owned());
        words.extend(command.iter().map(|word| account::shell_word(word)));
    }
    Some(words.join(" "))
}

/// The other wordings of the finding.
fn wordings(page: &mut String, finding: &Finding) {
    if finding.wordings.is_empty() {
        return;
    }
    let _ = write!(
        page,
        "<dt>In other words</dt><dd><details class=\"beside\"><summary>{} more</summary><ul class=\"places\">",
        finding.wordings.len()
    );
    for other in finding.wordings.iter().take(WORDINGS) {
        let (evidence, sent) = (other.evidence.clone(), other.sent.clone());
        let shown = Finding { evidence, sent, wordings: Vec::new(), ..finding.clone() };
        let _ = write!(
            page,
            "<li><p>{}</p><pre>{}</pre>{}</li>",
            text(&other.message),
            self::sent(&shown),
            reply(&shown)
        );
    }
    if finding.wordings.len() > WORDINGS {
        let _ = write!(page, "<li>and {} that the JSON report has</li>", finding.wordings.len() - WORDINGS);
    }
    page.push_str("</ul></details></dd>\n");
}

fn places(page: &mut String, finding: &Finding, content: &PageContent<'_>) {
    let places = &finding.places;
    // A call without a case, of the tool in the title.
    if places
        .iter()
        .all(|place| place.case.is_none() && place.tool == finding.tool && place.condition.is_none())
    {
        let _ = writeln!(page, "<dt>Shown</dt><dd>{}</dd>", account::without_case(finding));
        return;
    }
    let _ = write!(page, "<dt>{}</dt><dd><ul class=\"places\">", counted(places.len(), "place", "places"));
    for place in places.iter().take(OPEN_PLACES) {
        self::place(page, place, finding, content);
    }
    page.push_str("</ul>");
    if places.len() > OPEN_PLACES {
        let more = places.len() - OPEN_PLACES;
        let _ = write!(page, "<details class=\"beside\"><summary>{more} more</summary><ul class=\"places\">");
        for place in places.iter().take(PLACES).skip(OPEN_PLACES) {
            self::place(page, place, finding, content);
        }
        if places.len() > PLACES {
            let _ = write!(page, "<li>and {} that the JSON report lists</li>", places.len() - PLACES);
        }
        page.push_str("</ul></details>");
    }
    page.push_str("</dd>\n");
}

fn place(page: &mut String, place: &FindingPlace, finding: &Finding, content: &PageContent<'_>) {
    page.push_str("<li>");
    match &place.case {
        Some(case) => {
            let name = text_within(&case.0, 160);
            match content.index.case(case) {
                Some(element) => {
                    let _ = write!(page, "<a href=\"#{element}\">{name}</a>");
                }
                None => page.push_str(&name),
            }
        }
        None => page.push_str(account::without_case(finding)),
    }
    if let Some(tool) = place.tool.as_ref().filter(|_| place.tool != finding.tool) {
        let _ = write!(page, ", <code>{}</code>", text_within(tool, 120));
    }
    page.push_str(account::session(place));
    if place.state == State::Known && finding.state == State::New {
        page.push_str(" (known)");
    }
    page.push_str("</li>");
}
