//! The options for how a server is driven.

use clap::{Args, ValueEnum};
use mcp_errconf::drive::{DriveOptions, Isolation, RequestedLifecycle, Robustness};
use mcp_errconf::transcript::Lifecycle;

/// With more processes than this at once, the machine is measured and not the server.
const MOST_JOBS: u64 = 64;

#[derive(Debug, Clone, Args)]
pub(crate) struct DriveFlags {
    /// How to start the session: with `initialize` (legacy), without a handshake (modern, from 2026-07-28), or
    /// whichever of the two the server supports
    #[arg(long, value_enum, default_value_t = LifecycleChoice::Auto)]
    lifecycle: LifecycleChoice,
    /// Number of server processes to run cases in; does not affect the report
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MOST_JOBS))]
    jobs: u64,
    /// Start a new server process for each case
    #[arg(long)]
    isolate: bool,
    /// Also send malformed lines, which no client may send, to a separate server process
    #[arg(long)]
    robustness: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LifecycleChoice {
    Auto,
    Legacy,
    Modern,
}

impl DriveFlags {
    /// An option that was given and only applies to cases.
    pub(crate) fn of_cases(&self) -> Option<&'static str> {
        if self.isolate { Some("--isolate") } else { self.robustness.then_some("--robustness") }
    }

    /// What was chosen.
    pub(crate) fn options(&self) -> DriveOptions {
        DriveOptions {
            opening: match self.lifecycle {
                LifecycleChoice::Auto => RequestedLifecycle::Auto,
                LifecycleChoice::Legacy => RequestedLifecycle::Only(Lifecycle::Legacy),
                LifecycleChoice::Modern => RequestedLifecycle::Only(Lifecycle::Modern),
            },
            jobs: usize::try_from(self.jobs).unwrap_or(1),
            isolation: if self.isolate { Isolation::ByCase } else { Isolation::WhereNeeded },
            robustness: if self.robustness { Robustness::Tried } else { Robustness::Untried },
        }
    }
}
