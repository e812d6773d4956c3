//! The successful calls that a campaign started from: for how many tools one is known, and how it was found.
//!
//! The main type is [`ValidCallSearch`].

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The successful calls that a campaign looked for at its start.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ValidCallSearch {
    /// For how many tools a call was looked for: those that take arguments and may get complete calls.
    pub tools: usize,
    /// How many calls that took.
    pub calls: u64,
    /// For how many of the tools no time, or no call, was left.
    pub left: usize,
    /// The calls, one for each tool for which one is known, ordered by the tools' names.
    pub known: Vec<KnownCall>,
    /// The tools whose call in the corpus no longer succeeds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
}

/// A call of a tool that succeeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct KnownCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub valid: Value,
    /// How it was found.
    pub by: FoundBy,
    /// The words of a refusal that led to it, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// The tools that are called before it in each process, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<String>,
}

/// How a successful call was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FoundBy {
    /// The configuration gives it.
    Configuration,
    /// It follows from the tool's role, its schema and its description.
    Schema,
    /// The refusals of other calls say what it must be.
    Refusals,
    /// Other calls that succeeded have shown what it takes.
    OtherCalls,
}
