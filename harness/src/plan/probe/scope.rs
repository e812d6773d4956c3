//! How far a session's probes go.
//!
//! The main type is [`ProbeScope`].

use std::collections::HashSet;

use crate::class::Class;
use crate::condition::CaseId;

/// Which tools get complete calls.
#[derive(Debug, Clone, Copy)]
pub enum ProbeScope<'a> {
    /// Those whose class allows it: the server is on the machine as it is, and there will be no other session. To others go
    /// calls that break every required argument.
    ByClass,
    /// Those that read, and to others nothing: the server is on the machine as it is, and a confined session comes
    /// after it. A server that checks nothing may take even a call without arguments for "all" or "here".
    ReadAlone,
    /// All: the server is confined. What is settled is not sent again.
    Complete(&'a SettledCases),
}

/// What an earlier session has brought to a verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettledCases {
    /// Probes.
    pub probes: HashSet<CaseId>,
    /// Tools that are left alone.
    pub tools: HashSet<String>,
}

impl SettledCases {
    /// The settled probes of which the ids begin so.
    pub(super) fn holds_some_below(&self, folder: &CaseId) -> bool {
        let is_below = |id: &CaseId| id.0.strip_prefix(&folder.0).is_some_and(|rest| rest.starts_with('/'));
        self.probes.iter().any(is_below)
    }
}

impl ProbeScope<'_> {
    /// Whether a tool of this class gets complete calls.
    pub fn is_complete(self, class: Class) -> bool {
        matches!(self, Self::Complete(_)) || class == Class::Read
    }

    /// Whether a tool of this class gets any call made from its schema.
    pub(super) fn goes_to(self, class: Class) -> bool {
        !matches!(self, Self::ReadAlone) || class == Class::Read
    }

    /// Whether a probe may be sent.
    pub(super) fn wants(self, id: &CaseId) -> bool {
        match self {
            Self::ByClass | Self::ReadAlone => true,
            Self::Complete(settled) => !settled.probes.contains(id),
        }
    }

    /// Whether a tool may be called.
    pub(super) fn leaves_alone(self, tool: &str) -> bool {
        matches!(self, Self::Complete(settled) if settled.tools.contains(tool))
    }

    /// Whether some of the probes with these ids' beginning are settled.
    pub(super) fn has_settled_some_below(self, folder: &CaseId) -> bool {
        matches!(self, Self::Complete(settled) if settled.holds_some_below(folder))
    }
}
