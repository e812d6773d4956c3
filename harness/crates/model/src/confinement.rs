//! The confinement of a server during a run, as it stands in the head of a report.
//!
//! The main type is [`Confinement`]. How a server is confined is defined elsewhere.

use std::fmt::Display;

use serde::{Deserialize, Serialize};

/// The words in a reason for something that the server needed and was denied.
pub const DENIED: &str = "which confinement denies it";
/// The beginning of the option in a reason that would allow it.
const ALLOW: &str = "`--allow-";

/// The option that allows access to a path, for a reason; `access` is `read` or `write`.
pub fn allowed_by(access: &str, path: impl Display) -> String {
    format!("{ALLOW}{access} {path}` allows it")
}

/// What the reason for an unjudged case says about the confinement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial<'r> {
    /// It denied something that this option would allow.
    Avoidable(&'r str),
    /// It denied something that no option allows.
    Final,
}

impl<'r> Denial<'r> {
    /// Reads a reason made with [`DENIED`] and [`allowed_by`]; `None` if it is about something else.
    pub fn of(reason: &'r str) -> Option<Self> {
        let option = reason.find(ALLOW).and_then(|at| reason[at + 1..].split('`').next());
        option.map(Self::Avoidable).or_else(|| reason.contains(DENIED).then_some(Self::Final))
    }
}

/// Whether the server was confined, and to what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Confinement {
    /// Confinement was not requested.
    #[default]
    Off,
    /// Confinement was requested if available, and is not available here; with the reason.
    Unavailable(String),
    /// The server was confined.
    Confined(Confined),
}

/// The measures in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Confined {
    /// The network access of the server.
    pub network: Network,
    /// The access to the user's home.
    #[serde(default)]
    pub home: Home,
    /// Files and folders of the user that the server may read besides its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_read: Vec<String>,
    /// Folders below which the server may write, besides the workspace and its own temporary folder.
    pub allow_write: Vec<String>,
    /// The names of environment variables whose values were not passed on because they look like secrets.
    pub kept_back: Vec<String>,
    /// Whether it was started in the workspace, because its tools refuse paths outside their working folder.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_workspace: bool,
}

/// The network access of a confined server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// Only the loopback of a network namespace of its own.
    Namespace,
    /// Only the harness's own TCP ports. UDP is not restricted.
    Ports,
}

/// The user's home, as a confined server sees it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Home {
    /// An empty folder, except for the files that make up the server.
    #[default]
    Hidden,
    /// The whole home is readable; writes are discarded at the end.
    Dropped,
}

/// The result of a second, confined session, which sends the calls that a tool's class forbids without
/// confinement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SecondSessionResult {
    /// It took place, with this confinement.
    Driven(Confined),
    /// It was needed, but could not be started; with the reason.
    Missing(String),
}

impl Confinement {
    /// Whether confinement was not requested.
    pub fn is_off(&self) -> bool {
        *self == Self::Off
    }
}
