//! What a server was kept from while it was driven, as the head of a report tells it.
//!
//! The main type is [`Confinement`]. How a server is confined is not known here.

use std::fmt::Display;

use serde::{Deserialize, Serialize};

/// What a reason says of something that a server needed and was kept from.
pub(crate) const DENIED: &str = "which confinement denies it";
/// How an option that allows it begins where a reason names it.
pub(crate) const ALLOW: &str = "`--allow-";

/// The option that allows access to a path, as a reason names it; `access` is `read` or `write`.
pub(crate) fn allowed_by(access: &str, path: impl Display) -> String {
    format!("{ALLOW}{access} {path}` allows it")
}

/// Whether the server was confined, and to what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Confinement {
    /// Nobody asked for it.
    #[default]
    Off,
    /// It was requested if available, and is not available here; with the reason.
    Unavailable(String),
    /// It was.
    Confined(Confined),
}

/// What is in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Confined {
    /// What it reaches of the network.
    pub network: Network,
    /// What it sees of the user's home.
    #[serde(default)]
    pub home: Home,
    /// Files and folders of the user that it may read besides its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_read: Vec<String>,
    /// Folders below which it may write, besides the workspace and a temporary folder of its own.
    pub allow_write: Vec<String>,
    /// Environment variables that were not handed on, by their names: they look like secrets.
    pub kept_back: Vec<String>,
}

/// What a confined server reaches of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// The loopback of a network namespace of its own: nothing else is there.
    Namespace,
    /// By TCP the harness's own ports alone. UDP is not stopped.
    Ports,
}

/// What a confined server finds where the user's home is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Home {
    /// An empty folder, but for what it is made of itself.
    #[default]
    Hidden,
    /// All of it may be read; what is written there is dropped in the end.
    Dropped,
}

/// What came of a second, confined session, which sends tools the calls that their class forbids elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SecondSessionResult {
    /// It took place; what the server was kept from.
    Driven(Confined),
    /// There was something for it to do, but it could not be started; with the reason.
    Missing(String),
}

impl Confinement {
    /// Nobody asked for it.
    pub fn is_off(&self) -> bool {
        *self == Self::Off
    }
}
