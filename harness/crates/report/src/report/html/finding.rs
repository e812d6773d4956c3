//! The findings, each with its call, reply, suggested text, fix, promise, explanation, reproduction and places.

use maud::{Markup, html};

use crate::escape;
use crate::finding::{Finding, FindingPlace, Layer, PendingText, State};
use crate::report::diff::{Run, runs};
use crate::report::view::{Call, FindingView, session};
use crate::report::words::counted;

use super::words::{self, level, sentence};
use super::{PageContent, index};

/// How many places are shown expanded.
const OPEN_PLACES: usize = 8;
/// How many other wordings are shown.
const WORDINGS: usize = 50;
/// How many places are listed.
const PLACES: usize = 500;

/// The findings in the order of the report; the first that fails the run is expanded.
pub(super) fn show(content: &PageContent<'_>) -> Markup {
    let findings: Vec<FindingView<'_>> = content.view.findings().collect();
    let first = findings.iter().position(|shown| shown.counts());
    html! {
        div {
            @if findings.is_empty() {
                p { @if content.report.summary.calls > 0 { "None." } @else { "None: no call was sent." } }
            } @else {
                div.findings {
                    @for (number, shown) in findings.iter().enumerate() {
                        (show_one(*shown, number, Some(number) == first, content))
                    }
                }
                p.none hidden { "No finding matches the filter." }
            }
        }
    }
}

fn show_one(shown: FindingView<'_>, number: usize, is_open: bool, content: &PageContent<'_>) -> Markup {
    let finding = shown.finding;
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
                    (account(shown))
                    (examples(shown))
                    (places(shown, content))
                    (wordings(shown))
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

fn account(shown: FindingView<'_>) -> Markup {
    let finding = shown.finding;
    let (fix, suggested) = shown.fix();
    html! {
        (entry("Call", &code(&sent(shown))))
        (entry(shown.source().1, &reply(shown)))
        @if let Some(text) = suggested { (entry("Suggested text", &code(text))) }
        (entry("Fix", &words::lines(fix)))
        @if !finding.texts.is_empty() {
            (entry("Change", &html! { @for pending in &finding.texts { (self::pending(pending)) } }))
        }
        (screen_entry("Expected", &sentence(&shown.expected())))
        @if finding.layer == Some(Layer::Sdk) {
            (screen_entry("Source", &html! { "An MCP SDK's validation wrote this error, before the tool's own code ran." }))
        }
        @if let Some(rule) = shown.rule() {
            (screen_entry("Why", &html! {
                (words::emphasis(&rule.page().summary)) " " a href={ "#" (index::rule(rule.id)) } { "About this rule" }
            }))
        }
        @if let Some(confirmed) = shown.confirmed() { (entry("Confirmed", &sentence(&confirmed))) }
        @if let Some(command) = shown.reproduce() {
            (entry("Reproduce", &code(&command)))
        } @else if let Some(advice) = shown.without_replay() {
            (screen_entry("Reproduce", &sentence(advice)))
        }
    }
}

/// What was sent, each call on lines of its own.
fn sent(shown: FindingView<'_>) -> String {
    shown.calls().iter().map(Call::whole).collect::<Vec<_>>().join("\n")
}

/// What came back, with the part marked that shows the finding.
fn reply(shown: FindingView<'_>) -> Markup {
    let Some(reply) = shown.reply() else { return html! { "(no text)" } };
    if reply.text().is_empty() {
        return html! { "(an empty text)" };
    }
    html! {
        pre.copy { (reply.before) @if !reply.marked.is_empty() { mark { (reply.marked) } } (reply.after) }
    }
}

/// For a campaign: how many calls showed the finding, and some of them.
fn examples(shown: FindingView<'_>) -> Markup {
    let Some(count) = shown.shown_by() else { return Markup::default() };
    let calls = shown.examples();
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
fn wordings(shown: FindingView<'_>) -> Markup {
    let FindingView { view, finding } = shown;
    let all = &finding.wordings;
    let list = html! {
        details {
            summary { (counted(all.len(), "more reply", "more replies")) }
            ul.plain {
                @for other in all.iter().take(WORDINGS) {
                    @let shown = Finding {
                        evidence: other.evidence.clone(), sent: other.sent.clone(), wordings: Vec::new(), ..finding.clone()
                    };
                    @let shown = FindingView { view, finding: &shown };
                    li { p { (sentence(&other.message)) } (code(&sent(shown))) (reply(shown)) }
                }
                @if all.len() > WORDINGS { li { "and " (all.len() - WORDINGS) " in the JSON report" } }
            }
        }
    };
    html! { @if !all.is_empty() { (screen_entry("Also", &list)) } }
}

fn places(view: FindingView<'_>, content: &PageContent<'_>) -> Markup {
    let finding = view.finding;
    let places = &finding.places;
    let is_bare = |place: &FindingPlace| {
        place.case.is_none() && place.tool == finding.tool && place.condition.is_none()
    };
    // A call without a case, of the tool in the title.
    if places.iter().all(is_bare) {
        return screen_entry("Place", &sentence(view.without_case()));
    }
    let (shown, more) = places.split_at(places.len().min(OPEN_PLACES));
    let list = html! {
        ul.plain { @for shown in shown { (place(shown, view, content)) } }
        @if !more.is_empty() {
            details {
                summary { (more.len()) " more" }
                ul.plain {
                    @for shown in more.iter().take(PLACES) { (place(shown, view, content)) }
                    @if more.len() > PLACES { li { "and " (more.len() - PLACES) " in the JSON report" } }
                }
            }
        }
    };
    let title = if places.len() == 1 { "Place".to_owned() } else { counted(places.len(), "place", "places") };
    screen_entry(&title, &list)
}

fn place(place: &FindingPlace, view: FindingView<'_>, content: &PageContent<'_>) -> Markup {
    let finding = view.finding;
    let name = place.case.as_ref().map(|case| escape::line_within(&case.0, 160));
    let target = place.case.as_ref().and_then(|case| content.index.case(case));
    html! {
        li {
            @match (name, target) {
                (Some(name), Some(target)) => { a href={ "#" (target) } { (name) } },
                (Some(name), None) => { (name) },
                (None, _) => { (view.without_case()) },
            }
            @if let Some(tool) = place.tool.as_ref().filter(|_| place.tool != finding.tool) {
                ", " code { (escape::line_within(tool, 120)) }
            }
            (session(place))
            @if place.state == State::Known && finding.state == State::New { " (known)" }
        }
    }
}

/// A pending text beside the accepted one, which comes first, with the differing words marked.
fn pending(pending: &PendingText) -> Markup {
    html! {
        div.pair {
            p { "Snapshot " code { (pending.snapshot) } }
            @match &pending.accepted {
                None => {
                    figure { figcaption { "New, not accepted yet" } pre { (pending.seen) } }
                },
                Some(accepted) => {
                    @let (before, after) = (parts(accepted), parts(&pending.seen));
                    @let runs = runs(&before, &after);
                    figure { figcaption { "Accepted" } pre { (old(&runs)) } }
                    figure { figcaption { "New" } pre { (new(&runs)) } }
                },
            }
        }
    }
}

/// The accepted text with the words marked that the new one lacks.
fn old(runs: &[Run<'_>]) -> Markup {
    html! {
        @for run in runs.iter().filter(|run| !run.before.is_empty()) {
            @if run.is_kept { (run.before.concat()) } @else { del { (run.before.concat()) } }
        }
    }
}

/// The new text with the words marked that the accepted one lacks.
fn new(runs: &[Run<'_>]) -> Markup {
    html! {
        @for run in runs.iter().filter(|run| !run.after.is_empty()) {
            @if run.is_kept { (run.after.concat()) } @else { ins { (run.after.concat()) } }
        }
    }
}

/// The words, runs of white space and single signs of a text; joined they are the text.
fn parts(text: &str) -> Vec<&str> {
    let kind = |letter: char| match letter {
        letter if letter.is_alphanumeric() => 0,
        letter if letter.is_whitespace() => 1,
        _ => 2,
    };
    let mut parts = Vec::new();
    let mut start = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let end = at + letter.len_utf8();
        let goes_on = letters.peek().is_some_and(|(_, next)| kind(*next) == kind(letter) && kind(letter) < 2);
        if !goes_on {
            parts.push(&text[start..end]);
            start = end;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(accepted: &str, seen: &str, expected: [&str; 2]) {
        let (before, after) = (parts(accepted), parts(seen));
        let runs = runs(&before, &after);
        assert_eq!([old(&runs), new(&runs)].map(Markup::into_string), expected);
    }

    #[test]
    fn words_that_only_one_text_has_are_marked() {
        check(
            "code: A\n\n<value> was not found",
            "code: A\n\n<value> is not here",
            [
                "code: A\n\n&lt;value&gt; <del>was</del> not <del>found</del>",
                "code: A\n\n&lt;value&gt; <ins>is</ins> not <ins>here</ins>",
            ],
        );
    }

    #[test]
    fn a_text_that_goes_on_is_marked_at_its_end() {
        check("It failed.", "It failed. List it.", ["It failed.", "It failed.<ins> List it.</ins>"]);
        check("", "new", ["", "<ins>new</ins>"]);
    }
}
