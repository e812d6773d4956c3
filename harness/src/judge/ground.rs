//! What a campaign stood on: the calls that succeed, of how many tools one is known, and from what.
//!
//! The main type is [`Ground`].

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The calls that succeed, looked for at the beginning of a campaign.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Ground {
    /// Of so many tools one was looked for: those that complete calls may be sent to, with arguments.
    pub tools: usize,
    /// So many calls that took.
    pub calls: u64,
    /// For so many of the tools there was no time, or no call, left.
    pub left: usize,
    /// The calls, one for each tool of which one is known, by the tools' names.
    pub known: Vec<KnownCall>,
    /// The tools of which the call that was kept in the corpus does not succeed any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
}

/// A call of a tool that succeeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KnownCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub valid: Value,
    /// What it was found by.
    pub by: KnownBy,
    /// The words of a refusal that led to it, where some did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// The tools that are called before it in each process, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<String>,
}

/// What a call that succeeds was found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum KnownBy {
    /// The configuration gives it.
    Configuration,
    /// It follows from the tool's role, its schema and its description.
    Schema,
    /// The refusals of other calls say what it must be.
    Refusals,
    /// Other calls that succeeded have shown what it takes.
    OtherCalls,
}
