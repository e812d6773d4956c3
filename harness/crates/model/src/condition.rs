//! Ids of cases, and the conditions for which their calls must fail.
//!
//! The main types are [`CaseId`] and [`Condition`]. Facts about the conditions are data (`known`). This module
//! knows nothing of what a case sends.

use std::fmt;

use serde::{Deserialize, Serialize};

mod known;

pub use known::{ConditionTrait, all_with, has, next_step, of_keyword, says};

/// A case's id: the path of its file below `cases/` without the ending, such as `replace/ambiguous`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct CaseId(pub String);

impl fmt::Display for CaseId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Why a call must fail, independently of any contract, such as `path-not-found`. The contract maps it to codes.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Condition(pub String);

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The name of a case's folder in the workspace.
pub fn folder_name(id: &CaseId) -> String {
    id.0.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-")
}
