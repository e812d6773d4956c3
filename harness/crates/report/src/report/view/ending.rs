//! The verdict, the reason for the exit code, and the command that comes next.

use crate::conclusion::Conclusion;
use crate::contract;
use crate::escape;
use crate::finding::{Level, State};
use crate::judge::{Coverage, FindingCounts};
use crate::transcript::{Chosen, IN_PROCESS};

use super::ReportView;
use crate::report::Detail;
use crate::report::given::{GivenCommand, NextKind, ServerGiven};
use crate::report::words::{counted, in_one_line, shell_word};

/// The verdict on a run.
pub(in crate::report) struct Verdict<'r> {
    pub(in crate::report) tone: Tone,
    /// Whether there is one: the run judged what it was to judge.
    is_given: bool,
    /// The verdict itself.
    pub(in crate::report) words: String,
    /// Why there is none; it may have several lines, and hold a server's words.
    pub(in crate::report) why: Option<&'r str>,
    /// The findings by level, where they belong to it.
    pub(in crate::report) findings: Option<String>,
}

/// What a verdict means for the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum Tone {
    Good,
    Bad,
    /// There is no verdict.
    Open,
}

impl Verdict<'_> {
    /// All of it in one line.
    pub(in crate::report) fn in_a_line(&self) -> String {
        let why = self.why.map(|why| format!(": {}", escape::line(&in_one_line(why)))).unwrap_or_default();
        let before = if self.is_given { ": " } else { "; " };
        let findings =
            self.findings.as_ref().map(|findings| format!("{before}{findings}")).unwrap_or_default();
        format!("{}{why}{findings}", self.words)
    }
}

impl<'r> ReportView<'r> {
    /// The verdict on the run.
    pub(in crate::report) fn verdict(self) -> Verdict<'r> {
        let cases = &self.report.summary.cases;
        let open = cases.not_judged + cases.skipped + cases.errored;
        let findings = Some(self.findings_by_level());
        let none = |why: &str| format!("no verdict: {why}");
        let (tone, words, why, findings) = match self.conclusion {
            Conclusion::Conformant => {
                let words = match open {
                    0 if self.report.stopped_after_ms.is_none() => "conformant".to_owned(),
                    0 => "conformant as far as it was tested".to_owned(),
                    open => format!(
                        "conformant as far as it was tested ({open} of {} cases were not run or not judged)",
                        cases.total
                    ),
                };
                (Tone::Good, words, None, findings)
            }
            Conclusion::Findings(_) => (Tone::Bad, "not conformant".to_owned(), None, findings),
            Conclusion::NotExercised(why) => {
                (Tone::Open, none("the server could not be exercised"), Some(why.as_str()), None)
            }
            Conclusion::NothingSelected(why) => {
                (Tone::Open, none("nothing was selected"), Some(why.as_str()), None)
            }
            Conclusion::NothingJudged => {
                let why = "no tool answered a call with an error, so no error reply was judged";
                (Tone::Open, none(why), None, findings)
            }
            Conclusion::Inconclusive(why) => {
                (Tone::Open, "no verdict".to_owned(), Some(why.as_str()), findings)
            }
            Conclusion::Uncovered(why) => {
                (Tone::Bad, none("too little was judged"), Some(Coverage::figures_of(why)), findings)
            }
            Conclusion::Interrupted => {
                let so_far = findings.map(|findings| format!("so far {findings}"));
                (Tone::Open, none("the run was interrupted"), None, so_far)
            }
        };
        let is_given = matches!(self.conclusion, Conclusion::Conformant | Conclusion::Findings(_));
        Verdict { tone, is_given, words, why, findings }
    }

    /// The verdict in one line, for where no report is shown.
    pub fn verdict_in_a_line(self) -> String {
        self.verdict().in_a_line()
    }

    /// Why a run must not look successful although no case failed, in one line.
    pub(in crate::report) fn failure(self) -> Option<String> {
        Some(self.verdict()).filter(|verdict| !verdict.is_given).map(|verdict| verdict.in_a_line())
    }

    /// Findings by level in words.
    fn findings_by_level(self) -> String {
        let counts: &FindingCounts = &self.report.summary.findings;
        let levels = [(counts.must, "Must"), (counts.should, "Should"), (counts.note, "Note")];
        let found: Vec<_> = levels.iter().filter(|(count, _)| *count > 0).collect();
        let total = found.iter().map(|(count, _)| count).sum();
        let parts: Vec<_> = found.iter().map(|(count, level)| format!("{count} {level}")).collect();
        let words = match parts.is_empty() {
            true => "no findings".to_owned(),
            false => format!("{} ({})", counted(total, "finding", "findings"), parts.join(", ")),
        };
        match self.in_state(State::Known).count() {
            0 => words,
            known => format!("{words}, {known} of them known"),
        }
    }

    /// The finding to fix first, in one sentence.
    pub(in crate::report) fn fix_first(self) -> Option<String> {
        self.first()
            .map(|first| format!("{}: {}{}", first.finding.rule, first.finding.message, first.extent()))
    }

    /// The exit code with its reason.
    pub(in crate::report) fn exit(self) -> String {
        format!("{}: {}", self.conclusion.exit_code(), self.because())
    }

    /// The reason for the exit code.
    fn because(self) -> String {
        let new =
            |level: Level| self.in_state(State::New).filter(|shown| shown.finding.level == level).count();
        let (must, should) = (new(Level::Must), new(Level::Should));
        let of = |count: usize, level: &str| {
            counted(count, &format!("{level} finding"), &format!("{level} findings"))
        };
        match self.conclusion {
            Conclusion::Conformant if should > 0 => {
                format!("No Must finding. With --strict, {} would fail the run.", of(should, "Should"))
            }
            Conclusion::Conformant if self.in_state(State::Known).next().is_some() => {
                "All failing findings are in the baseline.".to_owned()
            }
            Conclusion::Conformant => "No finding fails the run.".to_owned(),
            Conclusion::Findings(counting) if *counting > must => match must {
                0 => format!("{} (--strict).", of(should, "Should")),
                must => format!("{} and {} (--strict).", of(must, "Must"), of(should, "Should")),
            },
            Conclusion::Findings(_) if should > 0 => {
                format!("{} (Should findings fail the run only with --strict).", of(must, "Must"))
            }
            Conclusion::Findings(_) => format!("{}.", of(must, "Must")),
            Conclusion::Uncovered(_) => {
                "Fewer tools were judged than `[coverage] tools` asks for.".to_owned()
            }
            Conclusion::NotExercised(_) => "The server could not be exercised.".to_owned(),
            Conclusion::NothingSelected(_) => "Nothing was selected.".to_owned(),
            Conclusion::NothingJudged | Conclusion::Inconclusive(_) => {
                "No error written by a tool itself was judged.".to_owned()
            }
            Conclusion::Interrupted => "The run was interrupted.".to_owned(),
        }
    }

    /// The command that comes next, ready to be typed.
    pub(in crate::report) fn next(self) -> String {
        let given = &self.settings.given;
        // A campaign that looked for no successful call says nothing of them.
        let of_campaign = given.command == GivenCommand::Fuzz || self.report.learnt.is_some();
        let or_doctor = |own: &str, next: NextKind| {
            self.command(own, next).unwrap_or_else(|| "mcp-errconf doctor".to_owned())
        };
        match self.conclusion {
            Conclusion::Findings(_) => match self.first() {
                Some(first) => match &first.finding.replay {
                    Some(replay) => escape::line(replay),
                    None => format!("mcp-errconf explain {}", escape::line(&first.finding.rule)),
                },
                None => "mcp-errconf list rules".to_owned(),
            },
            Conclusion::Conformant if self.report.server.bundled => {
                "mcp-errconf run -- ./my-server".to_owned()
            }
            // Entries of the baseline that are fixed can go, and findings that it accepts can be fixed.
            Conclusion::Conformant if !self.stale.is_empty() && !of_campaign => {
                or_doctor("run --update-baseline", NextKind::Case)
            }
            Conclusion::Conformant
                if !of_campaign
                    && self.settings.detail == Detail::Full
                    && let Some(known) = self.first_known() =>
            {
                format!("mcp-errconf explain {}", escape::line(&known.finding.rule))
            }
            Conclusion::Conformant if !of_campaign && self.first_known().is_some() => {
                or_doctor("run -v", NextKind::Same)
            }
            Conclusion::Conformant if of_campaign => {
                or_doctor("fuzz --duration 8h --corpus corpus", NextKind::Same)
            }
            Conclusion::Conformant => or_doctor("fuzz --duration 10m", NextKind::Judging),
            Conclusion::NotExercised(_) => or_doctor("doctor", NextKind::Starting),
            // Without the `--tools` that no tool matches.
            Conclusion::NothingSelected(_) if of_campaign => or_doctor("fuzz", NextKind::Judging),
            Conclusion::NothingSelected(_) => "mcp-errconf list cases".to_owned(),
            Conclusion::NothingJudged | Conclusion::Inconclusive(_) | Conclusion::Uncovered(_) => {
                match (self.settings.detail, of_campaign) {
                    // All that is known was shown.
                    (Detail::Full, _) => or_doctor("doctor", NextKind::Starting),
                    (_, true) => or_doctor("fuzz -v", NextKind::Same),
                    (_, false) => or_doctor("run -v", NextKind::Same),
                }
            }
            Conclusion::Interrupted if of_campaign => or_doctor("fuzz --duration 1m", NextKind::Same),
            Conclusion::Interrupted => or_doctor("run --max-probes 50", NextKind::Same),
        }
    }

    /// A command of this program with these words of its own, for the same server; `None` if it is unknown how that is
    /// started.
    pub(in crate::report) fn command(self, own: &str, next: NextKind) -> Option<String> {
        let given = &self.settings.given;
        let options = given.options(next, own);
        let mut command = format!("mcp-errconf {own}{options}");
        let is_said = |option: &str| command.split(' ').any(|word| word == option);
        let mut more = Vec::new();
        if given.server == ServerGiven::Command {
            let words = &self.report.server.command;
            // A recording knows these, where no command line did.
            let chosen = &self.report.contract;
            let is_chosen = matches!(chosen.chosen, Chosen::Flag | Chosen::Detected);
            if next != NextKind::Starting
                && is_chosen
                && !self.report.server.bundled
                && !is_said("--contract")
            {
                // Of a folder with a contract of the user's own only the id is known.
                if !contract::builtin_ids().any(|id| id == chosen.id) {
                    return None;
                }
                more.extend(["--contract".to_owned(), shell_word(&chosen.id)]);
            }
            match self.report.server.bundled {
                true if is_said("--bundled") => {}
                true => more.push("--bundled".to_owned()),
                false if words.is_empty() || words[0] == IN_PROCESS => return None,
                false => {
                    more.push("--".to_owned());
                    more.extend(words.iter().map(|word| shell_word(word)));
                }
            }
        }
        for word in more {
            command.push(' ');
            command.push_str(&word);
        }
        Some(command)
    }
}
