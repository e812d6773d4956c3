//! What a case is called, and why its call must fail.
//!
//! The main types are [`CaseId`] and [`Condition`]. This module knows nothing of what a case sends.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A case's id: the path of its file below `cases/` without the ending, such as `replace/ambiguous`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct CaseId(pub String);

impl fmt::Display for CaseId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Why a call must fail, independently of any contract, such as `path-not-found`. The contract maps it to codes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Condition(pub String);

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The conditions that probes alone bring about: what a tool's own schema forbids.
pub const SCHEMA_CONDITIONS: [&str; 8] = [
    "missing-argument",
    "invalid-type",
    "null-argument",
    "empty-argument",
    "unknown-enum-value",
    "out-of-range",
    "wrong-item",
    "unknown-argument",
];

/// The name of a case's folder in the workspace.
pub fn folder_name(id: &CaseId) -> String {
    id.0.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-")
}
