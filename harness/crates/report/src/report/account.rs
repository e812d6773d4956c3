//! The contents that all formats share, in one order: what was sent, what came back, what was promised, how to
//! fix it.
//!
//! Lines are escaped here for showing as text; markup is left to each format.

use crate::baseline::Entry;
use crate::conclusion::Conclusion;
use crate::confinement::{Confinement, SecondSessionResult};
use crate::finding::{Finding, FindingPlace, RunSession, Shared, State};
use crate::judge::{CaseVerdict, Messages, Report, Status, Strictness};

use super::human::Promises;
use crate::signature::fingerprint;
use crate::snapshot::StaleText;
use crate::wording::is_rationed;
use crate::{escape, rules};

/// How much of a reply is shown, in bytes.
const REPLY: usize = 2_000;
/// How much of a call is shown, in columns.
const SENT: usize = 600;
/// How much of the reason for a missing sandbox is shown, in columns: the command that gives one ends it.
const LACK: usize = 600;
/// How many places are listed.
const PLACES: usize = 8;
/// How much of an example is shown, in columns.
const EXAMPLE: usize = 200;

/// The text that came back in three parts, of which the middle one shows the finding. Further content blocks are at its end.
pub(super) struct Reply {
    pub(super) before: String,
    pub(super) marked: String,
    pub(super) after: String,
}

/// The title above stale entries of the baseline.
pub(super) const STALE: &str = "Stale baseline entries, which no longer match any finding";
/// The title above snapshots that can be removed.
pub(super) const GONE: &str = "Snapshots whose texts no longer occur";

/// Stale entries of the baseline, each in one line.
pub(super) fn stale(entries: &[Entry]) -> Vec<String> {
    entries.iter().map(ToString::to_string).collect()
}

/// The files of snapshots that can be removed.
pub(super) fn gone(snapshots: &[StaleText]) -> Vec<String> {
    snapshots.iter().map(|gone| format!("{}.snap", gone.name)).collect()
}

/// Whether a finding counts for the exit code.
pub(super) fn counts(finding: &Finding, strictness: Strictness) -> bool {
    finding.state == State::New && strictness.counts(finding.level)
}

/// What a server that could not be sandboxed was not sent, why, and the command that changes that.
pub(super) fn unsandboxed(report: &Report) -> Option<String> {
    let why = match (&report.server.second, &report.server.confinement) {
        (Some(SecondSessionResult::Missing(why)), _) | (None, Confinement::Unavailable(why)) => why,
        (Some(SecondSessionResult::Driven(_)), _) | (None, Confinement::Off | Confinement::Confined(_)) => {
            return None;
        }
    };
    Some(escape::line_within(why, LACK))
}

/// When a run ended by itself, and what it left out.
pub(super) fn stopped(report: &Report) -> Option<String> {
    let limit = time(report.stopped_after_ms?);
    let cases = &report.summary.cases;
    let is_left = |case: &&CaseVerdict| {
        let is_open = matches!(case.status, Status::Skipped | Status::Errored);
        is_open && case.reason.as_deref().is_some_and(|why| why.starts_with("the time limit of the run"))
    };
    let left = report.cases.iter().filter(is_left).count();
    let left = match left {
        0 => "what comes after these cases was not run".to_owned(),
        left => format!("{left} of {} cases, and what comes after them, were not run", cases.total),
    };
    Some(format!("after {limit}, the time limit (`--max-time`): {left}"))
}

/// That the run used up a limit of the server, and what was not judged because of it.
pub(super) fn used_up(report: &Report) -> Option<String> {
    let is_refused = |case: &&CaseVerdict| {
        case.status == Status::NotJudged && case.reason.as_deref().is_some_and(is_rationed)
    };
    let refused = report.cases.iter().filter(is_refused).count();
    (refused > 0).then(|| {
        format!(
            "the run used up the server's own limit on calls: {refused} of {} cases were refused because of it and are not \
             judged; raise the limit for a run",
            report.summary.cases.total
        )
    })
}

/// Why a run must not look successful although no case failed.
pub(super) fn unjudged(conclusion: &Conclusion) -> Option<String> {
    match conclusion {
        Conclusion::Conformant | Conclusion::Findings(_) => None,
        Conclusion::NotExercised(why) => Some(format!("the server could not be exercised: {why}")),
        Conclusion::NothingSelected(why) => Some(format!("nothing was selected: {why}")),
        Conclusion::NothingJudged => Some("no error reply could be judged".to_owned()),
        Conclusion::Inconclusive(why) | Conclusion::Uncovered(why) => Some(why.clone()),
        Conclusion::Interrupted => Some("the run was interrupted".to_owned()),
    }
}

/// The verdict on a run, in a few words.
pub(super) fn verdict(conclusion: &Conclusion) -> String {
    match conclusion {
        Conclusion::Conformant => "conformant".to_owned(),
        Conclusion::Findings(1) => "1 failing finding".to_owned(),
        Conclusion::Findings(count) => format!("{count} failing findings"),
        other => escape::line(&in_one_line(&unjudged(other).unwrap_or_default())),
    }
}

/// A reason of several lines as one.
pub(super) fn in_one_line(why: &str) -> String {
    why.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Advice on getting more of the tools judged, without duplicates, if too little was judged.
pub(super) fn next<'r>(report: &'r Report, conclusion: &Conclusion) -> Vec<&'r str> {
    let is_short = report.coverage.is_some_and(|coverage| !coverage.is_met());
    if !is_short && !matches!(conclusion, Conclusion::NothingJudged | Conclusion::Inconclusive(_)) {
        return Vec::new();
    }
    let mut next: Vec<&str> = Vec::new();
    for lines in report.tools.iter().filter(|tool| tool.own == 0).filter_map(|tool| tool.next.as_deref()) {
        if !next.contains(&lines) {
            next.push(lines);
        }
    }
    next
}

/// The figures of a run, in one line.
pub(super) fn figures(report: &Report) -> String {
    let cases = &report.summary.cases;
    // Cases that could not be judged do not count as failed.
    let judged = cases.passed + cases.failed;
    let could_be = if judged < cases.total { " that could be judged" } else { "" };
    let mut parts = vec![format!("{} of {judged} cases{could_be} passed", cases.passed)];
    for (count, word) in [
        (cases.failed, "failed"),
        (cases.not_judged, "not judged"),
        (cases.skipped, "skipped"),
        (cases.errored, "errored"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    }
    let findings = &report.summary.findings;
    parts.push(format!(
        "findings: {} Must, {} Should, {} Note",
        findings.must, findings.should, findings.note
    ));
    parts.push(format!("{} error replies to {} calls", report.summary.error_replies, report.summary.calls));
    if report.summary.messages.judged > 0 {
        parts.push(messages(report));
    }
    parts.join(", ")
}

/// The measure of messages in words.
pub(super) fn messages(report: &Report) -> String {
    let Messages { judged, fixable } = report.summary.messages;
    let calls = if judged == 1 { "bad call" } else { "bad calls" };
    format!("{fixable} of {judged} {calls} can be fixed from the message alone")
}

/// The server's own name and version, or its command.
pub(super) fn server(report: &Report) -> String {
    let server = &report.server;
    let who = match (server.name.as_str(), server.version.as_str()) {
        ("", _) => server.command.join(" "),
        (name, "") => name.to_owned(),
        (name, version) => format!("{name} {version}"),
    };
    let who = escape::line_within(&who, 120);
    if server.bundled { format!("{who} (the bundled reference server)") } else { who }
}

/// The server's command line after `--`, a secret in it by its name; left out if it is unknown.
pub(super) fn server_words(report: &Report) -> String {
    let words = &report.server.command;
    match report.server.bundled || words.is_empty() {
        true => String::new(),
        false => {
            let words: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
            format!(" -- {}", words.join(" "))
        }
    }
}

/// A number of milliseconds in readable units.
pub(super) fn time(milliseconds: u64) -> String {
    match milliseconds {
        0..1_000 => format!("{milliseconds} ms"),
        1_000..10_000 => format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100),
        10_000..100_000 => format!("{} s", milliseconds / 1_000),
        _ => format!("{} min {} s", milliseconds / 60_000, milliseconds % 60_000 / 1_000),
    }
}

/// A word of a command line as it would be typed.
pub fn shell_word(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_./:=@%+,{}".contains(char);
    let shown = escape::line_within(word, 200);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => shown,
        false => format!("'{}'", shown.replace('\'', r"'\''")),
    }
}

/// What was sent.
pub(super) fn sent(finding: &Finding) -> String {
    match finding.sent.is_null() {
        true => "(nothing)".to_owned(),
        false => escape::line_within(&finding.sent.to_string(), SENT),
    }
}

/// What came back; none if there was no text.
pub(super) fn reply(finding: &Finding) -> Option<Reply> {
    let evidence = finding.evidence.as_ref()?.bounded(REPLY);
    let whole = (evidence.text.len(), evidence.text.len());
    let (start, end) = evidence.span.unwrap_or(whole);
    let part = |from: usize, to: usize| lines(evidence.text.get(from..to).unwrap_or_default());
    let blocks = evidence.more.iter().map(|block| format!("\n{}", lines(block))).collect::<String>();
    let after = part(end, evidence.text.len()) + &blocks;
    Some(Reply { before: part(0, start), marked: part(start, end), after })
}

impl Reply {
    /// The whole text.
    pub(super) fn text(&self) -> String {
        format!("{}{}{}", self.before, self.marked, self.after)
    }
}

/// The hash by which code hosts identify findings across runs: of the cause, or if that is unknown, of rule,
/// tools and error signature.
pub(super) fn identity(finding: &Finding) -> String {
    if let Some(cause) = &finding.cause {
        return cause.id.clone();
    }
    // The tool of a finding, or those that it stands for.
    let mut tools: Vec<&str> = finding.places.iter().filter_map(|place| place.tool.as_deref()).collect();
    tools.sort_unstable();
    tools.dedup();
    let tools = finding.tool.clone().unwrap_or_else(|| tools.join(","));
    fingerprint(&[&finding.rule, &tools, &finding.signature])
}

/// What was promised, and where.
pub(super) fn promised(finding: &Finding, promises: &Promises) -> String {
    match promises.sentence(&finding.requirement).or_else(|| rules::promise(&finding.requirement)) {
        Some(sentence) => escape::line(&format!("{}: {sentence}", finding.requirement)),
        None => escape::line(&finding.requirement),
    }
}

/// The text in place of a case's id, for calls that belong to no case.
pub(super) fn without_case(finding: &Finding) -> &'static str {
    if finding.input.is_some() { "found by fuzzing" } else { "outside any case" }
}

/// For a campaign: whether the input shows the finding each time, in words.
pub(super) fn confirmed(finding: &Finding) -> Option<String> {
    Some(match (finding.stable?, &finding.unconfirmed) {
        (_, Some(why)) => format!("not confirmed: {}", escape::line_within(why, 200)),
        (true, None) => "stable: it reproduces every time in a fresh process".to_owned(),
        (false, None) => "flaky: it was seen, but does not reproduce every time in a fresh \
            process"
            .to_owned(),
    })
}

/// For a campaign: the command that replays the finding, or how to get one.
pub(super) fn replay(finding: &Finding) -> Option<String> {
    finding.stable?;
    Some(match &finding.replay {
        Some(command) => escape::line(command),
        None => "use `--findings DIR` to get a file for each finding, and a command that replays \
            it"
        .to_owned(),
    })
}

/// For a campaign: how many calls showed the finding, if these were several.
pub(super) fn shown_by(finding: &Finding) -> Option<String> {
    (finding.input.is_some() && finding.count > 1).then(|| format!("{} calls showed it", finding.count))
}

/// For a campaign: other calls that showed the finding, each in one line.
pub(super) fn examples(finding: &Finding) -> Vec<String> {
    finding.examples.iter().map(|call| escape::line_within(&call.to_string(), EXAMPLE)).collect()
}

/// For a finding with several places: how many places and tools, and what they share.
pub(super) fn extent(finding: &Finding) -> Option<String> {
    let (places, tools) = (finding.places.len(), finding.tools());
    let is_told = places > 1 && (tools > 1 || !finding.wordings.is_empty());
    let cause = finding.cause.as_ref().filter(|_| is_told)?;
    let of_tools = if tools > 1 { format!(" of {tools} tools") } else { String::new() };
    let shared = match cause.shared {
        Shared::Words => "the same wording, apart from the values",
        Shared::Fault => "the same fault",
        Shared::Server => "the error format that most tools use",
        Shared::Tool => "the same tool",
        Shared::Validation => "the validation of an MCP SDK",
    };
    Some(format!("{places} places{of_tools}, one cause: {shared}"))
}

/// A note for places that only the second session shows, because the call is not sent without confinement.
pub(super) fn session(place: &FindingPlace) -> &'static str {
    match place.session {
        RunSession::First => "",
        RunSession::Confined => " (confined)",
    }
}

/// The other places of the finding.
pub(super) fn places(finding: &Finding) -> String {
    let place = |place: &FindingPlace| {
        let case = place.case.as_ref().map_or(without_case(finding), |case| case.0.as_str());
        let tool = place.tool.as_deref().map(|tool| format!(" ({tool})")).unwrap_or_default();
        format!("{}{}", escape::line_within(&format!("{case}{tool}"), 160), session(place))
    };
    let mut shown: Vec<String> = finding.places.iter().take(PLACES).map(place).collect();
    if finding.places.len() > PLACES {
        shown.push(format!("and {} more", finding.places.len() - PLACES));
    }
    shown.join(", ")
}

/// Escaped text that keeps its line breaks.
pub(super) fn lines(text: &str) -> String {
    text.split('\n').map(escape::line).collect::<Vec<_>>().join("\n")
}

/// The whole account in separate lines, without markup.
pub(super) fn plain(finding: &Finding, promises: &Promises) -> Vec<String> {
    let reply = reply(finding).map_or("(no text)".to_owned(), |reply| escape::line(&reply.text()));
    let mut lines = vec![
        format!("sent: {}", sent(finding)),
        format!("reply: {reply}"),
        format!("expected: {}", promised(finding, promises)),
        format!("help: {}", escape::line(&finding.help)),
        format!("shown in: {}", places(finding)),
    ];
    lines.extend(extent(finding).map(|extent| format!("cause: {extent}")));
    lines.extend(confirmed(finding).map(|confirmed| format!("confirmed: {confirmed}")));
    lines.extend(shown_by(finding).map(|count| format!("count: {count}")));
    lines.extend(examples(finding).into_iter().map(|call| format!("example: {call}")));
    lines.extend(replay(finding).map(|replay| format!("replay: {replay}")));
    lines
}
