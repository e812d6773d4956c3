//! When a change is sent, where not all are: what a tool needs is changed before what it can do without.

use super::super::mutation::{Mutation, MutationKind};
use super::Turn;

/// The place of a change among those of a tool; the sooner, the lower. `required` are the parameters that a call must have.
pub(super) fn due(turn: Turn, mutation: &Mutation, required: &[&str]) -> u8 {
    let parameter = mutation.within.as_ref().map(|(name, _)| name).or(mutation.parameter.as_ref());
    let is_required = parameter.is_some_and(|name| required.contains(&name.as_str()));
    match (turn, is_required) {
        (Turn::First, true) => 0,
        // Beyond what a number may be is as telling as below it.
        (Turn::Second, true) if mutation.kind == MutationKind::Large => 0,
        (Turn::First, false) if mutation.kind == MutationKind::Special("beside-all") => 0,
        // What is given alone mostly succeeds.
        (Turn::First, false) if mutation.kind == MutationKind::Special("given") => 4,
        // So mostly does a call with more of what it may have.
        (_, false) if matches!(mutation.kind, MutationKind::Special("all-flags" | "all-given" | "true")) => 4,
        // It is refused where nothing else is: by what the tool hands it on to.
        (_, true) if mutation.kind == MutationKind::Special("nul") => 1,
        (_, false) if mutation.kind == MutationKind::Special("nul") => 3,
        (Turn::First, false) => 1,
        (Turn::Second, true) => 2,
        (Turn::Second, false) => 3,
        (Turn::Last, _) => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tool_needs_is_changed_first_and_beyond_its_bounds_too() {
        let change = |name: &str, kind| Mutation::new(name, kind, None, "");
        let place = |turn, name: &str, kind| due(turn, &change(name, kind), &["value"]);
        let large = place(Turn::Second, "value", MutationKind::Large);
        assert_eq!(large, place(Turn::First, "value", MutationKind::Zero));
        assert!(large < place(Turn::First, "mode", MutationKind::Unlisted));
        assert!(
            place(Turn::First, "mode", MutationKind::Unlisted)
                < place(Turn::First, "mode", MutationKind::Special("given"))
        );
        // A NUL is refused where nothing else is; what is given besides mostly succeeds.
        let special = MutationKind::Special;
        assert!(
            place(Turn::Last, "value", special("nul")) < place(Turn::Second, "value", MutationKind::Unfilled)
        );
        assert!(place(Turn::Last, "mode", special("nul")) < place(Turn::First, "mode", special("all-given")));
        assert!(
            place(Turn::Second, "value", MutationKind::Unfilled)
                < place(Turn::Second, "mode", MutationKind::Large)
        );
    }
}
