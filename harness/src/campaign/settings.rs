//! The settings of a campaign: its end, concurrency, files, and which calls it may send.
//!
//! The main type is [`Settings`].

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use globset::GlobMatcher;

use crate::class::Class;
use crate::config::Config;
use crate::generate::Calls;
use crate::shard::Shard;

use super::file::ServerStarted;

/// The settings of a campaign.
#[derive(Debug, Clone)]
pub struct Settings {
    /// When the campaign ends.
    pub end: Budget,
    /// Which part of the known changes it makes.
    pub shard: Shard,
    /// How many calls each process has in flight.
    pub in_flight: usize,
    /// What becomes of a campaign in the folder of the findings that did not end.
    pub earlier: EarlierCampaign,
    /// How many bytes of inputs are kept at most; `None` for as many as there are.
    pub max_disk: Option<u64>,
    /// The folder that keeps inputs which led to something new, from one campaign to the next.
    pub corpus: Option<PathBuf>,
    /// The folder in which campaigns that run at the same time exchange their inputs.
    pub sync: Option<PathBuf>,
    /// The folder in which each finding gets a file of its own.
    pub findings: Option<PathBuf>,
    /// How the server is started, for the files of findings.
    pub server: ServerStarted,
    /// For detecting the contract by the first replies: the configuration, which may document further codes.
    /// `None` if the assignment's contract is used.
    pub detect: Option<Config>,
    /// The tools that are called; `None` for all.
    pub tools: Option<GlobMatcher>,
    /// Which calls may be sent.
    pub scope: CampaignScope,
}

/// What becomes of a campaign that did not end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlierCampaign {
    /// It goes on.
    Continue,
    /// It is forgotten; its findings stay.
    Forget,
}

/// When a campaign ends: at whichever limit is reached first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    /// The duration, if it is limited.
    pub duration: Option<Duration>,
    /// The number of calls, if it is limited. A few more are sent to confirm what was found by then.
    pub calls: Option<u64>,
}

/// Which tools get complete calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CampaignScope {
    /// Those that only read. The others only get calls in which every required argument is invalid.
    #[default]
    ReadOnly,
    /// All, because the server is confined and can only affect folders that were made for it.
    Confined,
    /// All, because the user allowed it.
    Opened,
}

impl fmt::Display for CampaignScope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::ReadOnly => "read-only tools",
            Self::Confined => "all, confined",
            Self::Opened => "all",
        })
    }
}

impl CampaignScope {
    /// Which calls a tool of this class may get.
    pub fn calls(self, class: Class) -> Calls {
        match (self, class) {
            (_, Class::Read) | (Self::Confined | Self::Opened, _) => Calls::Complete,
            (Self::ReadOnly, Class::Write | Class::Effect | Class::Unknown) => Calls::Broken,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_change_something_gets_complete_calls_only_where_it_is_confined_or_opened() {
        for class in [Class::Write, Class::Effect, Class::Unknown] {
            assert_eq!(CampaignScope::ReadOnly.calls(class), Calls::Broken);
            assert_eq!(CampaignScope::Confined.calls(class), Calls::Complete);
            assert_eq!(CampaignScope::Opened.calls(class), Calls::Complete);
        }
        assert_eq!(CampaignScope::ReadOnly.calls(Class::Read), Calls::Complete);
    }
}
