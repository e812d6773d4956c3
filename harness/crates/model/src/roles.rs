//! The roles of tools in scenarios, and which tool of a server plays which.
//!
//! The main type is [`Binding`]: it ties a [`Role`] and its parameters to one tool, by the tool's name and its
//! schema. It knows nothing of sessions or verdicts.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

mod batch;
mod bind;
mod by_hand;
mod compose;
mod edited;
mod fill;
mod fit;
mod reason;
#[cfg(test)]
mod recorded;
mod slot;
mod vocabulary;

pub use bind::bind;
pub use by_hand::{ByHand, HandError, bind_by_hand};
pub use compose::{Composed, Unplaced};
pub use edited::Edited;

/// The purpose for which a scenario calls a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Runs a command. Parameters: `command`, `background`, `timeout` in seconds.
    Shell,
    /// Returns the output of a background task. Parameters: `task`.
    TaskOutput,
    /// Reads a text file. Parameters: `path`, and for a part of it the lines `start` and `end`, counted from 1.
    Read,
    /// Creates a file or replaces its entire content. Parameters: `path`, `content`.
    Write,
    /// Replaces a text within a file. Parameters: `path`, `old`, `new`, `all`.
    Replace,
    /// Makes several replacements in one file, all or none. Parameters: `path`, `edits` (a list of `old`, `new`,
    /// `all`), `dry-run`, `backup`.
    MultiEdit,
    /// Makes several replacements in several files, all or none. Parameters: `files` (a list of `path` and `edits`,
    /// those as in `multi-edit`), `dry-run`, `backup`.
    MultiEditFiles,
    /// Searches the content of files for a regular expression. Parameters: `pattern`, `path`, `mode`.
    Grep,
    /// Finds files by name. Parameters: `pattern`, `path`, `type`.
    Glob,
    /// Shows which commit each line of a file comes from. Parameters: `path`, and the lines `start` and `end`.
    Blame,
    /// Lists the commits that changed a file. Parameters: `path`.
    History,
    /// Sends a request to an HTTP service. Parameters: `url`, `timeout` in seconds.
    Http,
    /// Reserves files for an agent, so that no other agent can reserve them. Parameters: `agent`, `pattern`.
    Reserve,
    /// Releases a reservation. Parameters: `agent`, `pattern`.
    Release,
    /// No tool has this role: the call uses a name that the server does not list.
    Absent,
}

/// The beginning of the reason for a case that is skipped because no tool plays its role.
const WITHOUT_TOOL: &str = "no tool was found for the role ";

/// Why a case that needs this role is skipped on a server without a tool for it.
pub fn without_tool(role: Role) -> String {
    format!("{WITHOUT_TOOL}`{role}`")
}

/// The role in a reason made by [`without_tool`].
pub fn role_without_tool(reason: &str) -> Option<&str> {
    reason.strip_prefix(WITHOUT_TOOL)?.strip_prefix('`')?.strip_suffix('`')
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As it is written in files.
        self.serialize(formatter)
    }
}

impl Role {
    /// Every role that a tool can play, in the order in which they are listed.
    pub const PLAYED: [Self; 14] = [
        Self::Shell,
        Self::TaskOutput,
        Self::Read,
        Self::Write,
        Self::Replace,
        Self::MultiEdit,
        Self::MultiEditFiles,
        Self::Grep,
        Self::Glob,
        Self::Blame,
        Self::History,
        Self::Http,
        Self::Reserve,
        Self::Release,
    ];

    /// What a tool in this role does, in one sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Shell => "Runs a command.",
            Self::TaskOutput => "Returns the output of a background task.",
            Self::Read => "Reads a text file, or some of its lines.",
            Self::Write => "Creates a file or replaces its entire content.",
            Self::Replace => "Replaces a text within a file.",
            Self::MultiEdit => "Makes several replacements in one file, all or none.",
            Self::MultiEditFiles => "Makes several replacements in several files, all or none.",
            Self::Grep => "Searches the content of files for a regular expression.",
            Self::Glob => "Finds files by name.",
            Self::Blame => "Shows which commit each line of a file comes from.",
            Self::History => "Lists the commits that changed a file.",
            Self::Http => "Sends a request to an HTTP service.",
            Self::Reserve => "Reserves files for an agent.",
            Self::Release => "Releases a reservation.",
            Self::Absent => "Not played by any tool.",
        }
    }

    /// The role's parameters by their names in cases: the required ones first.
    pub fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Shell => &["command", "background", "timeout"],
            Self::TaskOutput => &["task"],
            Self::Read => &["path", "start", "end"],
            Self::Write => &["path", "content"],
            Self::Replace => &["path", "old", "new", "all"],
            Self::MultiEdit => &["path", "edits", "old", "new", "all", "dry-run", "backup"],
            Self::MultiEditFiles => &["files", "path", "edits", "old", "new", "all", "dry-run", "backup"],
            Self::Grep => &["pattern", "path", "mode"],
            Self::Glob => &["pattern", "path", "type"],
            Self::Blame => &["path", "start", "end"],
            Self::History => &["path"],
            Self::Http => &["url", "timeout"],
            Self::Reserve | Self::Release => &["agent", "pattern"],
            Self::Absent => &[],
        }
    }

    /// The members of the items of a parameter that is a list; empty if it is not a list.
    pub fn members(self, parameter: &str) -> &'static [&'static str] {
        match (self, parameter) {
            (Self::MultiEdit | Self::MultiEditFiles, "edits") => &["old", "new", "all"],
            (Self::MultiEditFiles, "files") => &["path", "edits"],
            _ => &[],
        }
    }

    /// Whether a parameter is a member of the items of another one, which is a list.
    pub fn is_member(self, parameter: &str) -> bool {
        self.parameters().iter().any(|list| self.members(list).contains(&parameter))
    }

    /// Whether a successful call changes a file.
    pub fn writes(self) -> bool {
        self == Self::Write || self.replaces()
    }

    /// Whether the role replaces texts in files.
    pub fn replaces(self) -> bool {
        matches!(self, Self::Replace | Self::MultiEdit | Self::MultiEditFiles)
    }

    /// The parameters without which a tool cannot have this role.
    pub fn required(self) -> &'static [&'static str] {
        let required = match self {
            Self::Shell | Self::TaskOutput | Self::Read | Self::Grep | Self::Glob => 1,
            Self::Blame | Self::History | Self::Http => 1,
            Self::Write | Self::Reserve | Self::Release => 2,
            Self::Replace => 3,
            Self::MultiEdit => 4,
            Self::MultiEditFiles => 5,
            Self::Absent => 0,
        };
        &self.parameters()[..required]
    }
}

/// The tool that plays a role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Binding {
    /// The role.
    pub role: Role,
    /// The tool's name.
    pub tool: String,
    /// The place of each of the role's parameters in the tool's arguments: a name, or a path with `[]` for the
    /// first item of an array, such as `edits[].oldText`.
    pub parameters: BTreeMap<String, String>,
    /// The argument that contains all others, such as `params`, if there is one. The places, and the fixed
    /// arguments, are given without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrapper: Option<String>,
    /// Arguments that are sent with every call: the command of a tool with several roles, a required time
    /// limit.
    pub fixed: Map<String, Value>,
    /// The role's parameters that the tool takes as numbers, although cases give texts: a process id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<String>,
    /// The role's parameters that the tool takes in milliseconds, although cases give seconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub milliseconds: Vec<String>,
    /// Why this tool was chosen, for the user.
    pub why: String,
}

impl Binding {
    /// A tool with the role's parameters in these places, and nothing else.
    pub fn of<N: Into<String>, P: Into<String>>(
        role: Role,
        tool: &str,
        parameters: impl IntoIterator<Item = (N, P)>,
    ) -> Self {
        let parameters = parameters.into_iter().map(|(name, path)| (name.into(), path.into()));
        Self {
            role,
            tool: tool.to_owned(),
            parameters: parameters.collect(),
            wrapper: None,
            fixed: Map::new(),
            numbers: Vec::new(),
            milliseconds: Vec::new(),
            why: String::new(),
        }
    }
}
