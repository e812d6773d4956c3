//! The scenarios: what a case file may say.
//!
//! The main type is [`Case`], one file under `cases/`; its id is its path. A case names roles and conditions, never a
//! server's tools and never a contract's codes. This module knows nothing of sessions or verdicts.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::argument::Arguments;
use crate::condition::{CaseId, Condition};
use crate::expectation::{ExpectedValue, Hint, Need, Recovery, Wait};
use crate::roles::Role;

mod check;
mod editing;
mod load;
#[cfg(test)]
mod mistakes;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod shipped;
mod upstream;
mod values;

pub use editing::{CaseEditing, RepeatedLines};
pub use load::{FilterError, Suite, filter, load_builtin, load_case, load_dir};
pub use upstream::{LOG_IN, MADE_UP_MEMBER, Page, RetryAfter, Route, StubResponse};
pub use values::CaseValues;

/// One scenario, with its id.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The path of its file.
    pub id: CaseId,
    /// What the file says.
    pub script: Script,
    /// The file's values, key by key.
    pub values: CaseValues,
}

/// What a case file says.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Script {
    /// One sentence: what a correct server does.
    pub title: String,
    /// Why the call must fail; absent if it must succeed.
    pub condition: Option<Condition>,
    /// Ids of the requirements that it covers, such as `BC-14`.
    pub requirements: Vec<String>,
    /// Limits of the server that must be known; otherwise the case is skipped.
    #[serde(default)]
    pub needs: Vec<Need>,
    /// Whether it changes the state of the server itself and therefore gets a separate process.
    #[serde(default)]
    pub process: ProcessChoice,
    /// Files that it finds in its own folder, `{case}`.
    #[serde(default, rename = "file")]
    pub files: Vec<File>,
    /// What the HTTP service behind the server answers, at addresses below `{upstream}`.
    #[serde(default)]
    pub upstream: Vec<Route>,
    /// Calls before the control that must succeed.
    #[serde(default)]
    pub prepare: Vec<Prepare>,
    /// The call that must succeed and differs from `call` only in the fault. Absent only if there can be no such call,
    /// as for an unknown tool.
    pub control: Option<Action>,
    /// What is done after the control and before the call.
    #[serde(default)]
    pub meanwhile: Vec<Prepare>,
    /// The call that the case is about.
    pub call: Action,
    /// Calls after it, in order. Those that repeat the case's call must get the same code.
    #[serde(default)]
    pub again: Vec<Action>,
    /// Calls after everything else, whatever its outcome: they release what the case took from the server and would
    /// otherwise leave there. Their replies are not judged. A call for which the server has no tool is left out.
    #[serde(default)]
    pub cleanup: Vec<Action>,
    /// What the reply to `call` must satisfy.
    #[serde(default)]
    pub expect: Expect,
}

impl Script {
    /// What the reply to its call must say about recovery.
    pub fn recovery(&self) -> Option<Recovery> {
        let Expect { wait, holder, .. } = &self.expect;
        let wait = wait.map(|seconds| Wait { seconds, until: None });
        (wait.is_some() || holder.is_some()).then(|| Recovery { wait, holder: holder.clone() })
    }
}

/// Which process drives a case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProcessChoice {
    /// The one that drives most cases.
    #[default]
    Shared,
    /// A separate one.
    Own,
}

/// A file that a case finds in its folder.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct File {
    /// Inside the case's folder, with `/` as separator.
    pub path: String,
    /// Its content.
    pub content: FileContent,
}

/// What is at a file's path.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FileContent {
    /// A text.
    Text(String),
    /// A text of many lines.
    Lines(RepeatedLines),
    /// Lines of letters, this many bytes over the server's file size limit; below it if negative.
    BeyondLimit(i64),
    /// A folder.
    Directory,
    /// A symbolic link to this target.
    Link(String),
    /// Bytes that are not text, as two hexadecimal digits each.
    Hex(String),
    /// A folder that is a git repository with these commits, the oldest first, and the files of the last one.
    Git(Vec<Commit>),
    /// A named pipe that nobody writes to; on systems without them nothing is made.
    Fifo,
}

/// One commit of a repository. Its author and date are the harness's own.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Commit {
    /// Its message.
    pub message: String,
    /// The text of each file that it adds or changes, by its path inside the repository.
    pub files: BTreeMap<String, String>,
    /// The branch that it is on, besides the one that is checked out; where no commit before is on it, it begins at the
    /// one before. Its files are not laid out.
    #[serde(default)]
    pub branch: Option<String>,
    /// A tag that it has.
    #[serde(default)]
    pub tag: Option<String>,
}

/// One call of a scenario.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Action {
    /// The role whose tool is called.
    pub role: Role,
    /// Arguments by the role's parameter names; `{workspace}`, `{case}` and `{outside}` in strings stand for folders.
    #[serde(default)]
    pub arguments: Arguments,
    /// A required parameter of the role that is left out, although the tool requires it.
    pub without: Option<String>,
    /// For a control: a text that its reply contains if it did what it was asked to do. It must not be in the
    /// arguments, because a refusal may repeat those.
    pub tells: Option<String>,
}

/// Something that creates the state that a case needs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Prepare {
    /// A call that must succeed.
    Call(Action),
    /// Background tasks are started until as many run as the server allows, less `leave`.
    FillTasks(FillTasks),
    /// A file in the case's folder is deleted by the harness.
    RemoveFile(String),
    /// Tasks are started in another session, on a separate process; `{task}` stands for the id of the last one.
    Elsewhere(Elsewhere),
}

/// See [`Prepare::Elsewhere`].
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Elsewhere {
    /// How many times.
    pub times: u64,
    /// The call that starts one.
    pub call: Action,
}

/// See [`Prepare::FillTasks`].
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FillTasks {
    /// How many places stay free.
    pub leave: u64,
    /// The call that starts one.
    pub call: Action,
}

/// What the reply to a case's call must satisfy. Whether the call must fail (with the condition's code) or succeed
/// follows from the case's condition.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Expect {
    /// The value that the message must contain.
    pub value: Option<ExpectedValue>,
    /// The hint that the message must give; it is then followed, and must help.
    pub hint: Option<Hint>,
    /// The role's parameter whose valid values the message must list; each is then sent, and must be accepted.
    pub valid_values: Option<String>,
    /// What the reply must say about the edit that fails.
    pub editing: Option<CaseEditing>,
    /// The seconds that the service behind the server asks to wait before the next call, which the reply must pass on.
    /// If the service gives a date, they are computed from it.
    pub wait: Option<u64>,
    /// The agent who holds the requested resource: the one to whom the reply refers another agent.
    pub holder: Option<String>,
    /// The exit status that the reply must give.
    pub exit_status: Option<i32>,
    /// The call is repeated for this many seconds while it is refused, because the server may need a moment to notice.
    pub accepted_within: Option<u64>,
    /// Success is as correct as failure, unless the server declares a contract that says otherwise.
    #[serde(default)]
    pub only_if_declared: bool,
    /// Success is as correct as failure, whatever the contract says.
    #[serde(default)]
    pub or_success: bool,
    /// For a call that must succeed: why a refusal is wrong, in words that follow "must succeed:".
    pub why: Option<String>,
}
