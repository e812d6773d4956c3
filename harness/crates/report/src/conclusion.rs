//! The result of a whole run: the meaning of the exit code.
//!
//! The main type is [`Conclusion`]. Reporters get it together with the report, which does not say how strict
//! the run was or whether it was cut short.

use serde::Serialize;

use crate::exchange::Exchange;
use crate::expectation::Expected;
use crate::finding::{Finding, State};
use crate::judge::{Report, Strictness};
use crate::transcript::Transcript;
use crate::wording::layer;

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
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
    /// The conclusion of a run that was driven.
    ///
    /// A finding that counts takes precedence over the lack of a judged error reply: a server that answers
    /// nothing has both. So does a required share of tools that was not reached, however far the run is from
    /// it.
    pub fn from_report(transcript: &Transcript, report: &Report, strictness: Strictness) -> Self {
        let counts = |finding: &&Finding| finding.state == State::New && strictness.counts(finding.level);
        match report.findings.iter().filter(counts).count() {
            // A run that its time limit ended is judged by what it did.
            _ if transcript.interrupted && transcript.stopped_after_ms.is_none() => Self::Interrupted,
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

    /// Whether the run came to its end, so that its findings can make a baseline.
    pub fn is_complete(&self) -> bool {
        !matches!(self, Self::NotExercised(_) | Self::NothingSelected(_) | Self::Interrupted)
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

/// Whether an error reply was judged that says something about the server's own errors. If its tools were
/// called and must fail, one of them must have flagged an error, because an unknown tool is refused by the SDK.
fn is_told_of_errors(transcript: &Transcript, report: &Report) -> bool {
    let is_listed = |exchange: &&Exchange| {
        exchange.tool().is_some_and(|tool| transcript.head.catalog.tool(tool).is_some())
    };
    let must_fail = |exchange: &Exchange| matches!(exchange.place.expected, Expected::Failure(_));
    let elsewhere = transcript.exchanges.iter().filter(|exchange| {
        exchange.outcome.is_error() && !is_listed(exchange) && !exchange.place.step.is_beside()
    });
    let tries_tools = transcript.exchanges.iter().filter(is_listed).any(must_fail);
    // If the tools take no known arguments, no call must fail, and no case was judged although many were
    // requested.
    let cases = report.summary.cases;
    if !tries_tools && cases.skipped > 0 && cases.passed + cases.failed == 0 {
        return false;
    }
    report.summary.error_replies > if tries_tools { elsewhere.count() } else { 0 }
}

/// Why nothing is known about the tools' own errors although errors came; `None` if one was judged, or if no
/// listed tool was expected to report any.
fn in_no_words_of_its_own(transcript: &Transcript, report: &Report) -> Option<String> {
    let is_of_sdk = |exchange: &&Exchange| {
        let is_counted = !exchange.place.step.is_beside() && exchange.environment.cause().is_none();
        is_counted && exchange.outcome.error_text().is_some_and(layer::is_sdk)
    };
    let all = report.summary.error_replies;
    let of_sdk = transcript.exchanges.iter().filter(is_of_sdk).count();
    let has_none = match report.tools.iter().any(|tool| tool.planned > 0) {
        true => report.tools.iter().all(|tool| tool.own == 0),
        // For recorded pairs the tools may be unknown.
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
