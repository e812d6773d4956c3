//! Rules on whether a server is alive and answers.

use super::handling::{Attribution, Harm, Steps, Subject};
use super::{Handling, Rule};

pub(super) mod crash;
pub(super) mod lost_after_malformed;
pub(super) mod memory_growth;
pub(super) mod no_reply;

/// Every request shows whether it is alive, and any earlier one may have caused its end.
pub(super) const HANDLING: Handling = Handling {
    harm: Harm::Outage,
    subject: Subject::Tool,
    steps: Steps::Every,
    attribution: Attribution::Process,
    ..Handling::PLAIN
};

/// The rules of this group, in the order in which they are listed.
pub(super) static RULES: &[&Rule] =
    &[&no_reply::RULE, &crash::RULE, &lost_after_malformed::RULE, &memory_growth::RULE];
