//! The accepted error texts that a run is compared with, as part of its transcript.
//!
//! The main type is [`Snapshots`]. Taking, comparing and writing texts is done elsewhere.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::condition::CaseId;

/// What is stored in the folder of `--snapshots`, and what becomes of a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Snapshots {
    /// Where a new or changed text is written, if at all.
    pub update: SnapshotUpdate,
    /// Whether a pending text fails the run.
    pub pass: PendingPolicy,
    /// The accepted texts of the cases that were selected, by their name.
    pub stored: Vec<Stored>,
    /// Names in the folder that are taken by other files.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub reserved: BTreeSet<String>,
}

/// One accepted text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Stored {
    /// The file's name without `.snap`.
    pub name: String,
    /// The case.
    pub case: CaseId,
    /// The tool.
    pub tool: String,
    /// The code and the text, with every value masked.
    pub text: String,
}

/// Where new and changed texts are written, if at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SnapshotUpdate {
    /// Beside the stored one, as `.snap.new`: `new`, and `auto` outside CI.
    Beside,
    /// Nowhere: `no`, and `auto` in CI.
    Nowhere,
    /// In place, and so accepted: `always`.
    InPlace,
    /// A new one in place, a changed one beside: `unseen`.
    NewInPlace,
    /// In place, and what is unchanged is written again: `force`.
    Force,
}

/// Whether a pending text fails the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PendingPolicy {
    /// It does.
    Usual,
    /// It is reported and fails nothing: `INSTA_FORCE_PASS=1`.
    Forced,
}
