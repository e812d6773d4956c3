//! What the shim is given: one environment variable, which the server does not see.
//!
//! The main type is [`ShimSettings`].

use serde::{Deserialize, Serialize};

use crate::confinement::Network;

/// The variable by which this program knows that it is the shim.
pub(super) const VARIABLE: &str = "MCP_ERRCONF_CONFINE";

/// What the shim does before it becomes the server, or starts it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ShimSettings {
    pub(super) task: ShimTask,
    pub(super) layers: ConfinementLayers,
    /// Ports of the loopback that may be spoken to.
    pub(super) ports: Vec<u16>,
    /// The abstract Unix socket that takes the listeners of these ports, where the server has a network of its own.
    pub(super) taker: Option<String>,
}

/// What is wanted of the shim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ShimTask {
    /// To confine itself and become the server, or start it.
    Start,
    /// To confine itself and end: whether it can.
    Try,
}

/// What the confinement consists of.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ConfinementLayers {
    /// Namespaces, a root of its own, no capability, a list of system calls, Landlock where there is one.
    All { namespaces: Namespaces, root: Root },
    /// What stands without namespaces: Landlock, the list of system calls, no capability.
    Some {
        network: Network,
        /// Folders below which may be written.
        write: Vec<String>,
    },
}

/// How namespaces are had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Namespaces {
    /// By a user namespace: any user may.
    OfAnyUser,
    /// Without one: root alone may.
    OfRoot,
}

/// The root that a server finds: what is not told here is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Root {
    /// A folder that is there, over which the new root is mounted while it is made.
    pub(super) base: String,
    /// What is mounted; the outer ones come first.
    pub(super) mounts: Vec<Mount>,
    /// Symbolic links, with where they lead.
    pub(super) links: Vec<(String, String)>,
    /// Files and folders within that are empty for the server.
    pub(super) masks: Vec<String>,
    /// Its working folder.
    pub(super) cwd: String,
}

/// One thing that is mounted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mount {
    pub(super) path: String,
    pub(super) kind: MountKind,
}

/// How something is mounted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MountKind {
    /// What stands there may be read.
    Read,
    /// What stands there may be read; what is written is dropped in the end, where the system has a way for that.
    Dropped,
    /// An empty folder of the server's own, dropped in the end.
    Empty,
    /// What stands there may be read and written.
    Write,
}

impl ShimSettings {
    /// As the variable's value.
    pub(super) fn written(&self) -> Result<String, String> {
        serde_json::to_string(self).map_err(|error| format!("cannot serialize the confinement: {error}"))
    }
}
