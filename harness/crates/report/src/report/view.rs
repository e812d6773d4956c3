//! What a report shows, in which order and in which words, whatever its format.
//!
//! The main types are [`ReportView`] and [`FindingView`]. A format asks them for its parts and adds nothing but markup and
//! layout. Texts are escaped here for showing as text; markup is left to each format.

use crate::baseline::Entry;
use crate::conclusion::Conclusion;
use crate::confinement::{Confinement, SecondSessionResult};
use crate::escape;
use crate::finding::{Level, State};
use crate::judge::{CaseVerdict, Messages, Report, SlowCase, Status};
use crate::snapshot::{StaleKind, StaleText};
use crate::wording::is_rationed;

use super::ReportSettings;
use super::words::{counted, grouped, listed, shell_word, time};

mod call;
mod ending;
mod finding;

pub(super) use call::{Call, in_a_line};
pub(super) use ending::Tone;
pub(super) use finding::{FindingView, session};

/// How much of the reason for a missing sandbox is shown, in columns: the command that gives one ends it.
const LACK: usize = 600;
/// Cases that took at least this long are slow, in words.
const SLOW: &str = "5 s";

/// A run that was judged, and what its report needs beside it.
#[derive(Clone, Copy)]
pub struct ReportView<'r> {
    pub(super) report: &'r Report,
    pub(super) conclusion: &'r Conclusion,
    pub(super) settings: &'r ReportSettings,
    /// The entries of the baseline that match nothing any more.
    pub(super) stale: &'r [Entry],
    /// The snapshots whose texts no longer occur.
    pub(super) gone: &'r [StaleText],
    /// The cases that took long.
    pub(super) slow: &'r [SlowCase],
}

/// What limits a verdict, or what to know before it is read.
pub(super) struct Notice {
    pub(super) label: &'static str,
    pub(super) text: String,
    /// Whether something could not be judged.
    pub(super) is_warning: bool,
}

/// Something that the user can remove.
pub(super) struct Removable {
    pub(super) title: String,
    /// What to do.
    pub(super) about: &'static str,
    pub(super) items: Vec<String>,
}

/// Why cases of one status have no verdict.
pub(super) struct UnjudgedReason<'r> {
    pub(super) reason: String,
    pub(super) cases: Vec<&'r CaseVerdict>,
}

impl<'r> ReportView<'r> {
    /// The view of a run alone.
    pub fn new(report: &'r Report, conclusion: &'r Conclusion, settings: &'r ReportSettings) -> Self {
        Self { report, conclusion, settings, stale: &[], gone: &[], slow: &[] }
    }

    /// The server's own name and version, or its command.
    pub(super) fn server(self) -> String {
        let server = &self.report.server;
        let who = match (server.name.as_str(), server.version.as_str()) {
            ("", _) => server.command.join(" "),
            (name, "") => name.to_owned(),
            (name, version) => format!("{name} {version}"),
        };
        let who = escape::line_within(&who, 120);
        if server.bundled { format!("{who} (the bundled reference server)") } else { who }
    }

    /// The server's command line as it would be typed.
    pub(super) fn server_command(self) -> String {
        self.report.server.command.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
    }

    /// The findings in the order of their harm.
    pub(super) fn findings(self) -> impl Iterator<Item = FindingView<'r>> {
        self.report.findings.iter().map(move |finding| FindingView { view: self, finding })
    }

    /// The findings of one state, in the order of their harm.
    pub(super) fn in_state(self, state: State) -> impl Iterator<Item = FindingView<'r>> {
        self.findings().filter(move |shown| shown.finding.state == state)
    }

    /// The finding to fix first: the most harmful that fails the run or, where none does, that asks for a change.
    pub(super) fn first(self) -> Option<FindingView<'r>> {
        let asks = |shown: &FindingView<'r>| shown.finding.level > Level::Note;
        self.in_state(State::New)
            .find(|shown| shown.counts())
            .or_else(|| self.in_state(State::New).find(asks))
    }

    /// The most harmful finding that the baseline accepts.
    pub(super) fn first_known(self) -> Option<FindingView<'r>> {
        self.in_state(State::Known).find(|shown| shown.finding.level > Level::Note)
    }

    /// What limits the verdict.
    pub(super) fn notices(self) -> Vec<Notice> {
        let contract = self.report.contract.looks_like.as_ref().map(|other| {
            format!("most error replies use the codes of {other}: `--contract {other}` judges by that one")
        });
        let notices = [
            ("stopped", self.stopped()),
            ("limit", self.used_up()),
            ("sandbox", self.unsandboxed()),
            ("contract", contract),
        ];
        let notice = |(label, text): (&'static str, Option<String>)| {
            Some(Notice { label, text: text?, is_warning: label != "contract" })
        };
        notices.into_iter().filter_map(notice).collect()
    }

    /// When a run ended by itself, and what it left out.
    pub(super) fn stopped(self) -> Option<String> {
        let limit = time(self.report.stopped_after_ms?);
        let is_left = |case: &&CaseVerdict| {
            let is_open = matches!(case.status, Status::Skipped | Status::Errored);
            is_open && case.reason.as_deref().is_some_and(|why| why.starts_with("the time limit of the run"))
        };
        let left = match self.report.cases.iter().filter(is_left).count() {
            0 => "what comes after these cases was not run".to_owned(),
            left => {
                let total = self.report.summary.cases.total;
                format!("{left} of {total} cases, and what comes after them, were not run")
            }
        };
        Some(format!("after {limit}, the time limit (`--max-time`): {left}"))
    }

    /// That the run used up a limit of the server, and what was not judged because of it.
    fn used_up(self) -> Option<String> {
        let is_refused = |case: &&CaseVerdict| {
            case.status == Status::NotJudged && case.reason.as_deref().is_some_and(is_rationed)
        };
        let refused = self.report.cases.iter().filter(is_refused).count();
        (refused > 0).then(|| {
            format!(
                "the run used up the server's own limit on calls: {refused} of {} cases were refused because of it and are \
                 not judged; raise the limit for a run",
                self.report.summary.cases.total
            )
        })
    }

    /// That a server could not be sandboxed, what it was not sent, why, and the command that changes that.
    fn unsandboxed(self) -> Option<String> {
        let why = match (&self.report.server.second, &self.report.server.confinement) {
            (Some(SecondSessionResult::Missing(why)), _) | (None, Confinement::Unavailable(why)) => why,
            (Some(SecondSessionResult::Driven(_)), _)
            | (None, Confinement::Off | Confinement::Confined(_)) => {
                return None;
            }
        };
        Some(format!("none: {}", escape::line_within(why, LACK)))
    }

    /// The numbers of cases, calls and error replies.
    pub(super) fn cases(self) -> String {
        let (summary, cases) = (&self.report.summary, &self.report.summary.cases);
        let counts = [
            (cases.passed, Status::Passed),
            (cases.failed, Status::Failed),
            (cases.not_judged, Status::NotJudged),
            (cases.skipped, Status::Skipped),
            (cases.errored, Status::Errored),
        ];
        let parts = counts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<_> = parts.map(|(count, of)| format!("{} {}", grouped(*count), of.words())).collect();
        let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
        format!(
            "{}{parts}; {}, {}",
            grouped(cases.total),
            counted(summary.calls, "call", "calls"),
            counted(summary.error_replies, "error reply", "error replies"),
        )
    }

    /// How many bad calls can be fixed from the message alone; `None` if no message was judged.
    pub(super) fn messages(self) -> Option<String> {
        let Messages { judged, fixable } = self.report.summary.messages;
        let calls = counted(judged, "bad call", "bad calls");
        (judged > 0).then(|| format!("{} of {calls} can be fixed from the message alone", grouped(fixable)))
    }

    /// The figures of a run, in one line.
    pub(super) fn figures(self) -> String {
        let cases = [Some(format!("cases: {}", self.cases())), self.messages()];
        cases.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// The cases of one status by their reason, the most frequent first; `masked` says which reasons are one.
    pub(super) fn reasons(self, of: Status, masked: impl Fn(&str) -> String) -> Vec<UnjudgedReason<'r>> {
        // A failed case has a reason only if its control did not succeed.
        let is_listed =
            |case: &&CaseVerdict| case.status == of && (of != Status::Failed || case.reason.is_some());
        let mut reasons: Vec<UnjudgedReason<'r>> = Vec::new();
        for case in self.report.cases.iter().filter(is_listed) {
            let reason = masked(case.reason.as_deref().unwrap_or("no reason was recorded"));
            match reasons.iter_mut().find(|other| other.reason == reason) {
                Some(other) => other.cases.push(case),
                None => reasons.push(UnjudgedReason { reason, cases: vec![case] }),
            }
        }
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.cases.len()));
        reasons
    }

    /// Advice on getting more of the tools judged, without duplicates, if too little was judged.
    pub(super) fn advice(self) -> Vec<&'r str> {
        let is_short = self.report.coverage.is_some_and(|coverage| !coverage.is_met());
        if !is_short && !matches!(self.conclusion, Conclusion::NothingJudged | Conclusion::Inconclusive(_)) {
            return Vec::new();
        }
        let mut advice: Vec<&str> = Vec::new();
        for lines in
            self.report.tools.iter().filter(|tool| tool.own == 0).filter_map(|tool| tool.next.as_deref())
        {
            if !advice.contains(&lines) {
                advice.push(lines);
            }
        }
        advice
    }

    /// The cases that took long, in one line with at most so many names.
    pub(super) fn slow_cases(self, most: usize) -> Option<String> {
        let case = |slow: &SlowCase| format!("{} ({})", slow.case, time(slow.taken_ms));
        let names = listed(self.slow.iter().map(case), most);
        let cases = counted(self.slow.len(), "case", "cases");
        (!self.slow.is_empty()).then(|| format!("{cases} took over {SLOW}: {names}"))
    }

    /// What the baseline and the snapshots hold that no longer occurs.
    pub(super) fn removable(self) -> Vec<Removable> {
        let gone = |gone: &StaleText| {
            let why = match gone.what {
                StaleKind::Case => "the case no longer exists",
                StaleKind::Reply => "the case did not produce this error",
            };
            format!("{}.snap: {why}", escape::line_within(&gone.name, 200))
        };
        let removable = [
            Removable {
                title: format!("stale in the baseline: {}", counted(self.stale.len(), "entry", "entries")),
                about: "The findings that these accept no longer occur: `--update-baseline` removes them.",
                items: self.stale.iter().map(|entry| escape::line(&entry.to_string())).collect(),
            },
            Removable {
                title: format!("not seen again: {}", counted(self.gone.len(), "snapshot", "snapshots")),
                about: "Their error texts no longer occur: delete the files if that is intended.",
                items: self.gone.iter().map(gone).collect(),
            },
        ];
        removable.into_iter().filter(|removable| !removable.items.is_empty()).collect()
    }
}
