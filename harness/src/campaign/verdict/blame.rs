//! What a call is blamed for that the tool's own schema forbids.
//!
//! The main function is [`must_fail`].

use crate::condition::{self, Condition};
use crate::expectation::{Authority, Expected, ExpectedFailure};
use crate::generate::{Input, Validity};

/// Whether the tool's own schema forbids a change that was made. Where it forbids what nobody changed, such as the plain
/// arguments of a schema that contradicts itself, nothing is said of a server that takes it.
pub(super) fn is_blamed(input: &Input) -> bool {
    input.validity == Validity::Invalid && !input.changes.is_empty()
}

/// A call whose arguments the tool's own schema forbids, by these keywords of it.
pub(super) fn must_fail(input: &Input, violated: &[String]) -> Expected {
    // Most changes of an input go against nothing: it is named by one that does. Of alternatives the schema tells no more.
    let is_violated = |keyword: &str| violated.iter().any(|other| other == keyword);
    let changed = || input.changes.iter().map(|change| change.keyword.as_str());
    let alternative = || ["anyOf", "oneOf"].into_iter().any(is_violated);
    let named = changed().find(|keyword| is_violated(keyword));
    let named =
        named.or_else(|| changed().find(|keyword| alternative() && ["type", "enum"].contains(keyword)));
    let keyword = named.or(violated.first().map(String::as_str)).unwrap_or("schema");
    let condition = condition::of_keyword(keyword).unwrap_or(keyword);
    Expected::Failure(ExpectedFailure {
        editing: None,
        recovery: None,
        condition: Condition(condition.to_owned()),
        value: None,
        hint: None,
        valid_values_of: None,
        only_if_declared: false,
        or_success: false,
        authority: Authority::Schema,
    })
}
