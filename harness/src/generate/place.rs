//! A place in some arguments at which a change is made.
//!
//! The main type is [`ValuePlace`].

use serde_json::Value;

use super::compiled::{CompiledSchema, NodeId};
use super::edit::Step;
use super::rng::Rng;

/// At most this many places of a value are visited.
const PLACES: usize = 2_000;

/// A place, with the node that describes it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ValuePlace {
    pub(super) path: Vec<Step>,
    pub(super) node: Option<NodeId>,
    /// The node, here or at a parent, of an executable value.
    pub(super) executable: Option<NodeId>,
}

impl ValuePlace {
    /// The arguments object.
    pub(super) fn root() -> Self {
        Self { path: Vec::new(), node: Some(CompiledSchema::ROOT), executable: None }
    }

    /// Whether it is a member of an object.
    pub(super) fn is_member(&self) -> bool {
        matches!(self.path.last(), Some(Step::Key(_)))
    }

    fn inner(&self, compiled: &CompiledSchema, step: Step, value: &Value) -> Self {
        let node = self.node.and_then(|at| step.node(compiled, at));
        let own = node.filter(|id| compiled.node(*id).executable.is_some());
        let node = node.map(|id| compiled.chosen(id, value));
        let path = self.path.iter().cloned().chain([step]).collect();
        Self { path, node, executable: own.or(self.executable) }
    }

    /// The place of a parameter.
    pub(super) fn argument(compiled: &CompiledSchema, name: &str, value: &Value) -> Self {
        Self::root().inner(compiled, Step::Key(name.to_owned()), value)
    }

    /// A random place in the value at this one, including this one.
    pub(super) fn any_below(self, compiled: &CompiledSchema, value: &Value, rng: &mut Rng) -> Self {
        let count = count_places(value);
        if count <= 1 {
            return self;
        }
        let mut left = rng.below(count.min(PLACES));
        self.nth(compiled, value, &mut left).unwrap_or_else(Self::root)
    }

    fn nth(self, compiled: &CompiledSchema, value: &Value, left: &mut usize) -> Option<Self> {
        if *left == 0 {
            return Some(self);
        }
        *left -= 1;
        children(value).find_map(|(step, child)| {
            let inside = count_places(child);
            if *left >= inside {
                *left -= inside;
                return None;
            }
            self.inner(compiled, step, child).nth(compiled, child, left)
        })
    }

    /// The place of a JSON Pointer, if the value has it.
    pub(super) fn at(compiled: &CompiledSchema, value: &Value, pointer: &str) -> Option<Self> {
        let mut place = Self::root();
        let mut value = value;
        for token in pointer.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            let (step, inner) = match value {
                Value::Array(items) => {
                    let index = token.parse().ok()?;
                    (Step::Index(index), items.get(index)?)
                }
                _ => (Step::Key(token.clone()), value.get(&token)?),
            };
            place = place.inner(compiled, step, inner);
            value = inner;
        }
        Some(place)
    }
}

impl Step {
    /// The node after this step.
    pub(super) fn node(&self, compiled: &CompiledSchema, at: NodeId) -> Option<NodeId> {
        match self {
            Self::Key(name) => compiled.member(at, name),
            Self::Index(index) => compiled.item(at, *index),
            Self::Last => None,
        }
    }
}

/// The items or members of a value.
fn children(value: &Value) -> Box<dyn Iterator<Item = (Step, &Value)> + '_> {
    match value {
        Value::Array(items) => {
            Box::new(items.iter().enumerate().map(|(index, item)| (Step::Index(index), item)))
        }
        Value::Object(members) => {
            Box::new(members.iter().map(|(name, member)| (Step::Key(name.clone()), member)))
        }
        _ => Box::new(std::iter::empty()),
    }
}

fn count_places(value: &Value) -> usize {
    1 + children(value).map(|(_, child)| count_places(child)).sum::<usize>()
}
