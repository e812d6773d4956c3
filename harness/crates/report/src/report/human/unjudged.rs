//! What was not judged, in a few lines: by reason, with what would change that.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::conclusion::Conclusion;
use crate::escape;
use crate::judge::{
    CaseVerdict, FoundBy, KnownCall, REFUSED, Report, Status, UNFLAGGED, ValidCallSearch,
    is_without_valid_call,
};
use crate::report::prose::{sentence, wrapped};
use crate::report::view::{FindingView, UnjudgedReason, in_a_line};
use crate::report::words::{counted, listed, time};
use crate::roles::role_without_tool;

use super::{Detail, Frame, details, more};

/// At most this many reasons are told.
const REASONS: usize = 4;
/// At most this many tools are named.
const TOOLS: usize = 12;
/// How much of a call is shown, in columns.
const LONG: usize = 200;
/// Fewer tools that are refused in the same words may have the same fault.
const ALIKE: usize = 4;
/// At most this many slow cases or calls are shown.
const SLOW: usize = 5;

/// Adds the section to the report.
pub(super) fn show(shown: &mut String, frame: &Frame<'_>) {
    let (report, conclusion) = (frame.view.report, frame.view.conclusion);
    // If nothing was sent, the verdict already says so.
    if frame.detail == Detail::Brief && !matches!(conclusion, Conclusion::NotExercised(_)) {
        in_brief(shown, report, frame);
    }
    let is_too_little = matches!(conclusion, Conclusion::Inconclusive(_) | Conclusion::Uncovered(_));
    if is_too_little && frame.detail == Detail::Brief {
        details::tools(shown, report, TOOLS, frame);
    }
    coverage(shown, report, frame);
    advice(shown, conclusion, frame);
    slow_cases(shown, frame);
    slow(shown, report, frame);
    valid_calls(shown, report, frame);
    if let Some(text) = frame.view.findings().find_map(FindingView::without_replay) {
        frame.paragraph(shown, "to replay: ", text);
        shown.push('\n');
    }
}

/// A few lines about all that was not judged.
fn in_brief(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    let length = shown.len();
    for (status, title) in [(Status::NotJudged, "not judged"), (Status::Errored, "errored")] {
        unjudged(shown, status, title, frame);
    }
    skipped(shown, report, frame);
    let tools = tools_without_valid_call(report);
    without_valid_call(shown, report, &tools, frame);
    withheld(shown, report, &tools, frame);
    if shown.len() > length {
        shown.push('\n');
    }
}

/// The most frequent reasons of one status.
fn unjudged(shown: &mut String, status: Status, title: &str, frame: &Frame<'_>) {
    let reasons = frame.view.reasons(status, without_paths);
    let total: usize = reasons.iter().map(|reason| reason.cases.len()).sum();
    if total == 0 {
        return;
    }
    let all = frame.view.report.summary.cases.total;
    frame.title(shown, &format!("{title}: {total} of {}", counted(all, "case", "cases")));
    // Tools without a valid call have a line of their own.
    let (of_tools, mut told): (Vec<_>, Vec<_>) =
        reasons.iter().partition(|reason| is_without_valid_call(&reason.reason));
    let of_tools: usize = of_tools.into_iter().map(|reason| reason.cases.len()).sum();
    if of_tools > 0 {
        let _ = writeln!(shown, "{of_tools:>4}  no valid call of the tool is known, as listed below");
    }
    let left: usize = told.split_off(told.len().min(REASONS)).iter().map(|reason| reason.cases.len()).sum();
    for UnjudgedReason { reason, cases } in told {
        frame.paragraph(shown, &format!("{:>4}  ", cases.len()), &sentence(reason));
    }
    if left > 0 {
        let _ = writeln!(shown, "{left:>4}  for other reasons (-v lists them)");
    }
}

/// One line about the skipped cases.
fn skipped(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    let reasons = frame.view.reasons(Status::Skipped, str::to_owned);
    let total: usize = reasons.iter().map(|reason| reason.cases.len()).sum();
    if total == 0 {
        return;
    }
    let mut text = format!("{} of {} cases", total, report.summary.cases.total);
    let of_roles =
        reasons.iter().filter_map(|reason| Some((role_without_tool(&reason.reason)?, reason.cases.len())));
    let of_roles: Vec<(&str, usize)> = of_roles.collect();
    if !of_roles.is_empty() {
        let count: usize = of_roles.iter().map(|(_, count)| count).sum();
        let roles = listed(of_roles.iter().map(|(role, _)| *role), TOOLS);
        let _ = write!(text, ", {count} of them because no tool plays these roles: {roles}");
    }
    text.push_str(" (-v lists the reasons)");
    labelled(shown, "skipped", &text, frame);
}

/// The tools of which no valid call is known.
fn tools_without_valid_call(report: &Report) -> Vec<&str> {
    let is_open = |case: &&CaseVerdict| {
        case.status != Status::Passed && case.reason.as_deref().is_some_and(is_without_valid_call)
    };
    let mut tools: Vec<&str> = Vec::new();
    for tool in report.cases.iter().filter(is_open).flat_map(|case| &case.tools) {
        if !tools.contains(&tool.as_str()) {
            tools.push(tool);
        }
    }
    tools
}

/// Those tools in one line.
fn without_valid_call(shown: &mut String, report: &Report, tools: &[&str], frame: &Frame<'_>) {
    if tools.is_empty() {
        return;
    }
    let names = listed(tools.iter().copied(), TOOLS);
    // For a tool without parameters, or with ids that are made at run time, nothing can be given.
    let may_be_given = report.tools.iter().any(|tool| {
        let is_named = tools.contains(&tool.name.as_str());
        is_named && tool.next.as_deref().is_some_and(|next| next.contains("\nvalid = "))
    });
    let advice = match refused_alike(report, tools) {
        Some((text, count)) => {
            let who = if count == tools.len() { "all".to_owned() } else { count.to_string() };
            format!(
                ". Of these {who} are refused in the same words, so the server may have to be set up first: {text}"
            )
        }
        None if may_be_given => {
            ": give its arguments as `[tools.NAME] valid` in `mcp-errconf.toml`.".to_owned()
        }
        None => ".".to_owned(),
    };
    let text = format!(
        "{} of {}: {names}. Each must have a call that succeeds before its errors can be judged{advice}",
        tools.len(),
        counted(report.tools.len().max(tools.len()), "tool", "tools")
    );
    labelled(shown, "no valid call is known", &text, frame);
}

/// The refusal that most of several tools have in common, on one line, and how many of them do.
fn refused_alike<'r>(report: &'r Report, tools: &[&str]) -> Option<(String, usize)> {
    let refusal = |tool: &&str| {
        let mut of_tool = report.cases.iter().filter(|case| case.tools.iter().any(|name| name == tool));
        let words = |reason: &'r str| reason.split_once(REFUSED).or_else(|| reason.split_once(UNFLAGGED));
        of_tool.find_map(|case| Some(words(case.reason.as_deref()?)?.1))
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for text in tools.iter().filter_map(refusal) {
        *counts.entry(text).or_default() += 1;
    }
    let (text, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (count >= ALIKE && 2 * count > tools.len()).then(|| (escape::line_within(text, LONG), count))
}

/// The calls that were not sent, in one line, but for those to tools of which it is told why already.
fn withheld(shown: &mut String, report: &Report, told: &[&str], frame: &Frame<'_>) {
    let withheld = || report.withheld.iter().filter(|tool| !told.contains(&tool.tool.as_str()));
    let probes: usize = withheld().map(|tool| tool.probes).sum();
    let mut tools: Vec<&str> = withheld().map(|tool| tool.tool.as_str()).collect();
    if tools.is_empty() {
        return;
    }
    tools.dedup();
    let calls = if probes > 0 { counted(probes, "call", "calls") } else { "calls".to_owned() };
    let names = listed(tools.iter().copied(), TOOLS);
    let text = format!("{calls} to {}: {names} (-v says why)", counted(tools.len(), "tool", "tools"));
    labelled(shown, "not sent", &text, frame);
}

/// A paragraph with a title on its first line.
fn labelled(shown: &mut String, title: &str, text: &str, frame: &Frame<'_>) {
    const MARGIN: usize = 6;
    let strong = frame.theme.strong;
    let lines = wrapped(&format!("{title}: {text}"), frame.columns - MARGIN);
    for (index, line) in lines.iter().enumerate() {
        let _ = match line.strip_prefix(title).filter(|_| index == 0) {
            Some(rest) => writeln!(shown, "{strong}{title}{strong:#}{rest}"),
            None => writeln!(shown, "{:MARGIN$}{line}", ""),
        };
    }
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

/// The judged share of the tools, if more is required.
fn coverage(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    let Some(coverage) = report.coverage.filter(|coverage| !coverage.is_met()) else { return };
    let lack = ("  ".to_owned(), sentence(&coverage.lack(&report.tools)));
    frame.section(shown, "too little was judged", &[lack]);
}

/// Advice if too little was judged, as lines that can be copied.
fn advice(shown: &mut String, conclusion: &Conclusion, frame: &Frame<'_>) {
    let advice = frame.view.advice();
    if advice.is_empty() && matches!(conclusion, Conclusion::Inconclusive(_)) {
        let text = "Every bad call was stopped by the SDK; your tools wrote no error of their own: \
            `[roles.NAME] tool` in `mcp-errconf.toml` says which tool plays a role, and `--cases DIR` \
            adds cases of your own.";
        frame.section(shown, "to have more judged", &[("  ".to_owned(), text.to_owned())]);
    }
    let most = frame.most(6);
    let (lines, options): (Vec<&str>, Vec<&str>) = advice.iter().partition(|lines| lines.starts_with('['));
    for (title, parts) in
        [("add to `mcp-errconf.toml`", lines), ("add to the command line, before `--`", options)]
    {
        if parts.is_empty() {
            continue;
        }
        frame.title(shown, &format!("to have more judged, {title}"));
        for line in parts.iter().take(most).flat_map(|lines| lines.lines()) {
            let _ = writeln!(shown, "  {}", escape::line(line));
        }
        more(shown, parts.len(), most, "; -v lists them");
        shown.push('\n');
    }
}

/// The cases of a run that took long, in one line.
fn slow_cases(shown: &mut String, frame: &Frame<'_>) {
    if let Some(slow) = frame.view.slow_cases(frame.most(SLOW)) {
        labelled(shown, "slow", &slow, frame);
        shown.push('\n');
    }
}

/// Calls of a campaign that take far longer than others of their tool; there is no rule on this.
fn slow(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    if report.slow.is_empty() {
        return;
    }
    let count = counted(report.slow.len(), "call", "calls");
    frame.title(
        shown,
        &format!("slow: {count} that took over a second, and over 20 times as long as a plain call of the same tool"),
    );
    let most = frame.most(SLOW);
    for call in report.slow.iter().take(most) {
        let taken: Vec<String> = call.taken_ms.iter().map(|taken| time(*taken)).collect();
        let (taken, calls) = (taken.join(" and "), in_a_line(&call.input));
        let line = format!("{taken}, a plain call {}: {calls}", time(call.usual_ms));
        let _ = writeln!(shown, "  {}", escape::line_within(&line, frame.columns - 2));
    }
    more(shown, report.slow.len(), most, "; -v lists them");
    shown.push('\n');
}

/// For how many tools of a campaign a successful call is known, and how it was found; each call if details are
/// requested.
fn valid_calls(shown: &mut String, report: &Report, frame: &Frame<'_>) {
    let Some(search) = &report.learnt else { return };
    let tools = counted(search.tools, "tool", "tools");
    frame.title(shown, &format!("a working call is known for {} of {tools}", search.known.len()));
    let left = (search.left > 0)
        .then(|| format!("{} not tried: time or calls ran out", counted(search.left, "tool", "tools")));
    let stale = (!search.stale.is_empty())
        .then(|| format!("kept in the corpus, and refused now: {}", names(&search.stale)));
    for line in [sources(search), left, stale].into_iter().flatten() {
        frame.paragraph(shown, "  ", &line);
    }
    if frame.detail == Detail::Full {
        for call in &search.known {
            frame.paragraph(shown, "  - ", &in_words(call));
        }
    }
    shown.push('\n');
}

fn sources(search: &ValidCallSearch) -> Option<String> {
    let parts: Vec<String> = [
        (FoundBy::Configuration, "from the configuration"),
        (FoundBy::Schema, "from schemas and descriptions"),
        (FoundBy::Refusals, "from what refusals said"),
        (FoundBy::OtherCalls, "from other calls that succeeded"),
    ]
    .into_iter()
    .map(|(source, words)| (search.known.iter().filter(|call| call.by == source).count(), words))
    .filter(|(count, _)| *count > 0)
    .map(|(count, words)| format!("{count} {words}"))
    .collect();
    let calls = counted(usize::try_from(search.calls).unwrap_or(usize::MAX), "call", "calls");
    (!parts.is_empty()).then(|| format!("{} ({calls})", parts.join(", ")))
}

fn in_words(call: &KnownCall) -> String {
    let valid = escape::line_within(&call.valid.to_string(), LONG);
    let mut text = format!("{} {valid}", escape::line_within(&call.tool, 80));
    if !call.first.is_empty() {
        text.push_str(&format!(", after {}", names(&call.first)));
    }
    if let Some(words) = &call.words {
        text.push_str(&format!(", by: {}", escape::line_within(words, LONG)));
    }
    text
}

fn names(tools: &[String]) -> String {
    tools.iter().map(|tool| escape::line_within(tool, 80)).collect::<Vec<_>>().join(", ")
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
