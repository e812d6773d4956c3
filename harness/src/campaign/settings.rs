//! What a campaign is about, beside the server: how long, how many at once, what it keeps, how far it may go.
//!
//! The main type is [`Settings`].

use std::path::PathBuf;
use std::time::Duration;

use globset::GlobMatcher;

use crate::class::Class;
use crate::config::Config;
use crate::generate::Calls;

/// How a campaign is run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// When it ends.
    pub end: Budget,
    /// How many calls one process has in flight.
    pub in_flight: usize,
    /// Where the inputs that led to something new are kept from one campaign to the next.
    pub corpus: Option<PathBuf>,
    /// Where each finding is written to a file of its own.
    pub findings: Option<PathBuf>,
    /// The options that a replay needs beside the finding's file to meet the server as this campaign does, and the
    /// server itself.
    pub again: Vec<String>,
    /// Where the contract is found out by the first replies: what the configuration documents beside it. None if the
    /// assignment's is judged.
    pub detect: Option<Config>,
    /// The tools that are called; none for all.
    pub tools: Option<GlobMatcher>,
    /// How far calls may go.
    pub scope: CampaignScope,
}

/// When a campaign ends; of two bounds the one that is met first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    /// After this time.
    pub duration: Option<Duration>,
    /// After this many calls. What was found by then is confirmed by a few more.
    pub calls: Option<u64>,
}

/// Which tools get complete calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CampaignScope {
    /// Those that only read. The others get nothing but calls that break every required argument at once.
    #[default]
    ReadOnly,
    /// All: the server is confined, and what it does stays within the folders that were made for it.
    Confined,
    /// All: the user said so.
    Opened,
}

impl CampaignScope {
    /// How far calls of a tool of this class may go.
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
