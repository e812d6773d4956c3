//! What `-v` adds to the human report: every case that was not judged, which tool had which role, what was sent to
//! each tool, and what its messages lead to.

use std::fmt::Write as _;

use crate::escape;
use crate::judge::{
    Mended, MendedIn, MendedReply, Report, Status, ToolVerdict, is_without_valid_call, laid_out,
};
use crate::transcript::CaseKind;

use super::Frame;
use crate::report::prose::sentence;
use crate::report::view::UnjudgedReason;
use crate::report::words::{counted, listed};

/// How the reason of a case begins whose call was withheld.
const WITHHELD: &str = "withheld: ";
/// What comes of a tool after what to do about it.
const REFUSED_CONTROL: &str = ": its control was refused: ";

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
    if reasons.is_empty() {
        return;
    }
    let total = reasons.iter().map(|reason| reason.cases.len()).sum();
    let strong = frame.theme.strong;
    let _ = writeln!(shown, "{strong}{title}: {}{strong:#}", counted(total, "case", "cases"));
    for UnjudgedReason { reason, cases } in reasons {
        let ids = listed(cases.iter().map(|case| case.id.0.as_str()), usize::MAX);
        let beginning = format!("{:>4}  ", cases.len());
        let why = reason.strip_prefix(WITHHELD).unwrap_or(&reason);
        let text = match why.find("`: ").filter(|_| is_without_valid_call(why)) {
            Some(end) if told.iter().any(|told| told == why) => &reason[..reason.len() - why.len() + end + 1],
            _ => &reason,
        };
        frame.width.paragraph(shown, &beginning, &format!("{}: {ids}", sentence(text)));
        told.push(why.to_owned());
    }
    shown.push('\n');
}

/// Which tool had which role, and why.
fn bindings(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    if report.bindings.is_empty() {
        return;
    }
    let strong = frame.theme.strong;
    let _ = writeln!(shown, "{strong}roles{strong:#}");
    for bound in &report.bindings {
        let text = sentence(&format!("{} {}: {}", bound.tool, bound.parameters, bound.why));
        frame.width.paragraph(shown, &format!("  {:<17}", bound.role.to_string()), &text);
    }
    shown.push('\n');
}

/// The probes, counted by tool.
fn probes(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    let mut tools: Vec<(&str, usize)> = Vec::new();
    let mut of_features: Vec<(&str, usize)> = Vec::new();
    for case in report.cases.iter().filter(|case| case.kind == CaseKind::Probe) {
        let group = case.id.0.split('/').next().unwrap_or_default();
        let (tools, tool) = match case.tools.first() {
            Some(tool) => (&mut tools, tool.as_str()),
            None => (&mut of_features, group),
        };
        match tools.iter_mut().find(|(other, _)| *other == tool) {
            Some((_, count)) => *count += 1,
            None => tools.push((tool, 1)),
        }
    }
    if !of_features.is_empty() {
        let groups: Vec<_> = of_features.iter().map(|(group, count)| format!("{group} {count}")).collect();
        let total = of_features.iter().map(|(_, count)| count).sum();
        let total = counted(total, "request", "requests");
        let groups = listed(groups.iter().map(String::as_str), usize::MAX);
        frame.width.paragraph(shown, "other requests: ", &format!("{total}: {groups}"));
        shown.push('\n');
    }
    if tools.is_empty() {
        return;
    }
    let total = tools.iter().map(|(_, count)| count).sum();
    let counts: Vec<_> =
        tools.iter().map(|(tool, count)| format!("{} {count}", escape::line_within(tool, 80))).collect();
    let (total, counts) =
        (counted(total, "call", "calls"), listed(counts.iter().map(String::as_str), usize::MAX));
    frame.width.paragraph(
        shown,
        "probes: ",
        &format!("{total} generated from the tools' own schemas: {counts}"),
    );
    shown.push('\n');
}

/// Withheld calls, with tools grouped by reason; not for the reasons that were told.
fn withheld(shown: &mut String, report: &Report, told: &[String], frame: &Frame<'_>) {
    let withheld: Vec<_> = report.withheld.iter().filter(|tool| !told.contains(&tool.why)).collect();
    if withheld.is_empty() {
        return;
    }
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
    let strong = frame.theme.strong;
    let what = match withheld.iter().map(|tool| tool.probes).sum() {
        // A tool without parameters has no probes, and may be called all the same.
        0 => format!("calls to {}", counted(withheld.len(), "tool", "tools")),
        total => counted(total, "probe", "probes"),
    };
    let _ = writeln!(shown, "{strong}withheld: {what}{strong:#}");
    for (reason, total, names) in reasons {
        let names = listed(names.iter().map(String::as_str), usize::MAX);
        let total = if total > 0 { total.to_string() } else { String::new() };
        frame.width.paragraph(shown, &format!("{total:>4}  "), &format!("{}: {names}", sentence(&reason)));
    }
    shown.push('\n');
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
    let names_shown = listed(names.iter().map(String::as_str), usize::MAX);
    let text = format!("no call went to {}: {names_shown}", counted(names.len(), "tool", "tools"));
    frame.width.paragraph(shown, "", &text);
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
    let strong = frame.theme.strong;
    let whole = tools.iter().filter(|tool| tool.judged == tool.planned).count();
    let _ = writeln!(shown, "{strong}tools: {whole} of {} fully judged{strong:#}", tools.len());
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
        frame.width.paragraph(shown, &beginning, &sentence(why));
    }
    if let Some(more @ 1..) = tools.len().checked_sub(most) {
        let _ = writeln!(shown, "  (and {more} more; -v lists them)");
    }
    shown.push('\n');
}

/// The successful calls that refusals led to, each with the words of the refusal.
fn learnt(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    const LONG: usize = 200;
    let led = |tool: &&ToolVerdict| tool.words.is_some() && tool.valid.is_some();
    let learnt: Vec<&ToolVerdict> = report.tools.iter().filter(led).collect();
    if learnt.is_empty() {
        return;
    }
    let strong = frame.theme.strong;
    let count = counted(learnt.len(), "call that succeeds", "calls that succeed");
    let _ = writeln!(shown, "{strong}learnt from refusals: {count}{strong:#}");
    for tool in learnt {
        let name = escape::line_within(&tool.name, 80);
        let valid = tool.valid.as_ref().map(ToString::to_string).unwrap_or_default();
        let words = tool.words.as_deref().unwrap_or_default();
        let (valid, words) = (escape::line_within(&valid, LONG), escape::line_within(words, LONG));
        frame.width.paragraph(shown, "  ", &format!("{name} {valid}, by: {words}"));
    }
    shown.push('\n');
}

/// What the harness made in the workspace for successful calls.
fn laid(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    if let Some(laid) = laid_out(&report.tools) {
        frame.width.paragraph(
            shown,
            "",
            &format!("created in the workspace so that valid calls succeed: {laid}"),
        );
        shown.push('\n');
    }
}

/// The repairs of a reader for each reply.
fn mended(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    const LONG: usize = 200;
    if report.summary.mended.of == 0 {
        return;
    }
    let strong = frame.theme.strong;
    let _ = writeln!(shown, "{strong}bad calls, and whether the message alone fixes them{strong:#}");
    let mut all: Vec<(&str, &MendedReply)> = Vec::new();
    for tool in &report.tools {
        all.extend(tool.replies.iter().map(|reply| (tool.name.as_str(), reply)));
    }
    all.sort_by_key(|(_, reply)| match reply.calls {
        MendedIn::Not => 0,
        MendedIn::Two => 1,
        MendedIn::One => 2,
    });
    for (tool, reply) in all {
        let calls = match reply.calls {
            MendedIn::One => "1 call",
            MendedIn::Two => "2 calls",
            MendedIn::Not => "no",
        };
        let beginning = format!("  {calls:<7} {:>3}  ", reply.count);
        let name = escape::line_within(tool, 80);
        let message = escape::line_within(&reply.message, LONG);
        let words: Vec<String> = reply.words.iter().map(|words| escape::line_within(words, LONG)).collect();
        let led = match (words.is_empty(), reply.calls) {
            (true, _) => "it does not say what to change".to_owned(),
            (false, MendedIn::Not) => format!("followed, and refused again: {}", words.join("; then ")),
            (false, _) => format!("by: {}", words.join("; then ")),
        };
        frame.width.paragraph(shown, &beginning, &format!("{name}, {}: {message} ({led})", reply.condition));
    }
    shown.push('\n');
}
