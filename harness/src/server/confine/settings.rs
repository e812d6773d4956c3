//! The settings of the shim, passed in one environment variable that the server does not see.
//!
//! The main type is [`ShimSettings`].

use serde::{Deserialize, Serialize};

/// The variable that tells this program that it is the shim.
pub(super) const VARIABLE: &str = "MCP_ERRCONF_CONFINE";

/// What the shim does before it becomes the server, or starts it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ShimSettings {
    pub(super) task: ShimTask,
    /// How the namespaces are created.
    pub(super) namespaces: Namespaces,
    /// The root that the server sees.
    pub(super) root: Root,
    /// Ports of the loopback that may be connected to.
    pub(super) ports: Vec<u16>,
    /// The abstract Unix socket that receives the listeners of these ports, if the server has a network of its
    /// own.
    pub(super) taker: Option<String>,
}

/// What the shim is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ShimTask {
    /// Confine itself, and become or start the server.
    Start,
    /// Confine itself and end, to show whether that is possible.
    Try,
}

/// How namespaces are created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Namespaces {
    /// With a user namespace, which any user may create.
    OfAnyUser,
    /// Without a user namespace, which only root may do.
    OfRoot,
}

/// The root that a server sees; anything that is not listed does not exist.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Root {
    /// An existing folder over which the new root is mounted while it is built.
    pub(super) base: String,
    /// The mounts; outer ones come first.
    pub(super) mounts: Vec<Mount>,
    /// Symbolic links, with their targets.
    pub(super) links: Vec<(String, String)>,
    /// Files and folders in the mounts that appear empty to the server.
    pub(super) masks: Vec<String>,
    /// The server's working folder.
    pub(super) cwd: String,
}

/// One mount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mount {
    pub(super) path: String,
    pub(super) kind: MountKind,
}

/// The kind of a mount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MountKind {
    /// Read-only.
    Read,
    /// Readable; writes are discarded at the end, if the system supports that.
    Dropped,
    /// An empty folder of the server's own, discarded at the end.
    Empty,
    /// Readable and writable.
    Write,
}

impl ShimSettings {
    /// The settings as the variable's value.
    pub(super) fn written(&self) -> Result<String, String> {
        serde_json::to_string(self).map_err(|error| format!("cannot serialize the confinement: {error}"))
    }
}
