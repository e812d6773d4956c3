//! The events as they come, one JSON object a line: for a program that wants to follow a run.
//!
//! The last line holds the whole report.

use std::io::{self, Write};

use serde::Serialize;

use crate::baseline::Entry;
use crate::conclusion::Conclusion;
use crate::condition::CaseId;
use crate::event::{Event, Reporter};
use crate::judge::{Report, ServerInfo, server_info};
use crate::placeholder::{Collapser, Folders};
use crate::snapshot::StaleText;
use crate::transcript::CaseOutcome;

use super::{Kind, ReportFormat};
use crate::escape;

/// The format of this module.
pub static FORMAT: ReportFormat = ReportFormat {
    name: "ndjson",
    kind: Kind::AsItHappens(|out| Box::new(Ndjson { out, folders: Folders::default() })),
};

/// The version of the lines' format.
const SCHEMA_VERSION: u32 = 1;

/// Writes a line for each event.
struct Ndjson {
    out: Box<dyn Write>,
    folders: Folders,
}

/// One line.
#[derive(Debug, Serialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[cfg_attr(any(test, feature = "schema"), schemars(title = "One line of `--report ndjson`"))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventLine<'a> {
    /// The server started and its tools are known.
    Started {
        /// The version of these lines: 1.
        schema_version: u32,
        /// The server under test.
        server: Box<ServerInfo>,
        /// The contract's id.
        contract: &'a str,
        /// How many tools it lists.
        tools: usize,
        /// How many cases are planned.
        planned: usize,
    },
    /// A second, confined session started. Cases that the first one did not bring to a verdict come again.
    ConfinedSession {
        /// How many further cases are planned.
        planned: usize,
    },
    /// A case is through; its verdict comes at the end.
    Driven {
        /// The case's id.
        case: &'a CaseId,
        /// The outcome of the case.
        outcome: CaseOutcome,
    },
    /// A campaign looks for calls that succeed, before its own begin.
    Learning {
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
        stale: &'a [String],
    },
    /// A campaign is over but for what is still to be confirmed.
    Confirming {
        /// How many findings are still to be confirmed.
        open: usize,
        /// How long that may take.
        at_most_ms: u64,
    },
    /// A campaign goes on: reported now and then, and at its end.
    Pace {
        /// The time since the campaign began, in milliseconds. Never compared.
        elapsed_ms: u64,
        /// Calls that were sent.
        calls: u64,
        /// Recent calls per second. Never compared.
        per_second: u64,
        /// Replies that were unlike any before.
        signatures: u64,
        /// Findings so far.
        findings: u64,
        /// The most memory that the server's processes held since the line before, in bytes; null where it was not measured.
        /// Never compared.
        memory: Option<u64>,
        /// How much of the campaign is over, in percent; null where no end was set.
        percent: Option<u64>,
    },
    /// Entries of the baseline that accept nothing any more.
    Stale {
        /// The baseline entries that matched nothing.
        entries: &'a [Entry],
    },
    /// Snapshots of error texts that were not seen again.
    SnapshotsGone {
        /// The stored texts that were not seen again.
        snapshots: &'a [StaleText],
    },
    /// The run was judged: the last line.
    Judged {
        /// The conclusion of the run.
        conclusion: &'a Conclusion,
        /// The exit code of it.
        exit_code: u8,
        /// The document of `--report json`.
        report: &'a Report,
    },
}

impl Reporter for Ndjson {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let line = match event {
            Event::Started { head, planned } => {
                self.folders = head.folders.clone();
                EventLine::Started {
                    schema_version: SCHEMA_VERSION,
                    server: Box::new(server_info(head)),
                    contract: &head.contract,
                    tools: head.catalog.tools.len(),
                    planned: *planned,
                }
            }
            Event::ConfinedSession { planned } => EventLine::ConfinedSession { planned: *planned },
            Event::Driven { case, outcome } => {
                let mut outcome = outcome.clone();
                if let CaseOutcome::PreconditionFailed(reason)
                | CaseOutcome::Skipped(reason)
                | CaseOutcome::Errored(reason) = &mut outcome
                {
                    *reason = Collapser::new(&self.folders).text(reason);
                }
                EventLine::Driven { case, outcome }
            }
            Event::Learning { tried: 0, tools } => EventLine::Learning { tools: *tools },
            Event::Learning { .. } => return Ok(()),
            Event::Learnt { known, tools, calls, stale } => {
                EventLine::Learnt { known: *known, tools: *tools, calls: *calls, stale }
            }
            Event::Confirming { open, at_most } => EventLine::Confirming {
                open: *open,
                at_most_ms: u64::try_from(at_most.as_millis()).unwrap_or(u64::MAX),
            },
            // These are for the user at this machine; the first fault seen is not a verdict yet.
            Event::Unwritten(_) | Event::Seen(_) | Event::Slow(_) => return Ok(()),
            Event::Pace(pace) => EventLine::Pace {
                elapsed_ms: u64::try_from(pace.elapsed.as_millis()).unwrap_or(u64::MAX),
                calls: pace.calls,
                per_second: pace.per_second,
                signatures: pace.signatures,
                findings: pace.findings,
                memory: pace.memory,
                percent: pace.percent,
            },
            Event::Stale(entries) => EventLine::Stale { entries },
            Event::SnapshotsGone(snapshots) => EventLine::SnapshotsGone { snapshots },
            Event::Judged { report, conclusion } => {
                EventLine::Judged { conclusion, exit_code: conclusion.exit_code(), report }
            }
        };
        let line = serde_json::to_string(&line)?;
        writeln!(self.out, "{}", escape::json(&line))?;
        self.out.flush()
    }
}
