//! The known changes to the arguments of a tool that gets complete calls.
//!
//! The main function is [`known_changes`]. A run makes its probes from them, and a campaign its first calls.

use serde_json::Value;

use crate::catalog::Tool;
use crate::generate::executable::bound_executable_kind;
use crate::generate::{Mutation, ToolFiles, broken_at_once, mutations, of_untyped, unusual};

use super::by_role::{ChangeGround, bound};

/// After this many turns there are two changes that the schema is silent of for each one that it forbids: the forbidden ones
/// are mostly refused in the same words.
const EVEN: usize = 4;

/// Every change of a tool's own parameters, in the order of [`alternating`].
pub(crate) fn known_changes(ground: ChangeGround<'_>, tool: &Tool, tool_files: &ToolFiles) -> Vec<Mutation> {
    let schema = tool.own_document();
    let mut by_schema = mutations(&schema, tool_files);
    by_schema.extend(none_at_all(&schema));
    by_schema.extend(bound(ground, tool, tool_files));
    alternating(by_schema, unusual_of(ground, tool, tool_files))
}

/// No arguments at all, if leaving them out one by one says less.
pub(super) fn none_at_all(schema: &Value) -> Option<Mutation> {
    // If there is only one argument, the single change is the same.
    broken_at_once(schema).into_iter().find(|mutation| mutation.changed().count() > 1)
}

/// Unusual values that the schema says nothing about.
pub(super) fn unusual_of(ground: ChangeGround<'_>, tool: &Tool, tool_files: &ToolFiles) -> Vec<Mutation> {
    let schema = tool.own_document();
    let mut found = of_untyped(tool.untyped(), &schema);
    found.extend(unusual(&schema, tool_files, &|name, schema| {
        bound_executable_kind(tool, ground.bindings, name, schema)
    }));
    // The changes of a role's paths are sent already, with their expectations.
    let bound = bound(ground, tool, tool_files);
    found.retain(|change| {
        let is_alike = |other: &Mutation| {
            other.parameter == change.parameter
                && matches!(
                    (other.id, change.id),
                    ("not-found", "absent") | ("outside", "elsewhere") | ("invalid-pattern", "unparsable")
                )
        };
        !bound.iter().any(is_alike)
    });
    found
}

/// The items of both in turn: one of each at first, and after [`EVEN`] turns two of `other` for each of `one`.
pub(super) fn alternating<T>(one: Vec<T>, other: Vec<T>) -> Vec<T> {
    let (mut one, mut other) = (one.into_iter(), other.into_iter());
    let mut all = Vec::with_capacity(one.len() + other.len());
    for turn in 0.. {
        let several = [one.next(), other.next(), if turn < EVEN { None } else { other.next() }];
        if several.iter().all(Option::is_none) {
            break;
        }
        all.extend(several.into_iter().flatten());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_schema_is_silent_of_comes_twice_as_often_after_the_first() {
        let all = alternating("abcdefg".chars().collect(), "123456789".chars().collect());
        assert_eq!(all.iter().collect::<String>(), "a1b2c3d4e56f78g9");
        assert_eq!(alternating(vec![1], vec![2, 3, 4, 5, 6, 7]), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(alternating(vec![1, 2], Vec::new()), [1, 2]);
    }
}
