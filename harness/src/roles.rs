//! What a scenario calls a tool for, and which tool of a server plays it.
//!
//! The main type is [`Binding`]: it ties a [`Role`] and its parameters to one tool, by the tool's name and its schema.
//! This module knows nothing of sessions or verdicts.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

mod bind;
mod by_hand;
mod compose;
mod fill;
mod fit;
#[cfg(test)]
mod recorded;
mod slot;
mod vocabulary;

pub use bind::bind;
pub use by_hand::{ByHand, HandError, bind_by_hand};
pub use compose::{Composed, Unplaced};

/// What a scenario calls a tool for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Runs a command. Parameters: `command`, `background`, `timeout` in seconds.
    Shell,
    /// Tells the output of a background task. Parameters: `task`.
    TaskOutput,
    /// Reads a text file. Parameters: `path`, and for a part of it the lines `start` and `end`, counted from 1.
    Read,
    /// Creates a file or replaces its whole content. Parameters: `path`, `content`.
    Write,
    /// Replaces a text within a file. Parameters: `path`, `old`, `new`, `all`.
    Replace,
    /// Searches the content of files by a regular expression. Parameters: `pattern`, `path`, `mode`.
    Grep,
    /// Searches for files by their names. Parameters: `pattern`, `path`, `type`.
    Glob,
    /// Asks an HTTP service. Parameters: `url`, `timeout` in seconds.
    Http,
    /// Reserves files for an agent, so that no other one may. Parameters: `agent`, `pattern`.
    Reserve,
    /// Gives a reservation up. Parameters: `agent`, `pattern`.
    Release,
    /// No tool plays it: it is called by a name that the server does not list.
    Absent,
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Shell => "shell",
            Self::TaskOutput => "task-output",
            Self::Read => "read",
            Self::Write => "write",
            Self::Replace => "replace",
            Self::Grep => "grep",
            Self::Glob => "glob",
            Self::Http => "http",
            Self::Reserve => "reserve",
            Self::Release => "release",
            Self::Absent => "absent",
        })
    }
}

impl Role {
    /// Every role that a tool can play, in the order in which they are told.
    pub const PLAYED: [Self; 10] = [
        Self::Shell,
        Self::TaskOutput,
        Self::Read,
        Self::Write,
        Self::Replace,
        Self::Grep,
        Self::Glob,
        Self::Http,
        Self::Reserve,
        Self::Release,
    ];

    /// What a tool that plays it does, in one sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Shell => "Runs a command.",
            Self::TaskOutput => "Tells the output of a background task.",
            Self::Read => "Reads a text file, or some of its lines.",
            Self::Write => "Creates a file or replaces its whole content.",
            Self::Replace => "Replaces a text within a file.",
            Self::Grep => "Searches the content of files by a regular expression.",
            Self::Glob => "Searches for files by their names.",
            Self::Http => "Asks an HTTP service.",
            Self::Reserve => "Reserves files for an agent.",
            Self::Release => "Gives a reservation up.",
            Self::Absent => "No tool plays it.",
        }
    }

    /// The names that a case has for the role's parameters: the required ones first.
    pub fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Shell => &["command", "background", "timeout"],
            Self::TaskOutput => &["task"],
            Self::Read => &["path", "start", "end"],
            Self::Write => &["path", "content"],
            Self::Replace => &["path", "old", "new", "all"],
            Self::Grep => &["pattern", "path", "mode"],
            Self::Glob => &["pattern", "path", "type"],
            Self::Http => &["url", "timeout"],
            Self::Reserve | Self::Release => &["agent", "pattern"],
            Self::Absent => &[],
        }
    }

    /// Those of its parameters without which a tool cannot play it.
    pub fn required(self) -> &'static [&'static str] {
        let required = match self {
            Self::Shell | Self::TaskOutput | Self::Read | Self::Grep | Self::Glob | Self::Http => 1,
            Self::Write | Self::Reserve | Self::Release => 2,
            Self::Replace => 3,
            Self::Absent => 0,
        };
        &self.parameters()[..required]
    }
}

/// Which tool plays a role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Binding {
    /// The role.
    pub role: Role,
    /// The tool's name.
    pub tool: String,
    /// Where each of the role's parameters stands in the tool's arguments: a name, or a path with `[]` for the first
    /// item of an array, such as `edits[].oldText`.
    pub parameters: BTreeMap<String, String>,
    /// Arguments that are always sent: the command of a tool that plays several roles, a required time limit.
    pub fixed: Map<String, Value>,
    /// Those of the role's parameters that the tool takes as numbers, though a case gives texts: a process id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<String>,
    /// Those of them that the tool takes in milliseconds, though a case gives seconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub milliseconds: Vec<String>,
    /// Why this tool, for the user.
    pub why: String,
}
