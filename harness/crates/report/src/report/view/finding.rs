//! One finding: what was sent, what came back, what was promised, how to fix it, where it shows, and how to see it again.

use std::collections::BTreeMap;

use crate::escape;
use crate::finding::{Finding, FindingPlace, RunSession, Shared, State};
use crate::rules::{self, Rule};
use crate::signature::fingerprint;

use super::ReportView;
use super::call::{self, Call};
use crate::report::given::NextKind;
use crate::report::words::{counted, lines, shell_word};

/// How much of a reply is shown, in bytes.
const REPLY: usize = 2_000;
/// How many places are listed.
const PLACES: usize = 8;
/// How much of an example is shown, in columns.
const EXAMPLE: usize = 200;

/// A finding in the report that shows it.
#[derive(Clone, Copy)]
pub(in crate::report) struct FindingView<'r> {
    pub(in crate::report) view: ReportView<'r>,
    pub(in crate::report) finding: &'r Finding,
}

/// The text that came back in three parts, of which the middle one shows the finding. Further content blocks are at its end.
pub(in crate::report) struct Reply {
    pub(in crate::report) before: String,
    pub(in crate::report) marked: String,
    pub(in crate::report) after: String,
}

impl Reply {
    /// The whole text.
    pub(in crate::report) fn text(&self) -> String {
        format!("{}{}{}", self.before, self.marked, self.after)
    }
}

/// A note for places that only the second session shows, because the call is not sent without confinement.
pub(in crate::report) fn session(place: &FindingPlace) -> &'static str {
    match place.session {
        RunSession::First => "",
        RunSession::Confined => " (confined)",
    }
}

impl<'r> FindingView<'r> {
    /// Whether the finding counts for the exit code.
    pub(in crate::report) fn counts(self) -> bool {
        self.finding.state == State::New && self.view.settings.strictness.counts(self.finding.level)
    }

    /// The finding's rule; `None` if this version has none of this id.
    pub(in crate::report) fn rule(self) -> Option<&'static Rule> {
        rules::all().iter().find(|rule| rule.id == self.finding.rule).copied()
    }

    /// What is wrong, in a line.
    pub(in crate::report) fn message(self) -> String {
        escape::line(&self.finding.message)
    }

    /// The tool, or how many tools it concerns.
    pub(in crate::report) fn tool(self) -> String {
        let first = || self.finding.places.first().and_then(|place| place.tool.as_deref());
        let tool = match (&self.finding.tool, self.finding.tools()) {
            (Some(tool), _) => Some(tool.as_str()),
            (None, 0 | 1) => first().filter(|_| !self.finding.wordings.is_empty()),
            (None, tools) => return counted(tools, "tool", "tools"),
        };
        tool.map_or("server".to_owned(), |tool| escape::line_within(tool, 80))
    }

    /// The text in place of a case's id, for calls that belong to no case.
    pub(in crate::report) fn without_case(self) -> &'static str {
        if self.finding.input.is_some() { "found by fuzzing" } else { "outside any case" }
    }

    /// Which of its places a baseline lists; nothing where none is.
    pub(in crate::report) fn known(self) -> String {
        let places = &self.finding.places;
        let known = places.iter().filter(|place| place.state == State::Known).count();
        match (self.finding.state, known) {
            (State::Known, _) => " (known)".to_owned(),
            (State::New, 0) => String::new(),
            (State::New, known) => format!(" ({known} of {} places known)", places.len()),
        }
    }

    /// The calls that were sent.
    pub(in crate::report) fn calls(self) -> Vec<Call<'r>> {
        Call::all(&self.finding.sent)
    }

    /// Where the text that came back stood, as a label and as a title: a process that does not answer says why on standard
    /// error.
    pub(in crate::report) fn source(self) -> (&'static str, &'static str) {
        match self.finding.evidence.is_some() && self.finding.rule.starts_with("liveness/") {
            true => ("stderr", "Standard error"),
            false => ("reply", "Reply"),
        }
    }

    /// What came back; none if there was no text.
    pub(in crate::report) fn reply(self) -> Option<Reply> {
        let evidence = self.finding.evidence.as_ref()?.bounded(REPLY);
        let whole = (evidence.text.len(), evidence.text.len());
        let (start, end) = evidence.span.unwrap_or(whole);
        let part = |from: usize, to: usize| lines(evidence.text.get(from..to).unwrap_or_default());
        let blocks = evidence.more.iter().map(|block| format!("\n{}", lines(block))).collect::<String>();
        let after = part(end, evidence.text.len()) + &blocks;
        Some(Reply { before: part(0, start), marked: part(start, end), after })
    }

    /// What was promised, and where.
    pub(in crate::report) fn expected(self) -> String {
        let id = self.finding.requirement.as_str();
        match (self.view.settings.promises.sentence(id), self.rule()) {
            (Some(sentence), _) => escape::line(&format!("{sentence} ({id})")),
            // The contract has no sentence for it.
            (None, Some(rule)) => escape::line(&format!("This is ruled out: {} ({id})", rule.page().summary)),
            (None, None) => escape::line(id),
        }
    }

    /// How to fix it, and the text to write for this call where one can be proposed.
    pub(in crate::report) fn fix(self) -> (&'r str, Option<&'r str>) {
        rules::suggested(&self.finding.help)
    }

    /// For a finding with several places: how many places and tools, and what they share.
    pub(in crate::report) fn cause(self) -> Option<String> {
        let (places, tools) = (self.finding.places.len(), self.finding.tools());
        let is_told = places > 1 && (tools > 1 || !self.finding.wordings.is_empty());
        let cause = self.finding.cause.as_ref().filter(|_| is_told)?;
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

    /// In how many places it shows, if in several, in parentheses.
    pub(in crate::report) fn extent(self) -> String {
        match (self.finding.places.len(), self.finding.tools()) {
            (0 | 1, _) => String::new(),
            (places, 0 | 1) => format!(" ({places} places)"),
            (places, tools) => format!(" ({places} places in {tools} tools)"),
        }
    }

    /// The tools of these places, each with the number of its places, those with the most first.
    pub(in crate::report) fn tools_of(places: &'r [FindingPlace]) -> Vec<(&'r str, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for place in places {
            *counts.entry(place.tool.as_deref().unwrap_or("(no tool)")).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts
    }

    /// Its places, in a line.
    pub(in crate::report) fn places(self) -> String {
        let place = |place: &FindingPlace| {
            let case = place.case.as_ref().map_or(self.without_case(), |case| case.0.as_str());
            let tool = place.tool.as_deref().map(|tool| format!(" ({tool})")).unwrap_or_default();
            format!("{}{}", escape::line_within(&format!("{case}{tool}"), 160), session(place))
        };
        let mut shown: Vec<String> = self.finding.places.iter().take(PLACES).map(place).collect();
        if let Some(more @ 1..) = self.finding.places.len().checked_sub(PLACES) {
            shown.push(format!("and {more} more"));
        }
        shown.join(", ")
    }

    /// For a campaign: whether the input shows the finding each time, in words.
    pub(in crate::report) fn confirmed(self) -> Option<String> {
        Some(match (self.finding.stable?, &self.finding.unconfirmed) {
            (_, Some(why)) => format!("not confirmed: {}", escape::line_within(why, 200)),
            (true, None) => "stable: it reproduces every time in a fresh process".to_owned(),
            (false, None) => {
                "flaky: it was seen, but does not reproduce every time in a fresh process".to_owned()
            }
        })
    }

    /// For a campaign: how many calls showed the finding, if these were several.
    pub(in crate::report) fn shown_by(self) -> Option<String> {
        (self.finding.input.is_some() && self.finding.count > 1)
            .then(|| format!("{} calls showed it", self.finding.count))
    }

    /// For a campaign: other calls that showed the finding, each in one line.
    pub(in crate::report) fn examples(self) -> Vec<String> {
        let example = |sent| escape::line_within(&call::in_a_line(sent), EXAMPLE);
        self.finding.examples.iter().map(example).collect()
    }

    /// The command that shows the finding again: it replays the input of a campaign, or runs the case.
    pub(in crate::report) fn reproduce(self) -> Option<String> {
        if let Some(replay) = &self.finding.replay {
            return Some(escape::line(replay));
        }
        let case = self.finding.case.as_ref().filter(|_| self.finding.stable.is_none())?;
        let seed = match self.view.report.seed {
            0 => String::new(),
            seed => format!(" --seed {seed}"),
        };
        self.view.command(&format!("run --filter {}{seed}", shell_word(&case.0)), NextKind::Case)
    }

    /// For a campaign that kept no inputs: how to get a command that replays the finding.
    pub(in crate::report) fn without_replay(self) -> Option<&'static str> {
        (self.finding.stable.is_some() && self.finding.replay.is_none())
            .then_some("use `--findings DIR` to get a file for each finding, and a command that replays it")
    }

    /// The whole account, each part with its label, for formats without markup.
    pub(in crate::report) fn account(self) -> Vec<(&'static str, String)> {
        let reply = self.reply().map_or("(no text)".to_owned(), |reply| reply.text());
        let calls: Vec<String> = self.calls().iter().map(Call::line).collect();
        let mut parts = vec![
            ("sent", calls.join(", then ")),
            (self.source().0, reply),
            ("expected", self.expected()),
            ("help", lines(&self.finding.help)),
            ("shown in", self.places()),
        ];
        parts.extend(self.cause().map(|cause| ("cause", cause)));
        parts.extend(self.confirmed().map(|confirmed| ("confirmed", confirmed)));
        parts.extend(self.shown_by().map(|count| ("count", count)));
        parts.extend(self.examples().into_iter().map(|call| ("example", call)));
        let again = self.reproduce().or_else(|| self.without_replay().map(str::to_owned));
        parts.extend(again.map(|command| ("reproduce", command)));
        parts
    }

    /// The account with a line for each part.
    pub(in crate::report) fn account_in_lines(self) -> Vec<String> {
        let line = |(label, text): (&str, String)| format!("{label}: {}", escape::line(&text));
        self.account().into_iter().map(line).collect()
    }

    /// The hash by which code hosts identify findings across runs: of the cause, or if that is unknown, of rule, tools and
    /// error signature.
    pub(in crate::report) fn identity(self) -> String {
        let finding = self.finding;
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
}
