//! What the shim is told: one environment variable, which the server does not see.
//!
//! The main type is [`Settings`].

use serde::{Deserialize, Serialize};

use crate::confinement::Network;

/// The variable by which this program knows that it is the shim.
pub(super) const VARIABLE: &str = "MCP_ERRCONF_CONFINE";

/// What the shim does before it becomes the server.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Settings {
    pub(super) task: Task,
    pub(super) network: Network,
    /// Folders below which may be written.
    pub(super) write: Vec<String>,
    /// Ports that may be spoken to.
    pub(super) ports: Vec<u16>,
}

/// What is wanted of the shim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Task {
    /// To confine itself and become the server.
    Start,
    /// To confine itself and end: whether it can.
    Try,
}

impl Settings {
    /// As the variable's value.
    pub(super) fn written(&self) -> Result<String, String> {
        serde_json::to_string(self)
            .map_err(|error| format!("the confinement cannot be written down: {error}"))
    }
}
