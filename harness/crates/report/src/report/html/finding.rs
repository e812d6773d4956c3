//! The findings, each with its call, reply, suggested text, fix, promise, explanation, reproduction and places.

use maud::{Markup, html};
use serde_json::Value;

use crate::contract;
use crate::escape;
use crate::finding::{Finding, FindingPlace, Layer, State};
use crate::judge::{Report, ServerInfo};
use crate::report::account;
use crate::rules;
use crate::transcript::Chosen;

use super::words::{self, counted, level, sentence};
use super::{PageContent, diff, index};

/// How much of a call is shown, in characters.
const SENT: usize = 4_000;
/// A longer call is laid out over several lines, in characters.
const LINE: usize = 180;
/// How many places are shown expanded.
const OPEN_PLACES: usize = 8;
/// How many other wordings are shown.
const WORDINGS: usize = 50;
/// How many places are listed.
const PLACES: usize = 500;

/// The findings in the order of the report; the first that fails the run is expanded.
pub(super) fn show(content: &PageContent<'_>) -> Markup {
    let findings = &content.report.findings;
    let first = findings.iter().position(|finding| account::counts(finding, content.strictness));
    html! {
        div {
            @if findings.is_empty() {
                p { @if content.report.summary.calls > 0 { "None." } @else { "None: no call was sent." } }
            } @else {
                div.findings {
                    @for (number, finding) in findings.iter().enumerate() {
                        (show_one(finding, number, Some(number) == first, content))
                    }
                }
                p.none hidden { "No finding matches the filter." }
            }
        }
    }
}

fn show_one(finding: &Finding, number: usize, is_open: bool, content: &PageContent<'_>) -> Markup {
    let id = &content.index.findings[number];
    let state = match finding.state {
        State::New => "new",
        State::Known => "known",
    };
    html! {
        details.f.(finding.level) data-r=[content.index.rules.number(&finding.rule)] data-s=(state)
            data-p=(content.index.places(finding)) open[is_open]
        {
            summary { (title(finding)) }
            div.b id=(id) {
                dl {
                    (account_of(finding, content))
                    (examples(finding))
                    (places(finding, content))
                    (wordings(finding))
                }
                p.permalink { a href={ "#" (id) } { "Link to this finding" } }
            }
        }
        "\n"
    }
}

fn title(finding: &Finding) -> Markup {
    html! {
        h3 { span.l { (level(finding.level)) } " " span.m { (sentence(&finding.message)) } }
        span.sub {
            code { (finding.rule) }
            @if let Some(tool) = &finding.tool { " in " span.t { (escape::line_within(tool, 120)) } }
            @if finding.places.len() > 1 { span.n { (finding.places.len()) " places" } }
            @if finding.state == State::Known { span.n { "known" } }
            @match (finding.stable, &finding.unconfirmed) {
                (Some(_), Some(_)) => { span.n { "not confirmed" } },
                (Some(false), None) => { span.n { "not every time" } },
                _ => {},
            }
        }
    }
}

/// An entry of the account. Its class says which of them are left out on paper.
fn entry(title: &str, body: &Markup) -> Markup {
    html! { div { dt { (title) } dd { (body) } } }
}

fn screen_entry(title: &str, body: &Markup) -> Markup {
    html! { div.screen { dt { (title) } dd { (body) } } }
}

fn code(text: &str) -> Markup {
    html! { pre.copy { (text) } }
}

fn account_of(finding: &Finding, content: &PageContent<'_>) -> Markup {
    let (fix, suggested) = rules::suggested(&finding.help);
    let rule = rules::all().iter().find(|rule| rule.id == finding.rule);
    let replay = account::replay(finding);
    let command = match (&replay, &finding.replay) {
        (Some(replay), Some(_)) => Some(replay.clone()),
        (Some(_), None) => None,
        (None, _) => command(finding, content.report),
    };
    html! {
        (entry("Call", &code(&sent(finding))))
        (entry("Reply", &reply(finding)))
        @if let Some(text) = suggested { (entry("Suggested text", &code(text))) }
        (entry("Fix", &words::lines(fix)))
        @if !finding.texts.is_empty() {
            (entry("Change", &html! { @for pending in &finding.texts { (diff::show(pending)) } }))
        }
        (screen_entry("Expected", &expected(finding, content)))
        @if finding.layer == Some(Layer::Sdk) {
            (screen_entry("Source", &html! { "An MCP SDK's validation wrote this error, before the tool's own code ran." }))
        }
        @if let Some(rule) = rule {
            (screen_entry("Why", &html! {
                (words::emphasis(&rule.page.summary)) " " a href={ "#" (index::rule(rule.id)) } { "About this rule" }
            }))
        }
        @if let Some(confirmed) = account::confirmed(finding) { (entry("Confirmed", &sentence(&confirmed))) }
        @if let Some(command) = command {
            (entry("Reproduce", &code(&command)))
        } @else if let Some(replay) = replay {
            (screen_entry("Reproduce", &sentence(&replay)))
        }
    }
}

/// What was promised, and where.
fn expected(finding: &Finding, content: &PageContent<'_>) -> Markup {
    let id = &finding.requirement;
    match content.promises.sentence(id).or_else(|| rules::promise(id)) {
        Some(promise) => html! { (sentence(promise)) " (" (id) ")" },
        None => html! { (id) },
    }
}

/// What was sent: a call as its tool and its arguments.
fn sent(finding: &Finding) -> String {
    let sent = match &finding.sent {
        Value::Null => "(nothing)".to_owned(),
        Value::String(line) => line.clone(),
        Value::Array(calls) => calls.iter().map(call).collect::<Vec<_>>().join("\n"),
        other => call(other),
    };
    match sent.char_indices().nth(SENT) {
        Some((end, _)) => format!("{} [...]", &sent[..end]),
        None => sent,
    }
}

fn call(value: &Value) -> String {
    let parts = value.as_object().filter(|members| members.len() == 2);
    let parts = parts.and_then(|members| Some((members.get("name")?.as_str()?, members.get("arguments")?)));
    let (name, arguments) =
        parts.map_or((String::new(), value), |(name, arguments)| (format!("{name} "), arguments));
    let line = format!("{name}{arguments}");
    match line.chars().count() {
        0..=LINE => line,
        _ => format!(
            "{name}{}",
            serde_json::to_string_pretty(arguments).unwrap_or_else(|_| arguments.to_string())
        ),
    }
}

/// What came back, with the part marked that shows the finding.
fn reply(finding: &Finding) -> Markup {
    let Some(reply) = account::reply(finding) else { return html! { "(no text)" } };
    if reply.text().is_empty() {
        return html! { "(an empty text)" };
    }
    html! {
        pre.copy { (reply.before) @if !reply.marked.is_empty() { mark { (reply.marked) } } (reply.after) }
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

/// For a campaign: how many calls showed the finding, and some of them.
fn examples(finding: &Finding) -> Markup {
    let Some(count) = account::shown_by(finding) else { return Markup::default() };
    let calls = account::examples(finding);
    screen_entry(
        "Count",
        &html! {
            (count)
            @if !calls.is_empty() {
                details {
                    summary { (counted(calls.len(), "example", "examples")) }
                    ul.plain { @for call in &calls { li { code { (call) } } } }
                }
            }
        },
    )
}

/// The other wordings of the finding, folded.
fn wordings(finding: &Finding) -> Markup {
    let all = &finding.wordings;
    let list = html! {
        details {
            summary { (counted(all.len(), "more reply", "more replies")) }
            ul.plain {
                @for other in all.iter().take(WORDINGS) {
                    @let shown = Finding {
                        evidence: other.evidence.clone(), sent: other.sent.clone(), wordings: Vec::new(), ..finding.clone()
                    };
                    li { p { (sentence(&other.message)) } (code(&sent(&shown))) (reply(&shown)) }
                }
                @if all.len() > WORDINGS { li { "and " (all.len() - WORDINGS) " in the JSON report" } }
            }
        }
    };
    html! { @if !all.is_empty() { (screen_entry("Also", &list)) } }
}

fn places(finding: &Finding, content: &PageContent<'_>) -> Markup {
    let places = &finding.places;
    let is_bare = |place: &FindingPlace| {
        place.case.is_none() && place.tool == finding.tool && place.condition.is_none()
    };
    // A call without a case, of the tool in the title.
    if places.iter().all(is_bare) {
        return screen_entry("Place", &sentence(account::without_case(finding)));
    }
    let (shown, more) = places.split_at(places.len().min(OPEN_PLACES));
    let list = html! {
        ul.plain { @for shown in shown { (place(shown, finding, content)) } }
        @if !more.is_empty() {
            details {
                summary { (more.len()) " more" }
                ul.plain {
                    @for shown in more.iter().take(PLACES) { (place(shown, finding, content)) }
                    @if more.len() > PLACES { li { "and " (more.len() - PLACES) " in the JSON report" } }
                }
            }
        }
    };
    let title = if places.len() == 1 { "Place".to_owned() } else { counted(places.len(), "place", "places") };
    screen_entry(&title, &list)
}

fn place(place: &FindingPlace, finding: &Finding, content: &PageContent<'_>) -> Markup {
    let name = place.case.as_ref().map(|case| escape::line_within(&case.0, 160));
    let target = place.case.as_ref().and_then(|case| content.index.case(case));
    html! {
        li {
            @match (name, target) {
                (Some(name), Some(target)) => { a href={ "#" (target) } { (name) } },
                (Some(name), None) => { (name) },
                (None, _) => { (account::without_case(finding)) },
            }
            @if let Some(tool) = place.tool.as_ref().filter(|_| place.tool != finding.tool) {
                ", " code { (escape::line_within(tool, 120)) }
            }
            (account::session(place))
            @if place.state == State::Known && finding.state == State::New { " (known)" }
        }
    }
}
