//! Finds the node for a place in some arguments.

use serde_json::Value;

use super::{CompiledSchema, Node, NodeId, Others, SchemaType};

/// At most this many nested alternatives are followed, because a schema may refer to itself as one.
const HOPS: usize = 4;

impl CompiledSchema {
    /// The node for a member of the object at `at`; `None` if there is none.
    pub(in crate::generate) fn member(&self, at: NodeId, name: &str) -> Option<NodeId> {
        self.member_of(self.node(at), name)
    }

    /// The node for a member of the object that this node describes.
    pub(in crate::generate) fn member_of(&self, node: &Node, name: &str) -> Option<NodeId> {
        self.find(node, HOPS, &|node| {
            let own = || node.members.known.iter().find(|member| member.name == name).map(|member| member.id);
            let pattern =
                || node.members.patterns.iter().find(|(pattern, _)| pattern.matches(name)).map(|(_, id)| *id);
            let other = || match node.members.others {
                Others::Of(id) => Some(id),
                Others::Allowed | Others::Forbidden => None,
            };
            own().or_else(pattern).or_else(other)
        })
    }

    /// The node for an item of the array at `at`.
    pub(in crate::generate) fn item(&self, at: NodeId, index: usize) -> Option<NodeId> {
        self.find(self.node(at), HOPS, &|node| node.list.prefix.get(index).copied().or(node.list.items))
    }

    fn find(&self, node: &Node, hops: usize, of: &dyn Fn(&Node) -> Option<NodeId>) -> Option<NodeId> {
        let hops = hops.checked_sub(1)?;
        let inner = || node.alternatives.iter().find_map(|id| self.find(self.node(*id), hops, of));
        of(node).or_else(inner)
    }

    /// The alternative that a value fits, judged by its type and member names; the node itself if it has no
    /// alternatives.
    pub(in crate::generate) fn chosen(&self, at: NodeId, value: &Value) -> NodeId {
        let kind = SchemaType::from_value(value);
        let takes = |id: &&NodeId| {
            let other = self.node(**id);
            let has_members = || {
                value
                    .as_object()
                    .is_none_or(|members| members.keys().all(|name| self.member(**id, name).is_some()))
            };
            (other.kinds.is_empty() || other.kinds.contains(&kind)) && has_members()
        };
        let mut at = at;
        for _ in 0..HOPS {
            match self.node(at).alternatives.iter().find(takes) {
                Some(id) => at = *id,
                None => break,
            }
        }
        at
    }
}
