//! The result of a run as data: the document that every reporter shows.
//!
//! The main type is [`Report`]; serialized, it is the document of `--report json`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::condition::CaseId;
use crate::confinement::{Confinement, SecondSessionResult};
use crate::finding::{Finding, Level};
use crate::roles::Role;
use crate::transcript::{CaseKind, Chosen, Lifecycle, RootOrigin};

use super::coverage::Coverage;
use super::mended::Mended;
use super::tool_verdict::ToolVerdict;
use super::valid_call_search::ValidCallSearch;
use super::verdict::Reason;

pub use crate::transcript::Withheld;

/// The whole result of a run: the document of `--report json`, in its order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Report {
    /// 1.
    pub schema_version: u32,
    /// The harness and its version.
    pub harness: HarnessInfo,
    /// The server under test.
    pub server: ServerInfo,
    /// The contract that was judged.
    pub contract: ContractInfo,
    /// The seed of everything that was drawn.
    pub seed: u64,
    /// The figures.
    pub summary: Summary,
    /// Which tool played which role.
    pub bindings: Vec<BindingInfo>,
    /// Calls that were not sent for safety.
    pub withheld: Vec<Withheld>,
    /// Each listed tool: how far it was judged; absent in a campaign.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolVerdict>,
    /// How many of the tools were judged, if the configuration requires a share of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Every planned case.
    pub cases: Vec<CaseVerdict>,
    /// Every finding, the one to fix first at the top: the most harmful, then by level.
    pub findings: Vec<Finding>,
    /// The time limit that ended the run, in milliseconds; absent if it went through its plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_after_ms: Option<u64>,
    /// In a campaign: calls that take far longer than others of their tool. Measured, and never compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slow: Vec<SlowCall>,
    /// In a campaign: the successful calls from which its inputs were generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learnt: Option<ValidCallSearch>,
}

/// A call that took far longer than an ordinary one of the same tool, both times that it was sent, alone in a
/// process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SlowCall {
    /// The tool.
    pub tool: String,
    /// The call, `{"name", "arguments"}`, or a list of these for a sequence.
    pub input: Value,
    /// How long it took each time, in milliseconds.
    pub taken_ms: Vec<u64>,
    /// How long a successful call took, the longer of two times, in milliseconds.
    pub usual_ms: u64,
}

/// A case whose calls took long. It is in no report that is compared, because it is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlowCase {
    /// Its id.
    pub case: CaseId,
    /// How long its calls took together, in milliseconds.
    pub taken_ms: u64,
}

/// The harness that judged the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct HarnessInfo {
    /// The version of the harness.
    pub version: String,
}

/// The server under test, as the session showed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ServerInfo {
    /// Its command line, tokens not replaced.
    pub command: Vec<String>,
    /// Whether it is the bundled reference server.
    pub bundled: bool,
    /// The name that it gives itself.
    pub name: String,
    /// The version that it gives itself.
    pub version: String,
    /// The protocol version agreed on.
    pub protocol_version: String,
    /// How the session began.
    pub lifecycle: Lifecycle,
    /// What says within which folder it must stay; absent where nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<RootOrigin>,
    /// The confinement; absent if it was not requested.
    #[serde(default, skip_serializing_if = "Confinement::is_off")]
    pub confinement: Confinement,
    /// The result of a second, confined session; absent if there was nothing for it to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<SecondSessionResult>,
}

/// The contract by which the replies were judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ContractInfo {
    /// Its id.
    pub id: String,
    /// How it was chosen.
    pub chosen: Chosen,
    /// Another contract whose vocabulary most replies use.
    pub looks_like: Option<String>,
}

/// The figures of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Summary {
    /// Cases by status.
    pub cases: CaseCounts,
    /// Findings by level, known ones included.
    pub findings: FindingCounts,
    /// Calls that were sent.
    pub calls: usize,
    /// Replies that were errors.
    pub error_replies: usize,
    /// Of the bad calls that tools refused in their own words, those that can be fixed from these words alone.
    #[serde(default)]
    pub messages: Messages,
    /// Deprecated, use `messages`: error replies on which the rules on values and hints were judged.
    pub mendable: Mendable,
    /// Deprecated, use `messages`: the same bad calls, by the number of calls that the correction takes.
    #[serde(default)]
    pub mended: Mended,
    /// Error replies to the calls of cases on which some rules say nothing, by the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<WithheldReplies>,
    /// Wall time of the run. Never compared.
    pub duration_ms: u64,
}

/// Error replies on which some rules say nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct WithheldReplies {
    /// Why.
    pub reason: String,
    /// How many replies.
    pub replies: usize,
}

impl WithheldReplies {
    pub(super) fn new(reason: Reason, replies: usize) -> Self {
        Self { reason: reason.to_string(), replies }
    }
}

/// The numbers of cases, by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct CaseCounts {
    /// All.
    pub total: usize,
    /// Nothing that counts was found.
    pub passed: usize,
    /// Something that counts was found.
    pub failed: usize,
    /// A gated rule that the case expects had no control that succeeded.
    pub not_judged: usize,
    /// Never sent.
    pub skipped: usize,
    /// The server died or the harness failed.
    pub errored: usize,
}

/// The numbers of findings, by level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct FindingCounts {
    /// Must findings.
    pub must: usize,
    /// Should findings.
    pub should: usize,
    /// Notes.
    pub note: usize,
}

/// The measure of messages: bad calls that a reader corrects by following the message alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Messages {
    /// How many bad calls were measured.
    pub judged: usize,
    /// How many of them the message alone leads to a call that succeeds.
    pub fixable: usize,
}

impl From<Mended> for Messages {
    fn from(mended: Mended) -> Self {
        Self { judged: mended.of, fixable: mended.one + mended.two }
    }
}

/// Error replies on which the value and hint rules applied and were judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Mendable {
    /// How many were judged.
    pub of: usize,
    /// How many say how to fix the call.
    pub held: usize,
}

/// Which tool played a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct BindingInfo {
    /// The role.
    pub role: Role,
    /// The tool.
    pub tool: String,
    /// The tool's names for the role's parameters.
    pub parameters: Value,
    /// Why this tool was chosen.
    pub why: String,
}

/// The verdict on a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct CaseVerdict {
    /// Its id.
    pub id: CaseId,
    /// Its title.
    pub title: String,
    /// The call that was made for it, described by how it differs from the call that succeeds: "glob with `pattern`
    /// "[a""; absent if none was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tried: Option<String>,
    /// Scenario or probe.
    pub kind: CaseKind,
    /// The status of the case.
    pub status: Status,
    /// The reason, if it neither passed nor failed, or if it failed and its gated rules could not be judged.
    pub reason: Option<String>,
    /// The requirements that it covers.
    pub requirements: Vec<String>,
    /// The tools that it calls.
    pub tools: Vec<String>,
    /// The condition or mutation that it brings about; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Its findings, by their index in the report.
    pub findings: Vec<usize>,
}

/// The status of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nothing that counts for the exit code.
    Passed,
    /// A finding that counts.
    Failed,
    /// No control succeeded.
    NotJudged,
    /// Never sent.
    Skipped,
    /// The server died or the harness failed.
    Errored,
}

impl Status {
    /// The status in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::NotJudged => "not judged",
            Self::Skipped => "skipped",
            Self::Errored => "errored",
        }
    }
}

/// Which findings count for the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Only Must.
    Must,
    /// Must and Should: `--strict`.
    Should,
}

impl Strictness {
    /// Whether a finding of this level counts.
    pub fn counts(self, level: Level) -> bool {
        match self {
            Self::Must => level == Level::Must,
            Self::Should => level >= Level::Should,
        }
    }
}
