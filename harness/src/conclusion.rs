//! What a run came to as a whole: the meaning of the exit code.
//!
//! The main type is [`Conclusion`]. It is told to reporters together with the report, because the report itself says
//! neither how strict the run was nor whether it was cut short.

use serde::Serialize;

use crate::exchange::{Exchange, Outcome};
use crate::expectation::Expected;
use crate::finding::{Finding, State};
use crate::judge::{Report, Strictness};
use crate::transcript::Transcript;
use crate::wording::layer;

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// Error replies were judged, and no finding counts.
    Conformant,
    /// This many findings count for the exit code.
    Findings(usize),
    /// The server could not be exercised: it did not start, listed no tool, or died at once. With the reason.
    NotExercised(String),
    /// No case was selected. With the reason.
    NothingSelected(String),
    /// Cases were driven, and not one error reply could be judged, or none but that to a tool that does not exist.
    NothingJudged,
    /// Error replies came, and none of a tool's own was judged: what an SDK's validation words is not the tool's. With the
    /// reason.
    Inconclusive(String),
    /// Fewer of the tools were judged than the configuration asks for. With the figures, and what was not judged.
    Uncovered(String),
    /// The user ended the run before the plan was through.
    Interrupted,
}

impl Conclusion {
    /// What a run that was driven came to.
    ///
    /// A finding that counts outweighs that no error reply was judged: a server that answers nothing at all has both. So does
    /// a share of the tools that is asked for and not reached: however far a run falls short of it, it fails.
    pub fn from_report(transcript: &Transcript, report: &Report, strictness: Strictness) -> Self {
        let counts = |finding: &&Finding| finding.state == State::New && strictness.counts(finding.level);
        match report.findings.iter().filter(counts).count() {
            _ if transcript.interrupted => Self::Interrupted,
            0 => match report.coverage.filter(|coverage| !coverage.is_met()) {
                Some(coverage) => Self::Uncovered(coverage.lack(&report.tools)),
                None if !is_told_of_errors(transcript, report) => Self::NothingJudged,
                None => {
                    in_no_words_of_its_own(transcript, report).map_or(Self::Conformant, Self::Inconclusive)
                }
            },
            counting => Self::Findings(counting),
        }
    }

    /// The exit code of the process.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Conformant => 0,
            Self::Findings(_) | Self::Uncovered(_) => 1,
            Self::NotExercised(_) => 3,
            Self::NothingSelected(_) | Self::NothingJudged | Self::Inconclusive(_) => 4,
            Self::Interrupted => 130,
        }
    }
}

/// Whether an error reply was judged that says something of the server's own errors. Where its tools were called and must
/// fail, one of them has to have flagged an error: that a tool which does not exist is refused is the work of its SDK.
fn is_told_of_errors(transcript: &Transcript, report: &Report) -> bool {
    let is_listed = |exchange: &&Exchange| {
        exchange.tool().is_some_and(|tool| transcript.head.catalog.tool(tool).is_some())
    };
    let must_fail = |exchange: &Exchange| matches!(exchange.place.expected, Expected::Failure(_));
    let elsewhere = transcript.exchanges.iter().filter(|exchange| {
        let is_error = exchange.outcome.is_tool_error() || matches!(exchange.outcome, Outcome::Error(_));
        is_error && !is_listed(exchange) && !exchange.place.step.is_beside()
    });
    let tries_tools = transcript.exchanges.iter().filter(is_listed).any(must_fail);
    // A server whose tools take nothing that is known has no call that must fail, and no case that was judged,
    // though many were asked for.
    let cases = report.summary.cases;
    if !tries_tools && cases.skipped > 0 && cases.passed + cases.failed == 0 {
        return false;
    }
    report.summary.error_replies > if tries_tools { elsewhere.count() } else { 0 }
}

/// Why nothing is known of the tools' own errors though errors came; none if one was judged, and where no listed tool was
/// asked for any.
fn in_no_words_of_its_own(transcript: &Transcript, report: &Report) -> Option<String> {
    let is_of_sdk = |exchange: &&Exchange| {
        let text = match &exchange.outcome {
            Outcome::Error(error) => Some(error.message.as_str()),
            outcome if outcome.is_tool_error() => outcome.texts().first().copied(),
            _ => None,
        };
        let is_counted = !exchange.place.step.is_beside() && exchange.environment.cause().is_none();
        is_counted && text.is_some_and(layer::is_sdk)
    };
    let all = report.summary.error_replies;
    let of_sdk = transcript.exchanges.iter().filter(is_of_sdk).count();
    let has_none = match report.tools.iter().any(|tool| tool.planned > 0) {
        true => report.tools.iter().all(|tool| tool.own == 0),
        // Of recorded pairs the tools may be unknown.
        false => transcript.head.catalog.tools.is_empty() && of_sdk >= all,
    };
    let why = match of_sdk {
        0 => "the ones received allow no verdict".to_owned(),
        of_sdk if of_sdk >= all => "all of them were written by an MCP SDK's validation".to_owned(),
        of_sdk => {
            format!(
                "{of_sdk} of {all} were written by an MCP SDK's validation, and the others allow no \
                verdict"
            )
        }
    };
    has_none.then(|| format!("no error written by a tool itself was judged: {why}"))
}
