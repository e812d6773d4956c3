//! What is expected of a reply: whether the call fails, why, and what the message says.
//!
//! The main type is [`Expected`]. It does not know whether a case or a probe expects it, or how a reply is
//! read.

use std::fmt;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::condition::{self, Condition, ConditionTrait};

/// What must hold of a reply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// Nothing is known about the expected reply, so only the ungated rules apply.
    #[default]
    Anything,
    /// If it succeeds, its reply contains this text; success is not promised.
    Telling(String),
    /// If it succeeds, a file of the case has changed; success is not promised.
    Changing,
    /// The server was started without this environment variable, and answers the same request differently with
    /// it: an error must say what is missing.
    Without(String),
    /// It must succeed.
    Success {
        /// The exit status that the text must give.
        exit_status: Option<i32>,
        /// Why a refusal is wrong, in words that end "... must succeed: WHY".
        why: String,
        /// Whether a refusal would be because of a limit on background tasks.
        task_limit: bool,
        /// Whether a success changes a file of the case, so that files were compared.
        #[serde(default)]
        changes_file: bool,
        /// Who says that it must succeed.
        #[serde(default)]
        authority: Authority,
    },
    /// The call that it follows was refused: it must not show that this one was carried out.
    Undone,
    /// It must fail.
    Failure(ExpectedFailure),
}

/// What must hold of an error reply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ExpectedFailure {
    /// Why it must fail, in words that belong to no contract.
    pub condition: Condition,
    /// The wrong value, in the server's own terms: parameters have the tool's names.
    pub value: Option<ExpectedValue>,
    /// The hint that must be given, in the server's own terms.
    pub hint: Option<Hint>,
    /// The tool's parameter whose valid values must be listed.
    pub valid_values_of: Option<String>,
    /// Whether success is right too if the server declares no contract.
    #[serde(default)]
    pub only_if_declared: bool,
    /// Whether success is always right too.
    #[serde(default)]
    pub or_success: bool,
    /// Who says that it must fail.
    #[serde(default)]
    pub authority: Authority,
    /// What the reply must say about the edit that fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub editing: Option<Box<ExpectedEditing>>,
    /// What the reply must say about recovery, besides its code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Box<Recovery>>,
}

/// Who says that a call must fail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Authority {
    /// The contract: a scenario, or a probe of what a role promises.
    #[default]
    Contract,
    /// The tool's own schema forbids the arguments, as a validator confirmed.
    Schema,
    /// MCP itself, of a request for a resource or a prompt.
    Protocol,
    /// The contract, for a call without a fault: the HTTP service behind the server fails during it. What the
    /// caller could change is unknown.
    Service,
    /// Other calls of the run: their replies show that this one cannot have done what a success says.
    Calls,
    /// The same call in the same process: it succeeded while no other one was in flight.
    Alone,
    /// The same call in the same process: it succeeded before other calls were refused.
    Before,
}

impl Expected {
    /// A success of which nothing more is known than who promises it, and why.
    pub fn success(why: &str, authority: Authority) -> Self {
        let why = why.to_owned();
        Self::Success { exit_status: None, why, task_limit: false, changes_file: false, authority }
    }

    /// Why it must fail, if it must.
    pub fn condition(&self) -> Option<&Condition> {
        match self {
            Self::Failure(failure) => Some(&failure.condition),
            _ => None,
        }
    }

    /// Whether a refusal because of too many calls is about those calls, and not about what is expected of this one.
    pub fn may_be_hidden_by_a_limit(&self) -> bool {
        match self {
            Self::Failure(failure) => {
                failure.is_of_call() && !condition::has(&failure.condition.0, ConditionTrait::Circumstance)
            }
            _ => true,
        }
    }
}

impl ExpectedFailure {
    /// A failure about whose message nothing more is known.
    pub fn of(condition: Condition, authority: Authority) -> Self {
        Self { condition, authority, ..Self::default() }
    }

    /// Whether the fault is in the call itself, so that another call could avoid it.
    pub fn is_of_call(&self) -> bool {
        self.authority != Authority::Service
    }
}

/// What an error about edits must say, and the true values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ExpectedEditing {
    /// The path of the file, as it was sent.
    pub file: String,
    /// Its index, counted from 0, if the call names several.
    pub file_index: Option<usize>,
    /// The index, counted from 0, of the edit that fails, if the call has a list of edits.
    pub edit: Option<usize>,
    /// The edits that are not tried after it.
    pub skipped: Vec<usize>,
    /// The old text of the edit that fails.
    pub sought: Option<String>,
    /// The content of the file, if the reply must show some of it.
    pub content: Option<String>,
}

/// What an agent needs to recover from an error, as the case brought it about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Recovery {
    /// How long to wait, if a service behind the server says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    /// Who holds the requested resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
}

/// A time to wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Wait {
    /// How many seconds, counted from the service's answer.
    pub seconds: u64,
    /// The date that the service gave instead of a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

impl Wait {
    /// How many seconds a reply may give, `passed` seconds after the service's answer: no fewer than are left, and half as
    /// many again, which leaves room for jitter.
    pub fn admitted(&self, passed: u64) -> RangeInclusive<u64> {
        let most = self.seconds.saturating_add((self.seconds / 2).max(1));
        self.seconds.saturating_sub(passed)..=most
    }
}

impl fmt::Display for Wait {
    /// In words for a sentence. The date itself differs in each run, so it is not shown.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = if self.until.is_some() { ", by a date" } else { "" };
        write!(formatter, "the service behind the server asks to wait {} s{form}", self.seconds)
    }
}

/// What must be known of a server before a case can be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
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
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
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
    /// What the call sends in this parameter of the role; replaced by the value in a plan.
    Argument(String),
    /// A limit of the server; replaced by the number in a plan.
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
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Hint {
    /// The parameter, in a case file the role's name of it.
    pub parameter: String,
    /// The value to send.
    pub value: serde_json::Value,
}
