//! A place in some arguments at which a change is made.
//!
//! The main type is [`ValuePlace`].

use serde_json::Value;

use super::super::compiled::{CompiledSchema, NodeId};
use super::super::rng::Rng;

/// At most this many places of a value are visited.
const PLACES: usize = 2_000;

/// One step into a value.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::generate) enum PathSegment {
    Key(String),
    Index(usize),
}

/// A place, with the node that describes it.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::generate) struct ValuePlace {
    pub(in crate::generate) path: Vec<PathSegment>,
    pub(in crate::generate) node: Option<NodeId>,
    /// The node, here or at a parent, of an executable value.
    executable: Option<NodeId>,
}

impl ValuePlace {
    /// The arguments object.
    pub(in crate::generate) fn root() -> Self {
        Self { path: Vec::new(), node: Some(CompiledSchema::ROOT), executable: None }
    }

    /// Whether it is a member of an object.
    pub(in crate::generate) fn is_member(&self) -> bool {
        matches!(self.path.last(), Some(PathSegment::Key(_)))
    }

    /// The node of an executable value, if this place is one or part of one.
    pub(in crate::generate) fn executable(&self) -> Option<NodeId> {
        self.executable
    }

    fn inner(&self, compiled: &CompiledSchema, step: PathSegment, value: &Value) -> Self {
        let node = self.node.and_then(|at| match &step {
            PathSegment::Key(name) => compiled.member(at, name),
            PathSegment::Index(index) => compiled.item(at, *index),
        });
        let own = node.filter(|id| compiled.node(*id).executable.is_some());
        let node = node.map(|id| compiled.chosen(id, value));
        let mut path = self.path.clone();
        path.push(step);
        Self { path, node, executable: own.or(self.executable) }
    }

    /// The place of a parameter.
    pub(in crate::generate) fn argument(compiled: &CompiledSchema, name: &str, value: &Value) -> Self {
        Self::root().inner(compiled, PathSegment::Key(name.to_owned()), value)
    }

    /// A random place in the value at this one, including this one.
    pub(in crate::generate) fn any_below(
        self,
        compiled: &CompiledSchema,
        value: &Value,
        rng: &mut Rng,
    ) -> Self {
        let mut count = 0;
        count_places(value, &mut count);
        if count <= 1 {
            return self;
        }
        let mut left = rng.below(count.min(PLACES));
        self.nth(compiled, value, &mut left).unwrap_or_else(ValuePlace::root)
    }

    fn nth(self, compiled: &CompiledSchema, value: &Value, left: &mut usize) -> Option<Self> {
        if *left == 0 {
            return Some(self);
        }
        *left -= 1;
        match value {
            Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
                let mut inside = 0;
                count_places(item, &mut inside);
                if *left >= inside {
                    *left -= inside;
                    return None;
                }
                self.inner(compiled, PathSegment::Index(index), item).nth(compiled, item, left)
            }),
            Value::Object(members) => members.iter().find_map(|(name, member)| {
                let mut inside = 0;
                count_places(member, &mut inside);
                if *left >= inside {
                    *left -= inside;
                    return None;
                }
                self.inner(compiled, PathSegment::Key(name.clone()), member).nth(compiled, member, left)
            }),
            _ => None,
        }
    }

    /// The place of a JSON Pointer, if the value has it.
    pub(in crate::generate) fn at(compiled: &CompiledSchema, value: &Value, pointer: &str) -> Option<Self> {
        let mut place = Self::root();
        let mut value = value;
        for token in pointer.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            let (step, inner) = match value {
                Value::Object(members) => (PathSegment::Key(token.clone()), members.get(&token)?),
                Value::Array(items) => {
                    let index = token.parse().ok()?;
                    (PathSegment::Index(index), items.get(index)?)
                }
                _ => return None,
            };
            place = place.inner(compiled, step, inner);
            value = inner;
        }
        Some(place)
    }

    /// The value at this place.
    pub(in crate::generate) fn find<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        find(value, &self.path)
    }

    /// The array or object that contains this place.
    pub(in crate::generate) fn holder<'v>(
        &self,
        value: &'v mut Value,
    ) -> Option<(&'v mut Value, &PathSegment)> {
        let (last, before) = self.path.split_last()?;
        Some((find(value, before)?, last))
    }
}

fn find<'v>(value: &'v mut Value, path: &[PathSegment]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match (value, step) {
        (Value::Object(members), PathSegment::Key(name)) => members.get_mut(name),
        (Value::Array(items), PathSegment::Index(index)) => items.get_mut(*index),
        _ => None,
    })
}

fn count_places(value: &Value, count: &mut usize) {
    *count += 1;
    match value {
        Value::Array(items) => items.iter().for_each(|item| count_places(item, count)),
        Value::Object(members) => members.values().for_each(|member| count_places(member, count)),
        _ => {}
    }
}

/// A path as a JSON Pointer.
pub(in crate::generate) fn pointer(path: &[PathSegment]) -> String {
    let mut out = String::new();
    for step in path {
        out.push('/');
        match step {
            PathSegment::Key(name) if name.contains(['~', '/']) => {
                out.push_str(&name.replace('~', "~0").replace('/', "~1"));
            }
            PathSegment::Key(name) => out.push_str(name),
            PathSegment::Index(index) => out.push_str(&index.to_string()),
        }
    }
    out
}
