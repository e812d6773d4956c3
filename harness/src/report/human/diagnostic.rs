//! One finding in the form of a compiler's diagnostic: what was sent, what came back, what was promised and
//! where, how to fix it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::finding::{Evidence, Finding, Layer, State};
use crate::report::account;
use crate::{escape, rules};

use super::prose::{counted, listed, pieces, sentence, wrapped};
use super::quote::{self, Quoted, quote};
use super::sent::sent;
use super::{Detail, Frame};

/// The column of the text after a label, within the frame.
const LABEL: usize = 10;
/// The indentation of a label.
const MARGIN: usize = 5;
/// The indentation of a place.
const ARROW: usize = 6;
/// The indentation of a call and a reply.
const QUOTE: usize = 12;

/// A text in lines that fit a terminal with this indentation; in one line if there is no terminal.
fn fitting(text: &str, indent: usize, frame: &Frame<'_>) -> Vec<String> {
    match frame.width.of_terminal() {
        Some(columns) => wrapped(text, columns - indent),
        None => vec![text.to_owned()],
    }
}

/// Adds a diagnostic to the report.
pub(super) fn show(shown: &mut String, finding: &Finding, frame: &Frame<'_>) {
    heading(shown, finding, frame);
    call(shown, finding, frame);
    note(shown, frame, "expected", &promise(finding, frame));
    if finding.layer == Some(Layer::Sdk) {
        note(
            shown,
            frame,
            "source",
            "an MCP SDK's validation wrote this error, before the tool's own code ran",
        );
    }
    note(shown, frame, "help", &finding.help);
    if let Some(extent) = account::extent(finding) {
        note(shown, frame, "cause", &extent);
    }
    again(shown, finding, frame);
    also(shown, finding, frame);
    shown.push('\n');
}

fn heading(shown: &mut String, finding: &Finding, frame: &Frame<'_>) {
    let (level, strong, edge) = (frame.theme.level(finding.level), frame.theme.strong, frame.theme.frame);
    let known = known(finding);
    let (word, rule, message) = (finding.level, escape::line(&finding.rule), sentence(&finding.message));
    let text = format!("{known}: {message}");
    let address =
        rules::all().iter().find(|known| known.id == finding.rule).and_then(|rule| rules::address(rule));
    let title = format!("{word}[{rule}]");
    let lines = match frame.width.of_terminal() {
        Some(columns) => wrapped(&format!("{title}{text}"), columns),
        None => vec![format!("{title}{text}")],
    };
    for (index, line) in lines.iter().enumerate() {
        let (title, line) =
            if index == 0 { line.split_at(title.len().min(line.len())) } else { ("", line.as_str()) };
        let title = frame.theme.link(title, address.as_deref().filter(|_| index == 0));
        let _ = writeln!(shown, "{level}{title}{level:#}{strong}{line}{strong:#}");
    }
    let case = finding.case.as_ref().map_or(account::without_case(finding), |case| case.0.as_str());
    let tool = finding.tool.as_deref().or_else(|| tool_of_first(finding));
    let tool = tool.map(|tool| format!(", tool {}", escape::line_within(tool, 80)));
    let more = match finding.places.len() {
        0 | 1 => String::new(),
        places => format!(", and {}", counted(places - 1, "more place", "more places")),
    };
    let (case, tool) = (escape::line_within(case, 120), tool.unwrap_or_default());
    let session = finding.places.first().map_or("", account::session);
    let text = format!("{case}{tool}{session}{more}");
    for (index, line) in fitting(&text, ARROW, frame).iter().enumerate() {
        let arrow = if index == 0 { "-->" } else { "   " };
        let _ = writeln!(shown, "  {edge}{arrow}{edge:#} {line}");
    }
}

/// What was sent and what came back.
fn call(shown: &mut String, finding: &Finding, frame: &Frame<'_>) {
    bar(shown, frame);
    for (index, call) in sent(&finding.sent).iter().enumerate() {
        let lines = match frame.width.of_terminal() {
            Some(columns) => pieces(call, columns - QUOTE),
            None => vec![call.clone()],
        };
        for (line, text) in lines.iter().enumerate() {
            quoted(shown, frame, if index + line == 0 { "sent" } else { "" }, text);
        }
    }
    let Some(evidence) = &finding.evidence else {
        quoted(shown, frame, "reply", "(no text)");
        return bar(shown, frame);
    };
    let level = frame.theme.level(finding.level);
    let columns = frame.width.of_terminal().map_or(quote::COLUMNS, |columns| columns - QUOTE - 1);
    for (index, line) in quote(evidence, columns).into_iter().enumerate() {
        let label = if index == 0 { "reply" } else { "" };
        match line {
            Quoted::Text(text) | Quoted::Remark(text) => quoted(shown, frame, label, &text),
            Quoted::Marks(marks) => {
                let space = marks.len() - marks.trim_start().len();
                let (space, marks) = marks.split_at(space);
                quoted(shown, frame, label, &format!("{space}{level}{marks}{level:#}"));
            }
        }
    }
    bar(shown, frame);
}

/// The requirement's sentence with its id, or the reference as the rule gives it.
fn promise(finding: &Finding, frame: &Frame<'_>) -> String {
    let id = &finding.requirement;
    match frame.promises.sentence(id).or_else(|| rules::promise(id)) {
        Some(sentence) => format!("{sentence} ({id})"),
        None => id.clone(),
    }
}

/// For a campaign: whether the input shows the finding each time, and how to send it again.
fn again(shown: &mut String, finding: &Finding, frame: &Frame<'_>) {
    if let Some(confirmed) = account::confirmed(finding) {
        note(shown, frame, "status", &confirmed);
    }
    if let Some(replay) = account::replay(finding) {
        match finding.replay {
            // A command is kept in one piece, so that it can be copied.
            Some(_) => item(shown, frame, "replay", &replay),
            None => note(shown, frame, "replay", &replay),
        }
    }
}

/// Which of its places a baseline lists.
fn known(finding: &Finding) -> String {
    let known = finding.places.iter().filter(|place| place.state == State::Known).count();
    match (finding.state, known) {
        (State::Known, _) => " (known)".to_owned(),
        (State::New, 0) => String::new(),
        (State::New, known) => format!(" ({known} of {} places known)", finding.places.len()),
    }
}

/// The tool whose call is shown, for a finding that stands for several tools because of their replies.
fn tool_of_first(finding: &Finding) -> Option<&str> {
    finding.places.first().filter(|_| !finding.wordings.is_empty()).and_then(|place| place.tool.as_deref())
}

/// For a campaign: every other wording of the finding, with its input and how to send it again.
fn others(shown: &mut String, finding: &Finding, frame: &Frame<'_>) {
    for (index, other) in finding.wordings.iter().enumerate() {
        let calls = sent(&other.sent).join(", then ");
        let state = match (other.stable, &other.unconfirmed) {
            (_, Some(why)) => format!("not confirmed: {}", escape::line_within(why, 80)),
            (Some(true), None) => "stable".to_owned(),
            _ => "flaky".to_owned(),
        };
        let line = format!("{calls} ({state}){}", excerpt_of(other.evidence.as_ref()));
        let line = match frame.width.of_terminal() {
            Some(columns) => escape::line_within(&line, columns - MARGIN - LABEL - 1),
            None => line,
        };
        item(shown, frame, if index == 0 { "also" } else { "" }, &line);
        if let Some(command) = &other.replay {
            item(shown, frame, "", &format!("  {}", escape::line(command)));
        }
    }
}

/// The places that are not shown in full: other wordings with an excerpt of each, tool by tool.
fn also(shown: &mut String, finding: &Finding, frame: &Frame<'_>) {
    if finding.input.is_some() {
        return others(shown, finding, frame);
    }
    let most = match frame.detail {
        Detail::Brief => 6,
        Detail::Full => usize::MAX,
    };
    // With several tools, each has one line with its first wording.
    let by_wording = frame.detail == Detail::Full || finding.tools() < 2;
    let mut cases: BTreeMap<(&str, usize), (usize, Vec<String>)> = BTreeMap::new();
    for place in finding.places.iter().skip(1) {
        let tool = place.tool.as_deref().or(finding.tool.as_deref()).unwrap_or("(no tool)");
        let case = place.case.as_ref().map_or("outside any case", |case| case.0.as_str());
        let line = (tool, if by_wording { place.wording } else { 0 });
        let (_, cases) = cases.entry(line).or_insert_with(|| (place.wording, Vec::new()));
        cases.push(format!("{case}{}", account::session(place)));
    }
    let mut lines: Vec<String> = cases
        .into_iter()
        .map(|((tool, _), (wording, cases))| {
            let other = wording.checked_sub(1).and_then(|index| finding.wordings.get(index));
            let glimpse = other.map_or(String::new(), |other| excerpt_of(other.evidence.as_ref()));
            let cases = listed(cases.iter().map(String::as_str), most.min(4));
            format!("{}: {cases}{glimpse}", escape::line_within(tool, 80))
        })
        .collect();
    let more = lines.len().saturating_sub(most);
    lines.truncate(most);
    if more > 0 {
        lines.push(format!("(and {more} more; -v lists them)"));
    }
    for (index, line) in lines.iter().enumerate() {
        for (part, text) in fitting(line, MARGIN + LABEL, frame).iter().enumerate() {
            item(shown, frame, if index + part == 0 { "also in" } else { "" }, text);
        }
    }
}

/// Adds a finding on one line, for those beyond the most important ones.
pub(super) fn brief(shown: &mut String, finding: &Finding, frame: &Frame<'_>) {
    let level = frame.theme.level(finding.level);
    let title = format!("{}[{}]", finding.level, escape::line(&finding.rule));
    let places = match finding.places.len() {
        0 | 1 => String::new(),
        places => format!(" ({places} places)"),
    };
    let columns = frame.width.of_terminal().unwrap_or(LONGEST).saturating_sub(title.len() + places.len() + 6);
    let text = escape::line_within(&finding.message, columns);
    let _ = writeln!(shown, "  {level}{title}{level:#}{}: {text}{places}", known(finding));
}

/// The maximum length of a finding on one line, unless the terminal is narrower.
const LONGEST: usize = 160;

/// The beginning of what came back, or of the marked part.
fn excerpt_of(evidence: Option<&Evidence>) -> String {
    let Some(evidence) = evidence.filter(|evidence| !evidence.text.is_empty()) else {
        return String::new();
    };
    let from = evidence.span.map_or(0, |(start, end)| if end > 60 { start } else { 0 });
    let (before, text) = (if from > 0 { "…" } else { "" }, evidence.text.get(from..).unwrap_or_default());
    let line = text.split('\n').next().unwrap_or_default();
    let shown = escape::line_within(line, 60);
    let after = if line.len() < text.trim_end().len() && !shown.ends_with('…') { "…" } else { "" };
    format!(": {before}{shown}{after}")
}

fn bar(shown: &mut String, frame: &Frame<'_>) {
    let edge = frame.theme.frame;
    let _ = writeln!(shown, "   {edge}|{edge:#}");
}

fn quoted(shown: &mut String, frame: &Frame<'_>, label: &str, text: &str) {
    let edge = frame.theme.frame;
    let line = format!("   {edge}|{edge:#} {label:<6} {text}");
    let _ = writeln!(shown, "{}", line.trim_end());
}

/// A sentence with a label, wrapped if it is long.
fn note(shown: &mut String, frame: &Frame<'_>, label: &str, text: &str) {
    for (index, line) in wrapped(&sentence(text), frame.width.columns() - MARGIN - LABEL).iter().enumerate() {
        item(shown, frame, if index == 0 { label } else { "" }, line);
    }
}

fn item(shown: &mut String, frame: &Frame<'_>, label: &str, text: &str) {
    let edge = frame.theme.frame;
    let sign = if label.is_empty() { ' ' } else { '=' };
    let _ = writeln!(shown, "   {edge}{sign}{edge:#} {label:<LABEL$}{text}");
}
