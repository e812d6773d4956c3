//! What a session has learnt about each tool, by the tool's name.
//!
//! The main type is [`ToolMemory`]. It is plain data, filled and read by what sends calls.

use std::collections::{HashMap, HashSet};

use crate::suite::File;

use super::control::Paths;
use super::control_state::ProbeControl;

/// What a session has learnt about each tool.
#[derive(Default)]
pub(super) struct ToolMemory {
    /// By tool, the control of its probes.
    pub(super) probe_controls: HashMap<String, ProbeControl>,
    /// By tool, the exchanges in which a control was refused when it was sent again.
    pub(super) refused_again: HashMap<String, Vec<usize>>,
    /// Tools for which no more calls are drawn.
    pub(super) given_up: HashSet<String>,
    /// Tools that accepted a call that they had to refuse, without confinement: they get no more of these.
    pub(super) taken: HashSet<String>,
    /// By tool, the kind of paths that it accepts.
    pub(super) paths: HashMap<String, Paths>,
    /// By tool, the files laid out besides those of its probes, because its messages asked for them.
    pub(super) supplied: HashMap<String, Vec<File>>,
    /// By tool, how many unusual calls were sent without a known successful call.
    pub(super) baseless: HashMap<String, usize>,
    /// Whether a tool did not answer a call with a pipe to which nobody writes.
    pub(super) waits_for_pipe: bool,
}
