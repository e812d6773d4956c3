//! The options that say how a server is driven.

use clap::{Args, ValueEnum};
use mcp_errconf::drive::{DriveOptions, Isolation, Opening, Robustness};
use mcp_errconf::transcript::Lifecycle;

/// More processes than this at once measure the machine and not the server.
const MOST_JOBS: u64 = 64;

#[derive(Debug, Args)]
pub(crate) struct DriveFlags {
    /// How the session begins: by `initialize` (legacy), without a handshake (modern, from 2026-07-28), or the first
    /// of the two that the server has
    #[arg(long, value_enum, default_value_t = LifecycleChoice::Auto)]
    lifecycle: LifecycleChoice,
    /// How many processes drive cases at once; the report is the same
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MOST_JOBS))]
    jobs: u64,
    /// A process for each case
    #[arg(long)]
    isolate: bool,
    /// Send lines too that no client may send, in a process of their own
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
    /// An option that says something of cases alone, where one is given.
    pub(crate) fn of_cases(&self) -> Option<&'static str> {
        [("--isolate", self.isolate), ("--robustness", self.robustness)]
            .into_iter()
            .find_map(|(option, given)| given.then_some(option))
    }

    /// What was chosen.
    pub(crate) fn options(&self) -> DriveOptions {
        DriveOptions {
            opening: match self.lifecycle {
                LifecycleChoice::Auto => Opening::Auto,
                LifecycleChoice::Legacy => Opening::Only(Lifecycle::Legacy),
                LifecycleChoice::Modern => Opening::Only(Lifecycle::Modern),
            },
            jobs: usize::try_from(self.jobs).unwrap_or(1),
            isolation: if self.isolate { Isolation::ByCase } else { Isolation::WhereNeeded },
            robustness: if self.robustness { Robustness::Tried } else { Robustness::Untried },
        }
    }
}
