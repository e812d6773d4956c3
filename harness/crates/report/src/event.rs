//! The events of a run in progress: the only bridge from running to reporting.

use std::time::Duration;

use crate::baseline::Entry;
use crate::conclusion::Conclusion;
use crate::condition::CaseId;
use crate::judge::{FirstFinding, Report, SlowCase};
use crate::snapshot::StaleText;
use crate::transcript::{CaseOutcome, Head};

/// Something that happened in a run.
#[derive(Debug, Clone)]
pub enum Event {
    /// The server started and its tools are known.
    Started {
        /// The head of the transcript.
        head: Box<Head>,
        /// How many cases are planned.
        planned: usize,
    },
    /// A second, confined session of the server started.
    ConfinedSession {
        /// How many further cases are planned.
        planned: usize,
    },
    /// A case was driven; its verdict comes at the end.
    Driven {
        /// The case's id.
        case: CaseId,
        /// The outcome of the case.
        outcome: CaseOutcome,
    },
    /// The first fault found in a run. The final verdict comes at the end.
    Seen(FirstFinding),
    /// A campaign looks for successful calls before its own begin.
    Learning {
        /// For how many tools it has looked.
        tried: usize,
        /// How many tools there are.
        tools: usize,
    },
    /// The search for successful calls is over.
    Learnt {
        /// For how many tools a successful call is known.
        known: usize,
        /// How many tools there are.
        tools: usize,
        /// How many calls were sent.
        calls: u64,
        /// The tools whose call in the corpus no longer succeeds.
        stale: Vec<String>,
    },
    /// A campaign is over, except for what is still to be confirmed.
    Confirming {
        /// How many findings are to be confirmed.
        open: usize,
        /// How long that may take.
        at_most: Duration,
    },
    /// A file of a campaign could not be written: where, why, and what to do. Only for the first such file.
    Unwritten(String),
    /// The progress of a campaign.
    Pace(Pace),
    /// Entries of the baseline that no longer accept anything.
    Stale(Vec<Entry>),
    /// The cases that took long. Measured, and therefore for people alone.
    Slow(Vec<SlowCase>),
    /// Snapshots of error texts that were not seen again.
    SnapshotsGone(Vec<StaleText>),
    /// The run was judged: the last event.
    Judged {
        /// Every verdict and finding.
        report: Box<Report>,
        /// The conclusion of the run.
        conclusion: Conclusion,
    },
}

/// The progress of a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pace {
    /// The time since the campaign began.
    pub elapsed: Duration,
    /// Calls that were sent.
    pub calls: u64,
    /// Recent calls per second.
    pub per_second: u64,
    /// Replies unlike any earlier one.
    pub signatures: u64,
    /// Findings so far.
    pub findings: u64,
    /// The highest memory of the server's processes since the last report, in bytes; `None` if it was not
    /// measured.
    pub memory: Option<u64>,
    /// The completed share of the campaign, in percent; `None` if it has no end.
    pub percent: Option<u64>,
    /// The time left for the campaign, or for confirming its findings.
    pub left: Option<Duration>,
    /// How many findings are still to be confirmed, once nothing else is done.
    pub confirming: Option<u64>,
}

/// Anything that receives events.
pub trait Reporter {
    /// Takes one event.
    ///
    /// # Errors
    /// When the report cannot be written.
    fn event(&mut self, event: &Event) -> std::io::Result<()>;
}
