//! One finding in the form of a compiler's diagnostic: what was sent, what came back, what was promised and
//! where, how to fix it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::escape;
use crate::finding::{Evidence, Finding};
use crate::report::prose::{pieces, sentence, wrapped, wrapped_within};
use crate::report::view::{FindingView, in_a_line, session};
use crate::report::words::{counted, listed};
use crate::rules;

use super::quote::{Quoted, quote};
use super::{Detail, Frame};

/// The column of the text after a label, within the frame.
const LABEL: usize = 10;
/// The indentation of a label.
const MARGIN: usize = 5;
/// The indentation of a place.
const ARROW: usize = 6;
/// How many other wordings of a campaign's finding are shown.
const WORDINGS: usize = 10;
/// The indentation of a call and a reply.
const QUOTE: usize = 12;

/// At most this many lines show a finding, unless everything is asked for.
const LINES: usize = 15;

/// How many lines the parts of a diagnostic may take; the help gets what is left.
struct Room {
    /// Each of heading, call, reply, further blocks and promise.
    part: usize,
    /// The other tools.
    also: usize,
    all: usize,
}

/// Adds a diagnostic to the report.
pub(super) fn show(shown: &mut String, view: FindingView<'_>, frame: &Frame<'_>) {
    let finding = view.finding;
    let is_full = frame.detail == Detail::Full;
    let room = match is_full {
        true => Room { part: 8, also: usize::MAX, all: usize::MAX },
        false => Room { part: 2, also: 1, all: LINES },
    };
    let begun = shown.len();
    heading(shown, view, frame, &room);
    call(shown, view, frame, &room);
    note(shown, frame, "expected", &view.expected(), room.part);
    // What comes after the help takes at most three lines.
    let taken = shown[begun..].lines().count();
    note(shown, frame, "help", &finding.help, room.all.saturating_sub(taken + 3).max(2));
    if let Some(extent) = view.cause().filter(|_| is_full) {
        note(shown, frame, "cause", &extent, 1);
    }
    again(shown, view, frame);
    match (is_full, finding.input.is_some()) {
        (true, true) => {
            examples(shown, view, frame);
            others(shown, finding, frame);
        }
        (true, false) => also(shown, finding, frame),
        (false, true) => count(shown, view, frame),
        (false, false) => elsewhere(shown, finding, frame, &room),
    }
    shown.push('\n');
}

fn heading(shown: &mut String, view: FindingView<'_>, frame: &Frame<'_>, room: &Room) {
    let finding = view.finding;
    let (level, strong, edge) = (frame.theme.level(finding.level), frame.theme.strong, frame.theme.frame);
    let known = view.known();
    let (word, rule, message) = (finding.level, escape::line(&finding.rule), sentence(&finding.message));
    let text = format!("{known}: {message}");
    let address = view.rule().and_then(rules::address);
    let title = format!("{word}[{rule}]");
    let lines = wrapped_within(&format!("{title}{text}"), frame.columns, room.part);
    for (index, line) in lines.iter().enumerate() {
        let (title, line) =
            if index == 0 { line.split_at(title.len().min(line.len())) } else { ("", line.as_str()) };
        let title = frame.theme.link(title, address.as_deref().filter(|_| index == 0));
        let _ = writeln!(shown, "{level}{title}{level:#}{strong}{line}{strong:#}");
    }
    let case = finding.case.as_ref().map_or(view.without_case(), |case| case.0.as_str());
    let tool = finding.tool.as_deref().or_else(|| tool_of_first(finding));
    let tool = tool.map(|tool| format!(", tool {}", escape::line_within(tool, 80)));
    let of_tools = match finding.tools() {
        0 | 1 => String::new(),
        tools => format!(" in {tools} tools"),
    };
    let more = match finding.places.len() {
        0 | 1 => String::new(),
        places => format!(", and {}{of_tools}", counted(places - 1, "more place", "more places")),
    };
    let more = match finding.places.iter().filter(|place| place.level.is_some()).count() {
        0 => more,
        others => format!("{more} ({others} of them at another level)"),
    };
    let (case, tool) = (escape::line_within(case, 120), tool.unwrap_or_default());
    let session = finding.places.first().map_or("", session);
    let text = format!("{case}{tool}{session}{more}");
    for (index, line) in wrapped(&text, frame.columns - ARROW).iter().enumerate() {
        let arrow = if index == 0 { "-->" } else { "   " };
        let _ = writeln!(shown, "  {edge}{arrow}{edge:#} {line}");
    }
}

/// What was sent and what came back.
fn call(shown: &mut String, view: FindingView<'_>, frame: &Frame<'_>, room: &Room) {
    let finding = view.finding;
    let columns = frame.columns - QUOTE;
    let mut lines: Vec<String> =
        view.calls().iter().flat_map(|call| pieces(&call.short(), columns)).collect();
    let more = lines.len().saturating_sub(room.part);
    lines.truncate(room.part);
    if let Some(last) = lines.last_mut().filter(|_| more > 0) {
        last.pop();
        last.push('…');
    }
    for (index, text) in lines.iter().enumerate() {
        quoted(shown, frame, if index == 0 { "sent" } else { "" }, text);
    }
    let Some(evidence) = &finding.evidence else {
        return quoted(shown, frame, "reply", "(no text)");
    };
    let level = frame.theme.level(finding.level);
    for (index, line) in quote(evidence, columns - 1, room.part).into_iter().enumerate() {
        let label = if index == 0 { view.source().0 } else { "" };
        match line {
            Quoted::Text(text) | Quoted::Remark(text) => quoted(shown, frame, label, &text),
            Quoted::Marks(marks) => {
                let space = marks.len() - marks.trim_start().len();
                let (space, marks) = marks.split_at(space);
                quoted(shown, frame, label, &format!("{space}{level}{marks}{level:#}"));
            }
        }
    }
    blocks(shown, &evidence.more, frame, room.part);
}

/// The other content blocks of the reply, each in one line.
fn blocks(shown: &mut String, blocks: &[String], frame: &Frame<'_>, most: usize) {
    // Showing one more takes no more room than saying that it is left out.
    let kept = if blocks.len() > most { most - 1 } else { blocks.len() };
    for block in &blocks[..kept] {
        let text = format!("(another block) {}", block.trim());
        quoted(shown, frame, "", &escape::line_within(&text, frame.columns - QUOTE));
    }
    if let Some(more @ 1..) = blocks.len().checked_sub(kept) {
        quoted(shown, frame, "", &format!("(and {more} more blocks)"));
    }
}

/// For a campaign: whether the input shows the finding each time, and how to send it again.
fn again(shown: &mut String, view: FindingView<'_>, frame: &Frame<'_>) {
    let finding = view.finding;
    let is_doubtful = finding.stable == Some(false) || finding.unconfirmed.is_some();
    if let Some(confirmed) = view.confirmed().filter(|_| is_doubtful || frame.detail == Detail::Full) {
        note(shown, frame, "status", &confirmed, 2);
    }
    // A command is kept in one piece, so that it can be copied.
    if let Some(replay) = view.reproduce().filter(|_| finding.replay.is_some()) {
        item(shown, frame, "replay", &replay);
    } else if let Some(advice) = view.without_replay().filter(|_| frame.detail == Detail::Full) {
        note(shown, frame, "replay", advice, 2);
    }
}

/// For a campaign: how many calls showed the finding, and in how many wordings.
fn count(shown: &mut String, view: FindingView<'_>, frame: &Frame<'_>) {
    let wordings = match view.finding.wordings.len() {
        0 => String::new(),
        more => format!(", in {} wordings", more + 1),
    };
    let told = match view.shown_by() {
        Some(count) => format!("{count}{wordings}"),
        None if wordings.is_empty() => return,
        None => format!("seen{wordings}"),
    };
    note(shown, frame, "count", &format!("{told} (-v lists some)"), 1);
}

/// For a campaign: how many calls showed the finding, and some of them.
fn examples(shown: &mut String, view: FindingView<'_>, frame: &Frame<'_>) {
    let Some(count) = view.shown_by() else { return };
    let such_as = if view.finding.examples.is_empty() { "" } else { ", such as" };
    item(shown, frame, "count", &format!("{count}{such_as}"));
    for example in view.examples() {
        let line = escape::line_within(&example, frame.columns - MARGIN - LABEL - 3);
        item(shown, frame, "", &format!("  {line}"));
    }
}

/// The tool whose call is shown, for a finding that stands for several tools because of their replies.
fn tool_of_first(finding: &Finding) -> Option<&str> {
    finding.places.first().filter(|_| !finding.wordings.is_empty()).and_then(|place| place.tool.as_deref())
}

/// For a campaign: every other wording of the finding, with its input and how to send it again.
fn others(shown: &mut String, finding: &Finding, frame: &Frame<'_>) {
    for (index, other) in finding.wordings.iter().take(WORDINGS).enumerate() {
        let calls = in_a_line(&other.sent);
        let state = match (other.stable, &other.unconfirmed) {
            (_, Some(why)) => format!("not confirmed: {}", escape::line_within(why, 80)),
            (Some(true), None) => "stable".to_owned(),
            _ => "flaky".to_owned(),
        };
        let line = format!("{calls} ({state}){}", excerpt_of(other.evidence.as_ref()));
        let line = escape::line_within(&line, frame.columns - MARGIN - LABEL - 1);
        item(shown, frame, if index == 0 { "also" } else { "" }, &line);
        if let Some(command) = &other.replay {
            item(shown, frame, "", &format!("  {}", escape::line(command)));
        }
    }
    if let Some(more @ 1..) = finding.wordings.len().checked_sub(WORDINGS) {
        item(shown, frame, "", &format!("(and {more} more in the JSON report)"));
    }
}

/// The other tools in one line, each with the number of its places.
fn elsewhere(shown: &mut String, finding: &Finding, frame: &Frame<'_>, room: &Room) {
    if finding.tools() < 2 {
        return;
    }
    let counts = FindingView::tools_of(finding.places.get(1..).unwrap_or_default());
    let names = counts.iter().map(|(tool, count)| format!("{} ({count})", escape::line_within(tool, 60)));
    let names: Vec<String> = names.collect();
    let columns = frame.columns - MARGIN - LABEL;
    // As many names as fit.
    let fitting = (1..=names.len()).rev().map(|most| listed(&names, most));
    let line = fitting.map(|line| wrapped(&line, columns)).find(|lines| lines.len() <= room.also);
    for line in line.unwrap_or_else(|| wrapped_within(&names.join(", "), columns, room.also)) {
        item(shown, frame, "also in", &line);
    }
}

/// Every other place, with an excerpt of each other wording, tool by tool.
fn also(shown: &mut String, finding: &Finding, frame: &Frame<'_>) {
    let mut cases: BTreeMap<(&str, usize), Vec<String>> = BTreeMap::new();
    for place in finding.places.iter().skip(1) {
        let tool = place.tool.as_deref().or(finding.tool.as_deref()).unwrap_or("(no tool)");
        let case = place.case.as_ref().map_or("outside any case", |case| case.0.as_str());
        let session = session(place);
        cases.entry((tool, place.wording)).or_default().push(format!("{case}{session}"));
    }
    let mut label = "also in";
    for ((tool, wording), cases) in cases {
        let other = wording.checked_sub(1).and_then(|index| finding.wordings.get(index));
        let glimpse = other.map_or(String::new(), |other| excerpt_of(other.evidence.as_ref()));
        let cases = listed(&cases, usize::MAX);
        let line = format!("{}: {cases}{glimpse}", escape::line_within(tool, 80));
        for text in wrapped(&line, frame.columns - MARGIN - LABEL) {
            item(shown, frame, label, &text);
            label = "";
        }
    }
}

/// Adds a finding as a line of a list.
pub(super) fn in_one_line(shown: &mut String, view: FindingView<'_>, frame: &Frame<'_>) {
    let finding = view.finding;
    let level = frame.theme.level(finding.level);
    let title = format!("{}[{}]", finding.level, escape::line(&finding.rule));
    let text = format!("{}{}: {}", view.tool(), view.extent(), finding.message);
    let text = escape::line_within(&text, frame.columns.saturating_sub(title.len() + 4));
    let _ = writeln!(shown, "  {level}{title}{level:#} {text}");
}

/// Adds a finding as `TOOL: RULE: message`.
pub(super) fn concise(shown: &mut String, view: FindingView<'_>, frame: &Frame<'_>) {
    let finding = view.finding;
    let level = frame.theme.level(finding.level);
    let (tool, rule) = (view.tool(), escape::line(&finding.rule));
    let text = escape::line_within(&format!("{}{}", finding.message, view.extent()), LONGEST);
    let _ = writeln!(shown, "{tool}: {level}{rule}{level:#}: {text}");
}

/// The maximum length of a finding on one line that other programs may read.
const LONGEST: usize = 300;

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

fn quoted(shown: &mut String, frame: &Frame<'_>, label: &str, text: &str) {
    let edge = frame.theme.frame;
    let line = format!("   {edge}|{edge:#} {label:<6} {text}");
    let _ = writeln!(shown, "{}", line.trim_end());
}

/// A sentence with a label, wrapped if it is long, and cut after so many lines.
fn note(shown: &mut String, frame: &Frame<'_>, label: &str, text: &str, most: usize) {
    let lines = wrapped_within(&sentence(text), frame.columns - MARGIN - LABEL, most);
    for (index, line) in lines.iter().enumerate() {
        item(shown, frame, if index == 0 { label } else { "" }, line);
    }
}

fn item(shown: &mut String, frame: &Frame<'_>, label: &str, text: &str) {
    let edge = frame.theme.frame;
    let sign = if label.is_empty() { ' ' } else { '=' };
    let _ = writeln!(shown, "   {edge}{sign}{edge:#} {label:<LABEL$}{text}");
}
