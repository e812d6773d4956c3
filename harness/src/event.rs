//! What a run tells while it goes on: the only bridge from running to reporting.

use std::time::Duration;

use crate::baseline::Entry;
use crate::conclusion::Conclusion;
use crate::condition::CaseId;
use crate::judge::{FirstFinding, Report};
use crate::snapshot::StaleText;
use crate::transcript::{CaseOutcome, Head};

/// One thing that happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// The server started and its tools are known; this many cases are planned.
    Started {
        /// What is known of it.
        head: Box<Head>,
        /// How many cases are planned.
        planned: usize,
    },
    /// A second, confined session of the server started; this many further cases are planned.
    ConfinedSession {
        /// How many.
        planned: usize,
    },
    /// A case is through; its verdict comes at the end.
    Driven {
        /// The case's id.
        case: CaseId,
        /// What became of it.
        outcome: CaseOutcome,
    },
    /// The first fault that a run comes upon. What becomes of it is reported at the end.
    Seen(FirstFinding),
    /// A campaign looks for calls that succeed, before its own begin.
    Learning {
        /// How many tools there are.
        tools: usize,
    },
    /// It has looked for them.
    Learnt {
        /// For how many tools one is known.
        known: usize,
        /// How many tools there are.
        tools: usize,
        /// How many calls were sent.
        calls: u64,
        /// The tools of which one that was kept in the corpus does not succeed any more.
        stale: Vec<String>,
    },
    /// A campaign is over but for what is still to be confirmed.
    Confirming {
        /// How many things.
        open: usize,
        /// How long that may take.
        at_most: Duration,
    },
    /// A file that a campaign was to keep could not be written: where, why, and what to do. Told of the first one alone.
    Unwritten(String),
    /// A campaign goes on: reported now and then.
    Pace(Pace),
    /// Entries of the baseline that accept nothing any more.
    Stale(Vec<Entry>),
    /// Snapshots of error texts that were not seen again.
    SnapshotsGone(Vec<StaleText>),
    /// All is judged.
    Judged {
        /// Every verdict and finding.
        report: Box<Report>,
        /// What that comes to.
        conclusion: Conclusion,
    },
}

/// How far a campaign is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pace {
    /// Since the campaign began.
    pub elapsed: Duration,
    /// Calls that were sent.
    pub calls: u64,
    /// Calls in each second of late.
    pub per_second: u64,
    /// Replies that were unlike any before.
    pub signatures: u64,
    /// Findings so far.
    pub findings: u64,
    /// The most memory that the server's processes held since it was reported before, in bytes; none if it was not measured.
    pub memory: Option<u64>,
    /// How much of the campaign is through, in percent; none if nobody set an end.
    pub percent: Option<u64>,
    /// Until its time is over, or the time to confirm what it found.
    pub left: Option<Duration>,
    /// How many things are still to be confirmed, where nothing else goes on any more.
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
