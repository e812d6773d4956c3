//! A whole run as data: everything that a rule or the summary may read.
//!
//! The main type is [`Transcript`]. The judge takes only this, so that a recording is judged like the live run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::catalog::Catalog;
use crate::condition::CaseId;
use crate::confinement::{Confinement, SecondSessionResult};
use crate::exchange::{EnvironmentEffect, Exchange};
use crate::finding::{LevelSetting, RunSession};
use crate::json::is_default;
use crate::machine::MachineNames;
use crate::memory::Curve;
use crate::placeholder::Folders;
use crate::roles::Binding;

mod snapshot_update;
mod snapshots;

pub use snapshot_update::{Ci, Placing, UpdateError};
pub use snapshots::{PendingPolicy, SnapshotUpdate, Snapshots, Stored};

/// Everything that was driven, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Transcript {
    /// What was known before the first case.
    pub head: Head,
    /// Every case that was planned, in the order of the plan.
    pub cases: Vec<DrivenCase>,
    /// Probes that were not sent, and why.
    #[serde(default)]
    pub withheld: Vec<Withheld>,
    /// Every exchange, by index.
    pub exchanges: Vec<Exchange>,
    /// The memory of processes over many calls, if it was measured: in `fuzz`.
    #[serde(default)]
    pub memory: Vec<Curve>,
    /// The run was ended before the plan was through: by the user, or by its time limit.
    pub interrupted: bool,
    /// The time limit that ended it, in milliseconds: `--max-time`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_after_ms: Option<u64>,
    /// Wall time, in milliseconds. Never compared.
    pub duration_ms: u64,
}

impl Transcript {
    /// A run of these exchanges, of which nothing else is known.
    pub fn of(head: Head, cases: Vec<DrivenCase>, exchanges: Vec<Exchange>) -> Self {
        Self { head, cases, exchanges, ..Self::default() }
    }

    /// The session that an exchange belongs to.
    pub fn session_of(&self, exchange: &Exchange) -> RunSession {
        let is_behind_wall = match exchange.environment {
            EnvironmentEffect::None => false,
            EnvironmentEffect::Confined | EnvironmentEffect::Denied(_) | EnvironmentEffect::Storage(_) => {
                true
            }
            // The service may fail in either session; the number of the process decides.
            EnvironmentEffect::Service(_) => self.exchanges.iter().any(|other| {
                other.process == exchange.process && other.environment == EnvironmentEffect::Confined
            }),
        };
        match self.head.second.is_some() && is_behind_wall {
            true => RunSession::Confined,
            false => RunSession::First,
        }
    }
}

/// The command of a server that runs in the process of its tests.
pub const IN_PROCESS: &str = "(in process)";

/// What is known before the first case is driven.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Head {
    /// The command line of the server, tokens not replaced.
    pub command: Vec<String>,
    /// Whether it is the bundled reference server.
    pub bundled: bool,
    /// `serverInfo.name`, empty where the server did not say.
    pub server_name: String,
    /// `serverInfo.version`, empty where the server did not say.
    pub server_version: String,
    /// The protocol version agreed on.
    pub protocol_version: String,
    /// How the session began.
    pub lifecycle: Lifecycle,
    /// The contract's id.
    pub contract: String,
    /// How the contract was chosen.
    pub chosen: Chosen,
    /// The tools.
    pub catalog: Catalog,
    /// Which tool plays which role.
    pub bindings: Vec<Binding>,
    /// What is known of the server's limits.
    pub limits: Limits,
    /// Rules whose level the configuration sets, by their id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub levels: BTreeMap<String, LevelSetting>,
    /// The accepted error texts, where they are compared: `--snapshots`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshots: Option<Snapshots>,
    /// Whether only some of the cases were run, by the user's choice: `--filter` or `--failed`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_selection: bool,
    /// The seed of everything that is drawn.
    pub seed: u64,
    /// The folders of the harness, with their resolved forms.
    pub folders: Folders,
    /// The names of the machine and its user.
    #[serde(default, skip_serializing_if = "is_default")]
    pub machine: MachineNames,
    /// What the confinement kept from the server.
    #[serde(default, skip_serializing_if = "is_default")]
    pub confinement: Confinement,
    /// The result of a second, confined session; `None` if there was nothing for it to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<SecondSessionResult>,
}

/// How a session begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// `initialize`: protocol 2024-11-05 to 2025-11-25.
    #[default]
    Legacy,
    /// No handshake, `_meta` on every request: from 2026-07-28.
    Modern,
}

/// How the contract was chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Chosen {
    /// Nothing was specified: `bracket-code`.
    #[default]
    Default,
    /// By `--contract`, or it is the reference server's own.
    Flag,
    /// By the configuration.
    Config,
    /// By the vocabulary of the replies.
    Detected,
}

/// The limits of a server: a case that needs an unknown limit is skipped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Limits {
    /// The server must stay within a root, so that what lies outside is tried.
    pub root: bool,
    /// How that is known; absent where nothing speaks of a root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_origin: Option<RootOrigin>,
    /// Globs of paths below the root that it refuses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
    /// The largest file that it reads, in bytes.
    pub max_file_size: Option<u64>,
    /// How many background tasks may run at once.
    pub background_tasks: Option<u64>,
}

/// What says within which folder the server must stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct RootOrigin {
    /// Where it stands.
    pub source: RootSource,
    /// The words themselves: `--root {workspace}`, `DATA_DIR={workspace}`, `root = false`.
    pub given: String,
    /// Which folder it names.
    pub reach: RootReach,
}

/// Where it is said within which folder the server must stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RootSource {
    /// `[limits]` of the configuration.
    Configuration,
    /// A word of the server's command line.
    CommandLine,
    /// A variable of the server's environment.
    Variable,
}

/// How that folder lies to the folders of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RootReach {
    /// The workspace, or a folder in it.
    Workspace,
    /// A folder that holds neither the workspace nor what lies outside it.
    Elsewhere,
    /// A folder that holds everything that a run lays out, so that nothing of it lies outside.
    Everything,
}

impl Head {
    /// The head of a run against this contract, of which nothing else is known.
    pub fn of(contract: &str) -> Self {
        Self { contract: contract.to_owned(), ..Self::default() }
    }
}

impl DrivenCase {
    /// A scenario that was driven, of which only its id is known.
    pub fn of(id: CaseId) -> Self {
        Self { id, ..Self::default() }
    }

    /// A probe that belongs to no tool.
    pub fn probe(id: CaseId, title: &str, outcome: CaseOutcome) -> Self {
        Self { title: title.to_owned(), kind: CaseKind::Probe, outcome, ..Self::of(id) }
    }
}

impl Limits {
    /// A file name that a deny pattern matches, if one can be made from the patterns.
    pub fn denied_name(&self) -> Option<String> {
        self.deny.iter().find_map(|pattern| {
            let last = pattern.trim_end_matches("/**").trim_end_matches('/').rsplit('/').next()?;
            let name = last.replace("**", "closed").replace('*', "closed").replace('?', "x");
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            let other_folder = pattern.trim_start_matches("**/").trim_end_matches("/**").contains('/');
            (!name.is_empty() && name != "closed" && !other_folder && name.chars().all(plain)).then_some(name)
        })
    }
}

/// Calls that were not sent: for safety, because of a limit, or because the tool no longer answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Withheld {
    /// The tool.
    pub tool: String,
    /// Its class.
    pub class: String,
    /// Why.
    pub why: String,
    /// How many probes.
    pub probes: usize,
}

impl Withheld {
    /// The beginning of the reason if a limit on the number of probes was reached.
    const LIMIT: &str = "the limit `--max-probes` ";

    /// The reason if at most `most` probes were to be sent.
    pub fn limit_reached(most: usize) -> String {
        format!("{}{most} was reached", Self::LIMIT)
    }

    /// Whether only the limit on the number of probes kept the calls back.
    pub fn is_at_limit(&self) -> bool {
        self.why.starts_with(Self::LIMIT)
    }
}

/// A planned case and what became of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DrivenCase {
    /// Its id.
    pub id: CaseId,
    /// Its title.
    pub title: String,
    /// Scenario or probe.
    pub kind: CaseKind,
    /// The requirements that it covers.
    pub requirements: Vec<String>,
    /// The condition that it brings about.
    pub condition: Option<String>,
    /// The tools that it calls.
    pub tools: Vec<String>,
    /// The texts of the files made for it: the caller's words, wherever they come back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The outcome of the case.
    pub outcome: CaseOutcome,
}

/// Where a case comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CaseKind {
    /// Written down.
    #[default]
    Scenario,
    /// Made from a tool's schema.
    Probe,
}

/// The outcome of a planned case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CaseOutcome {
    /// Its call was sent.
    #[default]
    Driven,
    /// Something before its call did not work (a preparation, the control), so that the call was not sent or cannot be
    /// judged by the gated rules; with the reason.
    PreconditionFailed(String),
    /// Nothing was sent; with the reason.
    Skipped(String),
    /// The server died or the harness failed; with what happened.
    Errored(String),
}

#[cfg(test)]
mod tests {
    use super::Limits;

    #[test]
    fn a_name_is_made_from_a_deny_pattern_where_that_is_certain() {
        let name = |pattern: &str| Limits { deny: vec![pattern.into()], ..Limits::default() }.denied_name();
        assert_eq!(name("*.key").as_deref(), Some("closed.key"));
        assert_eq!(name("**/secret").as_deref(), Some("secret"));
        assert_eq!(name("**/.git/**").as_deref(), Some(".git"));
        for pattern in ["/etc/**", "*", "**", "*.{key,pem}", "[ab].txt", ""] {
            assert_eq!(name(pattern), None, "{pattern}");
        }
    }
}
