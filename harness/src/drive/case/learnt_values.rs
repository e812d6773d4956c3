//! What calls that succeeded have taught: a value that one tool took under a name another may take under the same name.
//!
//! The main type is [`LearntValues`].

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use crate::generate::are_about_the_same;

/// Values by the names of parameters.
#[derive(Debug, Default)]
pub(super) struct LearntValues {
    /// Of the newest call of each tool that succeeded, the newest last.
    of_all: BTreeMap<String, Vec<(String, Value)>>,
    /// Of a tool's calls that were refused for another reason than those before.
    of_tools: HashMap<String, Map<String, Value>>,
}

impl LearntValues {
    /// Keeps the values of a call that succeeded.
    pub(super) fn keep(&mut self, tool: &str, arguments: &Value) {
        for (name, value) in arguments.as_object().into_iter().flatten() {
            if value.is_string() || value.is_number() {
                let known = self.of_all.entry(name.clone()).or_default();
                known.retain(|(other, _)| other != tool);
                known.push((tool.to_owned(), value.clone()));
            }
        }
    }

    /// Keeps what differs in a call that was refused for another reason than one before it.
    pub(super) fn keep_progress(&mut self, tool: &str, before: &Value, after: &Value) {
        let known = self.of_tools.entry(tool.to_owned()).or_default();
        for (name, value) in after.as_object().into_iter().flatten() {
            if before.get(name) != Some(value) {
                known.insert(name.clone(), value.clone());
            }
        }
    }

    /// The arguments with what other tools took under the same names; none if nothing is known. `moved` puts a value of
    /// another tool's in its place for this one, or tells that it has none.
    pub(super) fn of_others(
        &self,
        tool: &str,
        arguments: &Value,
        moved: &dyn Fn(&str, &str, &Value) -> Option<Value>,
    ) -> Option<Value> {
        let mut members = arguments.as_object()?.clone();
        for (name, value) in &mut members {
            let known =
                || self.of_all.get(name).into_iter().flatten().rev().filter(|(other, _)| other != tool);
            // Of several things with an `id` that one is meant which the tool's own name speaks of.
            let near = known().find(|(other, _)| are_about_the_same(tool, other));
            let known = near.or_else(|| known().next());
            if let Some(known) = known.and_then(|(other, known)| moved(name, other, known)) {
                *value = known;
            }
        }
        let changed = Value::Object(members);
        (changed != *arguments).then_some(changed)
    }

    /// The arguments with what made a difference in this tool's calls before.
    pub(super) fn of_progress(&self, tool: &str, arguments: &Value) -> Value {
        let mut arguments = arguments.clone();
        if let (Some(known), Some(members)) = (self.of_tools.get(tool), arguments.as_object_mut()) {
            members.extend(known.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_one_tool_took_is_tried_with_another_and_progress_is_kept() {
        let mut learnt = LearntValues::default();
        learnt.keep("read", &json!({"path": "/w/read/data.csv", "query": "x", "deep": {"a": 1}}));
        let moved = |name: &str, _: &str, value: &Value| (name != "query").then(|| value.clone());
        let others = |tool: &str, arguments: &Value| learnt.of_others(tool, arguments, &moved);
        let known = json!({"path": "/w/read/data.csv", "query": "alpha"});
        assert_eq!(others("sort", &json!({"path": "notes.txt", "query": "alpha"})), Some(known));
        assert_eq!(others("read", &json!({"path": "notes.txt"})), None);
        assert_eq!(others("sort", &json!({"limit": 1})), None);

        learnt.keep_progress("sort", &json!({"path": "a", "by": "b"}), &json!({"path": "c", "by": "b"}));
        assert_eq!(
            learnt.of_progress("sort", &json!({"path": "x", "by": "y"})),
            json!({"path": "c", "by": "y"})
        );
        assert_eq!(learnt.of_progress("other", &json!({"path": "x"})), json!({"path": "x"}));
    }
}
