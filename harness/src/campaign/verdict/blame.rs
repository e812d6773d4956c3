//! Which part of a call the tool's own schema forbids.
//!
//! The main function is [`must_fail`].

use crate::condition::{self, Condition};
use crate::expectation::{Authority, Expected, ExpectedFailure};
use crate::generate::{Input, Validity};

/// Whether the tool's schema forbids a change that was made. If it forbids what nobody changed, such as the
/// plain arguments of a contradictory schema, a server that accepts the call is not at fault.
pub(super) fn is_blamed(input: &Input) -> bool {
    input.validity == Validity::Invalid && !input.changes.is_empty()
}

/// The expectation for a call whose arguments the tool's schema forbids, by these keywords.
pub(super) fn must_fail(input: &Input, violated: &[String]) -> Expected {
    // Most changes of an input violate nothing: the keyword that is violated names the fault. Of alternatives
    // the schema says no more.
    let is_violated = |keyword: &str| violated.iter().any(|other| other == keyword);
    let changed = || input.changes.iter().map(|change| change.keyword.as_str());
    let alternative = || ["anyOf", "oneOf"].into_iter().any(is_violated);
    let named = changed().find(|keyword| is_violated(keyword));
    let named =
        named.or_else(|| changed().find(|keyword| alternative() && ["type", "enum"].contains(keyword)));
    let keyword = named.or(violated.first().map(String::as_str)).unwrap_or("schema");
    let condition = condition::of_keyword(keyword).unwrap_or(keyword);
    Expected::Failure(ExpectedFailure::of(Condition(condition.to_owned()), Authority::Schema))
}
