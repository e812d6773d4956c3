//! The control of a tool's probes: a call that succeeded, and how far the search for one has come.
//!
//! The main type is [`ProbeControl`].

use std::collections::HashSet;

use serde_json::Value;

/// At most this many calls are derived from a tool's refusals.
const MAX_REPAIRS: usize = 5;

/// The control of a tool's probes.
#[derive(Debug, Clone)]
pub(super) enum ProbeControl {
    /// A call that succeeded.
    Found(SuccessfulCall),
    /// No successful call is known, with the reason and the first call tried: a probe refused in the same words
    /// as that one says nothing about its own fault.
    Unknown { why: String, refused: Option<usize> },
}

/// A call that succeeded.
#[derive(Debug, Clone)]
pub(super) struct SuccessfulCall {
    pub(super) control: usize,
    pub(super) arguments: Value,
    pub(super) repeatability: Repeatability,
}

impl SuccessfulCall {
    /// A call that has not been sent again yet.
    pub(super) fn new(control: usize, arguments: Value) -> Self {
        Self { control, arguments, repeatability: Repeatability::Untested }
    }
}

/// Whether a call that succeeded succeeds again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeatability {
    /// It has not been sent again.
    Untested,
    /// It succeeds again.
    Steady,
    /// It succeeds with another name for the thing it creates. Sent again unchanged, it was refused.
    Renamed { refused: usize },
    /// It succeeds with a new thing created before it. `turn` is which value in the creator's reply names that
    /// thing.
    Remade { turn: usize },
    /// It does not succeed again; `refused` is the exchange that shows it.
    Spent { refused: usize },
}

impl Repeatability {
    /// The exchange in which a call that had succeeded before was refused.
    pub(super) fn refused(self) -> Option<usize> {
        match self {
            Self::Untested | Self::Steady | Self::Remade { .. } => None,
            Self::Renamed { refused } | Self::Spent { refused } => Some(refused),
        }
    }
}

/// The result of trying a control.
pub(super) enum Tried {
    Succeeded(usize),
    Refused(usize),
    /// The process was lost, as this exchange shows.
    Lost(usize),
}

/// How far the repair of refused calls of a tool has come.
#[derive(Debug)]
pub(super) struct RepairProgress {
    pub(super) left: usize,
    /// The arguments that were sent, as text.
    pub(super) seen: HashSet<String>,
    /// The tools that refusals said must be called first.
    pub(super) followed: Vec<String>,
}

impl Default for RepairProgress {
    fn default() -> Self {
        Self { left: MAX_REPAIRS, seen: HashSet::new(), followed: Vec::new() }
    }
}
