//! What `-v` adds to the human report: every case that was not judged, which tool had which role, what was sent to
//! each tool, and what its messages lead to.

use std::fmt::Write as _;

use crate::escape;
use crate::judge::{
    Mended, MendedIn, MendedReply, Report, Status, ToolVerdict, is_without_valid_call, laid_out,
};
use crate::transcript::CaseKind;

use super::{Frame, more};
use crate::report::prose::sentence;
use crate::report::view::UnjudgedReason;
use crate::report::words::{counted, listed};

/// How the reason of a case begins whose call was withheld.
const WITHHELD: &str = "withheld: ";
/// What comes of a tool after what to do about it.
const REFUSED_CONTROL: &str = ": its control was refused: ";

/// How much of a call or a message is shown, in columns.
const LONG: usize = 200;

/// Adds the lists to the report.
pub(super) fn show(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    let mut told = Vec::new();
    for (status, title) in [
        (Status::Failed, "failed and not judged further"),
        (Status::NotJudged, "not judged"),
        (Status::Skipped, "skipped"),
        (Status::Errored, "errored"),
    ] {
        group(shown, status, title, &mut told, frame);
    }
    bindings(shown, report, frame);
    probes(shown, report, frame);
    withheld(shown, report, &told, frame);
    uncalled(shown, report, frame);
    tools(shown, report, usize::MAX, frame);
    learnt(shown, report, frame);
    laid(shown, report, frame);
    mended(shown, report, frame);
}

/// The cases of one status, grouped by reason. What was `told` of a tool without a valid call is not repeated.
fn group(shown: &mut String, status: Status, title: &str, told: &mut Vec<String>, frame: &Frame<'_>) {
    let reasons = frame.view.reasons(status, str::to_owned);
    let total = reasons.iter().map(|reason| reason.cases.len()).sum();
    let mut paragraphs = Vec::new();
    for UnjudgedReason { reason, cases } in reasons {
        let ids = listed(cases.iter().map(|case| case.id.0.as_str()), usize::MAX);
        let why = reason.strip_prefix(WITHHELD).unwrap_or(&reason);
        let text = match why.find("`: ").filter(|_| is_without_valid_call(why)) {
            Some(end) if told.iter().any(|told| told == why) => &reason[..reason.len() - why.len() + end + 1],
            _ => &reason,
        };
        paragraphs.push((format!("{:>4}  ", cases.len()), format!("{}: {ids}", sentence(text))));
        told.push(why.to_owned());
    }
    frame.section(shown, &format!("{title}: {}", counted(total, "case", "cases")), &paragraphs);
}

/// Which tool had which role, and why.
fn bindings(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    let bindings = report.bindings.iter().map(|bound| {
        let text = sentence(&format!("{} {}: {}", bound.tool, bound.parameters, bound.why));
        (format!("  {:<17}", bound.role.to_string()), text)
    });
    frame.section(shown, "roles", &bindings.collect::<Vec<_>>());
}

/// The requests that concern no tool, counted by their group, and the probes, counted by tool.
fn probes(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    let mut tools: Vec<(&str, usize)> = Vec::new();
    let mut of_features: Vec<(&str, usize)> = Vec::new();
    for case in report.cases.iter().filter(|case| case.kind == CaseKind::Probe) {
        let (counts, name) = match case.tools.first() {
            Some(tool) => (&mut tools, tool.as_str()),
            None => (&mut of_features, case.id.0.split('/').next().unwrap_or_default()),
        };
        match counts.iter_mut().find(|(other, _)| *other == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    for (label, counts, one, many, what) in [
        ("other requests: ", of_features, "request", "requests", ""),
        ("probes: ", tools, "call", "calls", " generated from the tools' own schemas"),
    ] {
        if !counts.is_empty() {
            let total = counts.iter().map(|(_, count)| count).sum();
            let names =
                counts.iter().map(|(name, count)| format!("{} {count}", escape::line_within(name, 80)));
            let names = listed(names, usize::MAX);
            frame.paragraph(shown, label, &format!("{}{what}: {names}", counted(total, one, many)));
            shown.push('\n');
        }
    }
}

/// Withheld calls, with tools grouped by reason; not for the reasons that were told.
fn withheld(shown: &mut String, report: &Report, told: &[String], frame: &Frame<'_>) {
    let withheld: Vec<_> = report.withheld.iter().filter(|tool| !told.contains(&tool.why)).collect();
    let mut reasons: Vec<(String, usize, Vec<String>)> = Vec::new();
    for tool in &withheld {
        let reason = format!("class {}: {}", tool.class, tool.why);
        let name = escape::line_within(&tool.tool, 80);
        let name = if tool.probes > 0 { format!("{name} {}", tool.probes) } else { name };
        match reasons.iter_mut().find(|(other, ..)| *other == reason) {
            Some((_, total, names)) => {
                *total += tool.probes;
                names.push(name);
            }
            None => reasons.push((reason, tool.probes, vec![name])),
        }
    }
    let what = match withheld.iter().map(|tool| tool.probes).sum() {
        // A tool without parameters has no probes, and may be called all the same.
        0 => format!("calls to {}", counted(withheld.len(), "tool", "tools")),
        total => counted(total, "probe", "probes"),
    };
    let paragraphs = reasons.into_iter().map(|(reason, total, names)| {
        let names = listed(&names, usize::MAX);
        let total = if total > 0 { total.to_string() } else { String::new() };
        (format!("{total:>4}  "), format!("{}: {names}", sentence(&reason)))
    });
    frame.section(shown, &format!("withheld: {what}"), &paragraphs.collect::<Vec<_>>());
}

/// The tools that got no call, on one line, where more of them got some: otherwise the user chose what to run.
fn uncalled(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    let names: Vec<String> = report
        .tools
        .iter()
        .filter(|tool| tool.planned == 0 && tool.valid.is_none())
        .map(|tool| escape::line_within(&tool.name, 80).to_string())
        .collect();
    let called = report.tools.iter().filter(|tool| tool.planned > 0).count();
    if names.is_empty() || names.len() > called {
        return;
    }
    let names_shown = listed(&names, usize::MAX);
    let text = format!("no call went to {}: {names_shown}", counted(names.len(), "tool", "tools"));
    frame.paragraph(shown, "", &text);
    shown.push('\n');
}

/// At most so many tools, those first of which the least was judged.
pub(super) fn tools(shown: &mut String, report: &Report, most: usize, frame: &Frame<'_>) {
    const NAME: usize = 28;
    let mut tools: Vec<&ToolVerdict> = report.tools.iter().filter(|tool| tool.planned > 0).collect();
    if tools.is_empty() {
        return;
    }
    tools.sort_by_key(|tool| tool.judged * 1_000 / tool.planned);
    let whole = tools.iter().filter(|tool| tool.judged == tool.planned).count();
    frame.title(shown, &format!("tools: {whole} of {} fully judged", tools.len()));
    if tools.iter().any(|tool| tool.mended.of > 0) {
        let _ = writeln!(shown, "  {:<NAME$} {:<7} {:<10} {:>7}", "", "class", "judged", "fixable");
    }
    for tool in tools.iter().take(most) {
        let name = escape::line_within(&tool.name, NAME);
        let mended = match tool.mended {
            Mended { of: 0, .. } => String::new(),
            Mended { of, one, two, .. } => format!("{}/{of}", one + two),
        };
        let beginning = format!(
            "  {name:<NAME$} {:<7} {:>3} of {:<3} {mended:>7} ",
            tool.class, tool.judged, tool.planned
        );
        let judged = if tool.own > 0 { "judged" } else { "judged, but it wrote no error itself" };
        let why = tool.why.as_deref().unwrap_or(judged);
        // With `-v` the refusal stands above.
        let why = if most == usize::MAX { why.split(REFUSED_CONTROL).next().unwrap_or(why) } else { why };
        frame.paragraph(shown, &beginning, &sentence(why));
    }
    more(shown, tools.len(), most, "; -v lists them");
    shown.push('\n');
}

/// The successful calls that refusals led to, each with the words of the refusal.
fn learnt(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    let learnt = report.tools.iter().filter_map(|tool| {
        let (valid, words) = (tool.valid.as_ref()?.to_string(), tool.words.as_deref()?);
        let (valid, words) = (escape::line_within(&valid, LONG), escape::line_within(words, LONG));
        Some(("  ".to_owned(), format!("{} {valid}, by: {words}", escape::line_within(&tool.name, 80))))
    });
    let learnt: Vec<_> = learnt.collect();
    let count = counted(learnt.len(), "call that succeeds", "calls that succeed");
    frame.section(shown, &format!("learnt from refusals: {count}"), &learnt);
}

/// What the harness made in the workspace for successful calls.
fn laid(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    if let Some(laid) = laid_out(&report.tools) {
        frame.paragraph(shown, "", &format!("created in the workspace so that valid calls succeed: {laid}"));
        shown.push('\n');
    }
}

/// The repairs of a reader for each reply.
fn mended<'r>(shown: &mut String, report: &'r Report, frame: &Frame<'_>) {
    if report.summary.mended.of == 0 {
        return;
    }
    let of_tool = |tool: &'r ToolVerdict| tool.replies.iter().map(move |reply| (&tool.name, reply));
    let mut all: Vec<(&String, &MendedReply)> = report.tools.iter().flat_map(of_tool).collect();
    all.sort_by_key(|(_, reply)| match reply.calls {
        MendedIn::Not => 0,
        MendedIn::Two => 1,
        MendedIn::One => 2,
    });
    let paragraphs = all.into_iter().map(|(tool, reply)| {
        let calls = match reply.calls {
            MendedIn::One => "1 call",
            MendedIn::Two => "2 calls",
            MendedIn::Not => "no",
        };
        let name = escape::line_within(tool, 80);
        let message = escape::line_within(&reply.message, LONG);
        let words: Vec<String> = reply.words.iter().map(|words| escape::line_within(words, LONG)).collect();
        let led = match (words.is_empty(), reply.calls) {
            (true, _) => "it does not say what to change".to_owned(),
            (false, MendedIn::Not) => format!("followed, and refused again: {}", words.join("; then ")),
            (false, _) => format!("by: {}", words.join("; then ")),
        };
        let text = format!("{name}, {}: {message} ({led})", reply.condition);
        (format!("  {calls:<7} {:>3}  ", reply.count), text)
    });
    let title = "bad calls, and whether the message alone fixes them";
    frame.section(shown, title, &paragraphs.collect::<Vec<_>>());
}
