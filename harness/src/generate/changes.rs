//! The known changes to a tool's arguments, each with a label and a place.
//!
//! The main type is [`Changes`]. Whether the result of one may be sent is checked elsewhere.

use serde_json::Value;

use super::input::AppliedMutation;
use super::mutation::{Mutation, MutationKind};
use super::rng::Rng;
use super::within::ValueStep;
use crate::catalog::{Tool, unwrap, wrap};

/// Single changes of a tool's arguments.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The argument that contains all others, if there is one; the changes are given without it.
    wrapper: Option<String>,
    mutations: Vec<Mutation>,
    /// Whether the server is confined, so that changed paths may lead anywhere.
    are_confined: bool,
}

impl Changes {
    /// The given changes of a tool's parameters.
    pub fn new(tool: &Tool, mutations: Vec<Mutation>) -> Self {
        Self { wrapper: tool.wrapper().map(str::to_owned), mutations, are_confined: false }
    }

    /// The same changes for a confined server, where changed paths may lead anywhere.
    #[must_use]
    pub fn in_confinement(self) -> Self {
        Self { are_confined: true, ..self }
    }

    pub(super) fn are_confined(&self) -> bool {
        self.are_confined
    }

    /// All changes, the most telling first.
    pub(super) fn all(&self) -> &[Mutation] {
        &self.mutations
    }

    /// A random one of the changes.
    pub(super) fn pick(&self, rng: &mut Rng) -> Option<&Mutation> {
        rng.pick(&self.mutations)
    }

    /// The arguments with one change; `None` if it changes nothing.
    pub(super) fn apply(&self, mutation: &Mutation, arguments: &Value) -> Option<(Value, AppliedMutation)> {
        let own = unwrap(self.wrapper.as_deref(), arguments);
        let changed = mutation.apply(own);
        if changed == *own {
            return None;
        }
        let mut path = self.wrapper.as_deref().map(step).unwrap_or_default();
        path.push_str(&pointer(mutation, own));
        let keyword = keyword(mutation.kind).to_owned();
        let applied = AppliedMutation { path, keyword, label: mutation.label.clone() };
        Some((wrap(self.wrapper.as_deref(), changed), applied))
    }
}

/// The schema keyword that a kind of change violates, or else the name of the change.
fn keyword(kind: MutationKind) -> &'static str {
    match kind {
        MutationKind::Missing => "required",
        MutationKind::WrongType | MutationKind::Null | MutationKind::WrongItem => "type",
        MutationKind::UnknownValue => "enum",
        MutationKind::UnknownArgument => "additionalProperties",
        other => other.slug(),
    }
}

/// The place of a change within the tool's own parameters, as a JSON Pointer; empty if it changes several
/// places.
fn pointer(mutation: &Mutation, own: &Value) -> String {
    let Some((name, within)) = &mutation.within else {
        return match &mutation.change[..] {
            [(name, _)] => step(name),
            _ => String::new(),
        };
    };
    let mut path = step(name);
    let mut at = own.get(name);
    for way in &within.way {
        match way {
            ValueStep::Member(name) => {
                path.push_str(&step(name));
                at = at.and_then(|value| value.get(name));
            }
            ValueStep::Last => {
                let items = at.and_then(Value::as_array);
                let last = items.map_or(0, |items| items.len().saturating_sub(1));
                path.push_str(&step(&last.to_string()));
                at = items.and_then(|items| items.get(last));
            }
        }
    }
    path
}

fn step(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}
