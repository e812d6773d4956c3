//! Which calls the probes of a session may make.
//!
//! The main type is [`ProbeScope`].

use std::collections::HashSet;

use crate::class::Class;
use crate::condition::CaseId;

/// Which tools get complete calls.
#[derive(Debug, Clone, Copy)]
pub enum ProbeScope<'a> {
    /// Those whose class allows it: the server is not confined, and there is no other session. Other tools get
    /// calls in which every required argument is invalid.
    ByClass,
    /// Only those that read: the server is not confined, and a confined session follows. Others get nothing,
    /// because a server that checks nothing may take even a call without arguments for "all" or "here".
    ReadAlone,
    /// All, because the server is confined. What is settled is not sent again.
    Complete(&'a SettledCases),
}

/// What an earlier session has brought to a verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettledCases {
    /// The settled probes.
    pub probes: HashSet<CaseId>,
    /// The tools that are not called any more.
    pub tools: HashSet<String>,
}

impl SettledCases {
    /// Whether any settled probe has an id in this folder.
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

    /// Whether a tool must not be called.
    pub(super) fn leaves_alone(self, tool: &str) -> bool {
        matches!(self, Self::Complete(settled) if settled.tools.contains(tool))
    }

    /// Whether any probe with an id in this folder is settled.
    pub(super) fn has_settled_some_below(self, folder: &CaseId) -> bool {
        matches!(self, Self::Complete(settled) if settled.holds_some_below(folder))
    }
}
