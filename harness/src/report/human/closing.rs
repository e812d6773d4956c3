//! The end of the human report: what was not judged and why, which tool had which role, and the summary line.

use std::fmt::Write as _;

use crate::baseline::Entry;
use crate::conclusion::Conclusion;
use crate::escape;
use crate::judge::{CaseVerdict, Mended, MendedIn, MendedReply, Report, Status, ToolVerdict, laid_out};
use crate::report::account;
use crate::roles::role_without_tool;
use crate::snapshot::{StaleKind, StaleText};
use crate::transcript::CaseKind;

use super::prose::{Width, counted, listed, sentence};
use super::sent::sent;
use super::theme::Theme;
use super::valid_calls::valid_calls;
use super::{Detail, Frame, ending};

/// Adds the end to the report.
pub(super) fn show(shown: &mut String, report: &Report, conclusion: &Conclusion, frame: &Frame<'_>) {
    let not_passed = [
        (Status::Failed, "failed and not judged further"),
        (Status::NotJudged, "not judged"),
        (Status::Skipped, "skipped"),
        (Status::Errored, "errored"),
    ];
    // If nothing was sent, the verdict already says so.
    let was_exercised = !matches!(conclusion, Conclusion::NotExercised(_));
    for (status, word) in not_passed.into_iter().filter(|_| was_exercised) {
        group(shown, report, status, word, frame);
    }
    bindings(shown, report, frame);
    probes(shown, report, frame);
    withheld(shown, report, frame);
    uncalled(shown, report, frame);
    tools(shown, report, conclusion, frame);
    learnt(shown, report, frame);
    laid(shown, report, frame);
    mended(shown, report, frame);
    coverage(shown, report, frame);
    next(shown, report, conclusion, frame);
    slow(shown, report, frame);
    valid_calls(shown, report, frame);
    ending::show(shown, report, conclusion, frame);
}

/// Entries of the baseline that can be removed.
pub(super) fn stale(entries: &[Entry], theme: Theme, width: Width) -> String {
    let title = format!("stale in the baseline: {}", counted(entries.len(), "entry", "entries"));
    let about =
        "The findings that these accept no longer occur: remove them, or run with `--update-baseline`.";
    let items = entries.iter().map(|entry| escape::line(&entry.to_string()));
    removable(&title, about, items.collect(), theme, width)
}

/// Snapshots that can be removed.
pub(super) fn gone(snapshots: &[StaleText], theme: Theme, width: Width) -> String {
    let title = format!("not seen again: {}", counted(snapshots.len(), "snapshot", "snapshots"));
    let about = "Their error texts no longer occur: delete the files if that is intended.";
    let items = snapshots.iter().map(|snapshot| {
        let why = match snapshot.what {
            StaleKind::Case => "the case no longer exists",
            StaleKind::Reply => "the case did not produce this error",
        };
        format!("{}.snap: {why}", escape::line(&snapshot.name))
    });
    removable(&title, about, items.collect(), theme, width)
}

/// A list of what can be removed; nothing if it is empty.
fn removable(title: &str, about: &str, items: Vec<String>, theme: Theme, width: Width) -> String {
    let mut shown = String::new();
    if items.is_empty() {
        return shown;
    }
    let strong = theme.strong;
    let _ = writeln!(shown, "{strong}{title}{strong:#}");
    width.paragraph(&mut shown, "  ", about);
    for item in items {
        width.paragraph(&mut shown, "  - ", &item);
    }
    shown.push('\n');
    escape::no_workflow_command(&shown)
}

/// The cases of one status, grouped by reason.
fn group(shown: &mut String, report: &Report, status: Status, word: &str, frame: &Frame<'_>) {
    let mut reasons: Vec<(&str, Vec<&CaseVerdict>)> = Vec::new();
    // A failed case has a reason only if its control did not succeed.
    let is_listed =
        |case: &&CaseVerdict| case.status == status && (status != Status::Failed || case.reason.is_some());
    let is_same = |one: &str, other: &str| match frame.detail {
        Detail::Brief => without_paths(one) == without_paths(other),
        Detail::Full => one == other,
    };
    for case in report.cases.iter().filter(is_listed) {
        let reason = case.reason.as_deref().unwrap_or("no reason was recorded");
        match reasons.iter_mut().find(|(other, _)| is_same(other, reason)) {
            Some((_, cases)) => cases.push(case),
            None => reasons.push((reason, vec![case])),
        }
    }
    if reasons.is_empty() {
        return;
    }
    let most = match frame.detail {
        Detail::Brief => 6,
        Detail::Full => usize::MAX,
    };
    let total = reasons.iter().map(|(_, cases)| cases.len()).sum();
    let strong = frame.theme.strong;
    let _ = writeln!(shown, "{strong}{word}: {}{strong:#}", counted(total, "case", "cases"));
    let absent = absent_roles(&reasons).filter(|_| frame.detail == Detail::Brief);
    for (reason, cases) in reasons {
        if absent.is_some() && role_without_tool(reason).is_some() {
            continue;
        }
        let ids = listed(cases.iter().map(|case| case.id.0.as_str()), most);
        frame.width.paragraph(
            shown,
            &format!("{:>4}  ", cases.len()),
            &format!("{}: {ids}", sentence(reason)),
        );
    }
    if let Some((count, roles)) = absent {
        let text = format!("no tool was found for these roles (-v lists the cases): {roles}");
        frame.width.paragraph(shown, &format!("{count:>4}  "), &text);
    }
    shown.push('\n');
}

/// A reason without the paths after placeholders, because each case has its own files.
fn without_paths(reason: &str) -> String {
    let mut parts = reason.split_inclusive("{workspace}");
    let mut bare = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| c.is_whitespace() || "'\"`,;)".contains(c)).unwrap_or(part.len());
        bare.push_str(&part[end..]);
    }
    bare
}

/// If several roles have no tool: the roles, and how many cases need them. Most servers have few roles.
fn absent_roles(reasons: &[(&str, Vec<&CaseVerdict>)]) -> Option<(usize, String)> {
    let of_roles =
        reasons.iter().filter_map(|(reason, cases)| Some((role_without_tool(reason)?, cases.len())));
    let of_roles: Vec<(&str, usize)> = of_roles.collect();
    let names = listed(of_roles.iter().map(|(role, _)| *role), usize::MAX);
    (of_roles.len() > 1).then(|| (of_roles.iter().map(|(_, count)| count).sum(), names))
}

/// Which tool had which role; with the reasons if details are requested.
fn bindings(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    if report.bindings.is_empty() {
        return;
    }
    match frame.detail {
        Detail::Brief => {
            let pairs: Vec<_> =
                report.bindings.iter().map(|bound| format!("{}={}", bound.role, bound.tool)).collect();
            let pairs = listed(pairs.iter().map(String::as_str), usize::MAX);
            frame.width.paragraph(shown, "roles: ", &format!("{pairs} (-v says why)"));
        }
        Detail::Full => {
            let strong = frame.theme.strong;
            let _ = writeln!(shown, "{strong}roles{strong:#}");
            for bound in &report.bindings {
                let text = sentence(&format!("{} {}: {}", bound.tool, bound.parameters, bound.why));
                frame.width.paragraph(shown, &format!("  {:<17}", bound.role.to_string()), &text);
            }
        }
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
    let most = match frame.detail {
        Detail::Brief => 20,
        Detail::Full => usize::MAX,
    };
    let total = tools.iter().map(|(_, count)| count).sum();
    let counts: Vec<_> =
        tools.iter().map(|(tool, count)| format!("{} {count}", escape::line_within(tool, 80))).collect();
    let (total, counts) = (counted(total, "call", "calls"), listed(counts.iter().map(String::as_str), most));
    frame.width.paragraph(
        shown,
        "probes: ",
        &format!("{total} generated from the tools' own schemas: {counts}"),
    );
    shown.push('\n');
}

/// Withheld calls, with tools grouped by reason.
fn withheld(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    if report.withheld.is_empty() {
        return;
    }
    let mut reasons: Vec<(String, usize, Vec<String>)> = Vec::new();
    for tool in &report.withheld {
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
    let most = match frame.detail {
        Detail::Brief => 12,
        Detail::Full => usize::MAX,
    };
    let strong = frame.theme.strong;
    let what = match report.withheld.iter().map(|tool| tool.probes).sum() {
        // A tool without parameters has no probes, and may be called all the same.
        0 => format!("calls to {}", counted(report.withheld.len(), "tool", "tools")),
        total => counted(total, "probe", "probes"),
    };
    let _ = writeln!(shown, "{strong}withheld: {what}{strong:#}");
    for (reason, total, names) in reasons {
        let names = listed(names.iter().map(String::as_str), most);
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
    let most = match frame.detail {
        Detail::Brief => 12,
        Detail::Full => usize::MAX,
    };
    let names_shown = listed(names.iter().map(String::as_str), most);
    let text = format!("no call went to {}: {names_shown}", counted(names.len(), "tool", "tools"));
    frame.width.paragraph(shown, "", &text);
    shown.push('\n');
}

/// The tools that were not judged in all that was planned, those first of which the least was; where it is asked for all.
fn tools(shown: &mut String, report: &Report, conclusion: &Conclusion, frame: &Frame<'_>) {
    const NAME: usize = 28;
    let is_all = frame.detail == Detail::Full || matches!(conclusion, Conclusion::Inconclusive(_));
    let is_open = |tool: &&ToolVerdict| tool.planned > 0 && (tool.why.is_some() || is_all);
    let mut open: Vec<&ToolVerdict> = report.tools.iter().filter(is_open).collect();
    if open.is_empty() {
        return;
    }
    let most = match frame.detail {
        Detail::Brief => 12,
        Detail::Full => usize::MAX,
    };
    open.sort_by_key(|tool| tool.judged * 1_000 / tool.planned);
    let strong = frame.theme.strong;
    let tried = report.tools.iter().filter(|tool| tool.planned > 0).count();
    let whole = report.tools.iter().filter(|tool| tool.planned > 0 && tool.judged == tool.planned).count();
    let _ = writeln!(shown, "{strong}tools: {whole} of {tried} fully judged{strong:#}");
    if open.iter().any(|tool| tool.mended.of > 0) {
        let _ = writeln!(shown, "  {:<NAME$} {:<7} {:<10} {:>7}", "", "class", "judged", "fixable");
    }
    for tool in open.iter().take(most) {
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
        frame.width.paragraph(shown, &beginning, &sentence(tool.why.as_deref().unwrap_or(judged)));
    }
    if let Some(more @ 1..) = open.len().checked_sub(most) {
        let _ = writeln!(shown, "  (and {more} more; -v lists them)");
    }
    shown.push('\n');
}

/// The successful calls that refusals led to, each with the words of the refusal.
fn learnt(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    const LONG: usize = 200;
    let led = |tool: &&ToolVerdict| tool.words.is_some() && tool.valid.is_some();
    let learnt: Vec<&ToolVerdict> = report.tools.iter().filter(led).collect();
    if learnt.is_empty() || frame.detail == Detail::Brief {
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
    if let Some(laid) = laid_out(&report.tools).filter(|_| frame.detail == Detail::Full) {
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
    if frame.detail == Detail::Brief || report.summary.mended.of == 0 {
        return;
    }
    let strong = frame.theme.strong;
    let _ = writeln!(shown, "{strong}wrong calls, corrected from the message alone{strong:#}");
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
            MendedIn::One => "in one",
            MendedIn::Two => "in two",
            MendedIn::Not => "not",
        };
        let beginning = format!("  {calls:<6} {:>3}  ", reply.count);
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

/// The judged share of the tools, if more is required.
fn coverage(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    let Some(coverage) = report.coverage.filter(|coverage| !coverage.is_met()) else { return };
    let strong = frame.theme.strong;
    let _ = writeln!(shown, "{strong}too little was judged{strong:#}");
    frame.width.paragraph(shown, "  ", &sentence(&coverage.lack(&report.tools)));
    shown.push('\n');
}

/// Advice if too little was judged, as lines that can be copied.
fn next(shown: &mut String, report: &Report, conclusion: &Conclusion, frame: &Frame<'_>) {
    let next = account::next(report, conclusion);
    let strong = frame.theme.strong;
    if next.is_empty() {
        if matches!(conclusion, Conclusion::Inconclusive(_)) {
            let _ = writeln!(shown, "{strong}to have more judged{strong:#}");
            let text = "No call is known that passes an SDK's validation and that the tool itself refuses: \
                `[roles.NAME] tool` in `mcp-errconf.toml` says which tool plays a role, and `--cases DIR` \
                adds cases of your own.";
            frame.width.paragraph(shown, "  ", text);
            shown.push('\n');
        }
        return;
    }
    let most = match frame.detail {
        Detail::Brief => 6,
        Detail::Full => usize::MAX,
    };
    let (lines, options): (Vec<&str>, Vec<&str>) = next.iter().partition(|lines| lines.starts_with('['));
    for (title, parts) in
        [("add to `mcp-errconf.toml`", lines), ("add to the command line, before `--`", options)]
    {
        if parts.is_empty() {
            continue;
        }
        let _ = writeln!(shown, "{strong}to have more judged, {title}{strong:#}");
        for line in parts.iter().take(most).flat_map(|lines| lines.lines()) {
            let _ = writeln!(shown, "  {}", escape::line(line));
        }
        if let Some(more @ 1..) = parts.len().checked_sub(most) {
            let _ = writeln!(shown, "  (and {more} more; -v lists them)");
        }
        shown.push('\n');
    }
}

/// Calls of a campaign that take far longer than others of their tool; there is no rule on this.
fn slow(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    if report.slow.is_empty() {
        return;
    }
    let strong = frame.theme.strong;
    let count = counted(report.slow.len(), "call", "calls");
    let _ = writeln!(
        shown,
        "{strong}slow: {count} that took over a second, and over 20 times as long as a plain call of the \
         same tool{strong:#}"
    );
    for call in &report.slow {
        let taken: Vec<String> = call.taken_ms.iter().map(|taken| account::time(*taken)).collect();
        let (taken, calls) = (taken.join(" and "), sent(&call.input).join(", then "));
        let _ = writeln!(shown, "  {taken}, a plain call {}: {calls}", account::time(call.usual_ms));
    }
    shown.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_differ_in_the_paths_of_their_cases_are_one_reason() {
        let reason = |case: &str| {
            format!("it was refused: '{{workspace}}/{case}/a.txt' is outside {{workspace}}; stop")
        };
        assert_eq!(without_paths(&reason("read-denied")), without_paths(&reason("glob-empty")));
        assert_eq!(without_paths(&reason("x")), "it was refused: '{workspace}' is outside {workspace}; stop");
        assert_ne!(without_paths("no root"), without_paths("no limit"));
    }
}
