//! What a session has learnt about each tool, by the tool's name.
//!
//! The main type is [`ToolMemory`]. It is data: what sends calls fills it and asks it.

use std::collections::{HashMap, HashSet};

use crate::suite::File;

use super::control::Paths;
use super::control_state::ProbeControl;

/// What a session has learnt about each tool.
#[derive(Default)]
pub(super) struct ToolMemory {
    /// The call of each probed tool that succeeded.
    pub(super) probe_controls: HashMap<String, ProbeControl>,
    /// The exchanges in which a control of the tool was refused when it was sent again.
    pub(super) refused_again: HashMap<String, Vec<usize>>,
    /// Tools for which no further call is drawn.
    pub(super) given_up: HashSet<String>,
    /// Tools that carried out a call that they must refuse, where the server is not confined: they get no further one.
    pub(super) taken: HashSet<String>,
    /// The kind of paths that the tool was seen to take.
    pub(super) paths: HashMap<String, Paths>,
    /// The files that are laid out for the tool besides those of its probes: its messages asked for such.
    pub(super) supplied: HashMap<String, Vec<File>>,
    /// How many unusual calls went to a tool for which no successful call is known.
    pub(super) baseless: HashMap<String, usize>,
}
