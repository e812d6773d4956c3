//! Recordings of runs as JSON Lines: one line for the head, for each exchange, for each case, and for the end.
//!
//! The main type is [`Recording`]: the transcript with the contract and the policy by which it was judged, so
//! that judging it again needs nothing else. Plain pairs of requests and responses can be read into one too, by
//! `pairs`. This module does not access the disk.

use serde::{Deserialize, Serialize};

use crate::baseline::Baseline;
use crate::conclusion::Conclusion;
use crate::config::Config;
use crate::contract::{self, Contract};
use crate::exchange::Exchange;
use crate::judge::{Coverage, Report, Strictness, judge_against};
use crate::memory::Curve;
use crate::rules::Rule;
use crate::transcript::{Chosen, DrivenCase, Head, Transcript, Withheld};

mod pairs;
mod read;

pub use read::{ReadError, read};

/// The version of the format of recordings.
pub const SCHEMA_VERSION: u32 = 1;

/// A run with everything that judging it needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The transcript of the run.
    pub transcript: Transcript,
    /// The contract, documented codes of the configuration included.
    pub contract: Contract,
    /// The policy by which the run was judged.
    pub policy: JudgingPolicy,
    /// Why nothing was driven, if so.
    pub not_run: Option<NotRun>,
}

/// The policy by which a run was judged: what counts, and what is accepted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct JudgingPolicy {
    /// Should findings failed the run too: `--strict`.
    pub strict: bool,
    /// The accepted findings.
    pub baseline: Baseline,
    /// The share of the tools that had to be judged: `[coverage] tools`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<f64>,
}

/// Why nothing was driven; with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NotRun {
    /// The server could not be exercised.
    NotExercised(String),
    /// No case was selected.
    NothingSelected(String),
}

/// One line of a recording: an object with one member, whose name says what it is.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "A line of a transcript"))]
#[serde(rename_all = "snake_case")]
pub(crate) enum RecordingLine {
    /// The first line: what was known before the first case.
    Head(Box<HeadLine>),
    /// One exchange, in the order in which they were sent.
    Exchange(Box<Exchange>),
    /// One planned case, also one that was skipped or withheld, in the order of the plan.
    Case(DrivenCase),
    /// Calls of one tool that were not sent for safety.
    Withheld(Withheld),
    /// The memory of one process over many calls.
    Memory(Curve),
    /// The last line. Where it is missing the recording is one of a run that was cut short.
    End(EndLine),
}

#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct HeadLine {
    /// 1.
    schema_version: u32,
    /// The harness's version.
    harness: String,
    /// What is known about server and run.
    run: Head,
    /// The contract that is judged, in full.
    #[cfg_attr(test, schemars(with = "serde_json::Value"))]
    contract: Contract,
    /// What counts, and what is accepted.
    policy: JudgingPolicy,
}

#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct EndLine {
    /// The run was ended before the plan was through.
    interrupted: bool,
    /// The time limit that ended it, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stopped_after_ms: Option<u64>,
    /// Why nothing was driven, where that was so.
    not_run: Option<NotRun>,
    /// Wall time, in milliseconds. Never compared.
    duration_ms: u64,
}

impl JudgingPolicy {
    /// Which findings count.
    pub fn strictness(&self) -> Strictness {
        if self.strict { Strictness::Should } else { Strictness::Must }
    }
}

impl Recording {
    /// Replaces the contract by the built-in one that the replies keep, if there is one.
    pub fn detect_contract(&mut self, config: &Config) {
        if let Some(detected) = contract::shown(&self.transcript.exchanges) {
            self.judge_by(detected, config);
        }
    }

    /// Replaces the contract by one that the replies show.
    pub fn judge_by(&mut self, contract: &Contract, config: &Config) {
        self.contract = contract.clone();
        config.document(&mut self.contract);
        self.transcript.head.contract.clone_from(&contract.id);
        self.transcript.head.chosen = Chosen::Detected;
    }

    /// Writes the recording as text.
    ///
    /// # Errors
    /// If a line cannot be written to `out`.
    pub fn write(&self, mut out: impl std::io::Write) -> std::io::Result<()> {
        let transcript = &self.transcript;
        let head = RecordingLine::Head(Box::new(HeadLine {
            schema_version: SCHEMA_VERSION,
            harness: env!("CARGO_PKG_VERSION").to_owned(),
            run: transcript.head.clone(),
            contract: self.contract.clone(),
            policy: self.policy.clone(),
        }));
        let exchanges =
            transcript.exchanges.iter().map(|exchange| RecordingLine::Exchange(Box::new(exchange.clone())));
        let cases = transcript.cases.iter().map(|case| RecordingLine::Case(case.clone()));
        let withheld = transcript.withheld.iter().map(|withheld| RecordingLine::Withheld(withheld.clone()));
        let memory = transcript.memory.iter().map(|curve| RecordingLine::Memory(curve.clone()));
        let end = RecordingLine::End(EndLine {
            interrupted: transcript.interrupted,
            stopped_after_ms: transcript.stopped_after_ms,
            not_run: self.not_run.clone(),
            duration_ms: transcript.duration_ms,
        });
        for line in
            [head].into_iter().chain(exchanges).chain(cases).chain(withheld).chain(memory).chain([end])
        {
            serde_json::to_writer(&mut out, &line)?;
            out.write_all(b"\n")?;
        }
        out.flush()
    }

    /// The report and conclusion of the recording, which equal those of the live run.
    pub fn judge(&self, rules: &[&'static Rule]) -> (Report, Conclusion) {
        let strictness = self.policy.strictness();
        let mut report =
            judge_against(&self.policy.baseline, &self.transcript, &self.contract, rules, strictness);
        report.coverage = self.policy.coverage.map(|wanted| Coverage::count(&report.tools, wanted));
        let conclusion = match self.not_run.clone() {
            Some(NotRun::NotExercised(why)) => Conclusion::NotExercised(why),
            Some(NotRun::NothingSelected(why)) => Conclusion::NothingSelected(why),
            None => Conclusion::from_report(&self.transcript, &report, strictness),
        };
        (report, conclusion)
    }
}
