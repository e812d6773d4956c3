//! What the probes of a tool stand on: the call that succeeded, and how far the search for one has come.
//!
//! The main type is [`ProbeControl`].

use std::collections::HashSet;

use serde_json::Value;

/// At most this many calls are made from what a tool's refusals say.
const MAX_REPAIRS: usize = 5;

/// What the probes of a tool stand on.
#[derive(Debug, Clone)]
pub(super) enum ProbeControl {
    /// A call that succeeded.
    Found(SuccessfulCall),
    /// None is known, with the reason, and the first that was tried: a probe that is answered in the same words says
    /// nothing of its fault.
    Unknown { why: String, refused: Option<usize> },
}

/// A call that succeeded: its exchange, its arguments, and what is known of it besides.
#[derive(Debug, Clone)]
pub(super) struct SuccessfulCall {
    pub(super) control: usize,
    pub(super) arguments: Value,
    pub(super) repeatability: Repeatability,
}

impl SuccessfulCall {
    /// One that was not sent again yet.
    pub(super) fn new(control: usize, arguments: Value) -> Self {
        Self { control, arguments, repeatability: Repeatability::Untested }
    }
}

/// Whether a call that succeeded does so again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeatability {
    /// It was not sent again.
    Untested,
    /// It does.
    Steady,
    /// It does with another name for the thing that it names. Sent again as it was, it was refused.
    Renamed { refused: usize },
    /// It does with another thing, made anew before it: by the value in its maker's reply whose turn it is.
    Remade { turn: usize },
    /// It does not; that is the exchange in which it was refused.
    Spent { refused: usize },
}

impl Repeatability {
    /// The exchange in which a call was refused that had succeeded before.
    pub(super) fn refused(self) -> Option<usize> {
        match self {
            Self::Untested | Self::Steady | Self::Remade { .. } => None,
            Self::Renamed { refused } | Self::Spent { refused } => Some(refused),
        }
    }
}

/// What became of a control.
pub(super) enum Tried {
    Succeeded(usize),
    Refused(usize),
    /// The process is gone.
    Lost(usize),
}

/// How far the reader of a tool's refusals has come.
#[derive(Debug)]
pub(super) struct RepairProgress {
    pub(super) left: usize,
    /// The arguments that were sent.
    pub(super) seen: HashSet<String>,
    /// The tools that refusals named to be called first.
    pub(super) followed: Vec<String>,
}

impl Default for RepairProgress {
    fn default() -> Self {
        Self { left: MAX_REPAIRS, seen: HashSet::new(), followed: Vec::new() }
    }
}
