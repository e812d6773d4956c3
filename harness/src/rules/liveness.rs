//! Whether a server lives and answers.

use super::handling::{Attribution, Steps, Subject};
use super::{Handling, Rule};

pub(super) mod crash;
pub(super) mod lost_after_malformed;
pub(super) mod memory_growth;
pub(super) mod no_reply;

/// That it lives is asked at every request, and what ends it may be any that came before.
pub(super) const HANDLING: Handling = Handling {
    subject: Subject::Tool,
    steps: Steps::Every,
    attribution: Attribution::Process,
    ..Handling::PLAIN
};

/// In the order in which they are listed.
pub(super) static RULES: &[&Rule] =
    &[&no_reply::RULE, &crash::RULE, &lost_after_malformed::RULE, &memory_growth::RULE];
