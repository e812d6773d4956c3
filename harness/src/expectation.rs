//! What must hold of a reply: that the call fails, and why, and what the message tells.
//!
//! The main type is [`Expected`]. Who expects it, a case or a probe, is not known here, nor how a reply is read.

use serde::{Deserialize, Serialize};

use crate::condition::Condition;

/// What must hold of a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// Nothing is known of what it must be: only the ungated rules speak.
    Anything,
    /// Where it succeeds, its reply holds this text; that it succeeds is not promised.
    Telling(String),
    /// Where it succeeds, a file of the case has changed; that it succeeds is not promised.
    Changing,
    /// The server was started without this environment variable, and with it the same request is answered otherwise: an
    /// error says what is missing.
    Without(String),
    /// It must succeed.
    Success {
        /// The exit status that the text must tell.
        exit_status: Option<i32>,
        /// Why a refusal is wrong, in words that end "... must succeed: WHY".
        why: String,
        /// The refusal would be one of a limit on background tasks.
        task_limit: bool,
        /// A success changes a file of the case: what differs after the call was looked at.
        #[serde(default)]
        changes_file: bool,
    },
    /// It must fail.
    Failure(ExpectedFailure),
}

/// What must hold of an error reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExpectedFailure {
    /// Why it must fail, in words that no contract owns.
    pub condition: Condition,
    /// The value that was wrong, in the server's own terms: names of parameters are the tool's.
    pub value: Option<ExpectedValue>,
    /// The hint that must be there, in the server's own terms.
    pub hint: Option<Hint>,
    /// The tool's parameter whose valid values must be listed.
    pub valid_values_of: Option<String>,
    /// Success is as right where the server declares no contract.
    #[serde(default)]
    pub only_if_declared: bool,
    /// Success is as right everywhere.
    #[serde(default)]
    pub or_success: bool,
    /// Who says that it must fail.
    #[serde(default)]
    pub authority: Authority,
    /// What the reply must say about the edit that fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub editing: Option<Box<ExpectedEditing>>,
    /// What the reply must give an agent to go by, beside its code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Box<Recovery>>,
}

/// Who says that a call must fail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Authority {
    /// The contract: a scenario, or a probe of what a role promises.
    #[default]
    Contract,
    /// The tool's own schema forbids the arguments, as a validator confirmed.
    Schema,
    /// MCP itself, of a request for a resource or a prompt.
    Protocol,
    /// The contract, of a call with nothing wrong: the HTTP service behind the server fails while it is carried out. What
    /// its caller could change is not known.
    Service,
}

impl ExpectedFailure {
    /// Whether the call itself holds the fault, so that another call could do without it.
    pub fn is_of_call(&self) -> bool {
        self.authority != Authority::Service
    }
}

/// What an error about edits must tell, and what is true.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExpectedEditing {
    /// The file that it is about, as it was sent.
    pub file: String,
    /// Its index, counted from 0, if the call names several.
    pub file_index: Option<usize>,
    /// The index, counted from 0, of the edit that fails, if the call has a list of edits.
    pub edit: Option<usize>,
    /// Those that are not tried after it.
    pub skipped: Vec<usize>,
    /// The old text of the edit that fails.
    pub sought: Option<String>,
    /// What stands in the file, where the reply must show some of it.
    pub content: Option<String>,
}

/// What an agent needs to recover from an error, as the case brought it about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Recovery {
    /// How long to wait, where a service behind the server says that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    /// Who holds what the call asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
}

/// A time to wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Wait {
    /// How many seconds, counted from the service's answer.
    pub seconds: u64,
    /// The date that the service gave in the place of a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// What must be known of a server before a case can be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// A folder that it must not leave.
    Root,
    /// The largest file that it reads; a file's `beyond-limit` is relative to it.
    MaxFileSize,
    /// How many background tasks may run; the preparation `fill-tasks` starts that many.
    TaskLimit,
    /// A pattern of paths that it refuses; `{denied}` stands for a name that one of them matches.
    Deny,
}

/// A value that a message must contain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ExpectedValue {
    /// A path: as sent, resolved, or its last component if that is distinctive.
    Path(String),
    /// A number on its own, not a digit of another one.
    Count(u64),
    /// A text: a pattern, an id, a bad value.
    Text(String),
    /// The name of a parameter, here the role's name of it.
    Parameter(String),
    /// What the call sends in this parameter of the role; a plan has the value in its place.
    Argument(String),
    /// A limit of the server; a plan has the number in its place.
    Limit(Need),
    /// One of these is enough.
    AnyOf(Vec<ExpectedValue>),
}

impl ExpectedValue {
    /// The parameters that it names.
    pub fn parameters(&self) -> Vec<&str> {
        match self {
            Self::Parameter(name) => vec![name],
            Self::AnyOf(values) => values.iter().flat_map(Self::parameters).collect(),
            Self::Path(_) | Self::Count(_) | Self::Text(_) | Self::Argument(_) | Self::Limit(_) => Vec::new(),
        }
    }
}

/// A hint that a machine can follow: this parameter with this value makes the call succeed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Hint {
    /// The parameter, in a case file the role's name of it.
    pub parameter: String,
    /// The value to send.
    pub value: serde_json::Value,
}
