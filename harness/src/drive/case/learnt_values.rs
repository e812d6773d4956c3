//! Values from calls that succeeded: what one tool accepted for a parameter, another may accept for a parameter
//! of the same name.
//!
//! The main type is [`LearntValues`].

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use crate::condition::CaseId;
use crate::exchange::{Exchange, Outcome, Step};
use crate::generate::{are_about_the_same, is_an_end};
use crate::judge::has_succeeded;

use super::Driver;

/// Known values, by parameter name.
#[derive(Debug, Default)]
pub(super) struct LearntValues {
    /// By parameter name, the tool and value of the newest successful call of each tool, the newest last.
    of_all: BTreeMap<String, Vec<(String, Value)>>,
    /// By tool, the values that changed the reason of a refusal.
    of_tools: HashMap<String, Map<String, Value>>,
    /// The newest call of each tool that succeeded.
    calls: BTreeMap<String, LearntCall>,
}

/// A call that succeeded.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LearntCall {
    /// By this id the tool's folder is called.
    pub(super) folder: CaseId,
    /// The values of the tool's own parameters.
    pub(super) arguments: Value,
    /// The result.
    pub(super) reply: Value,
}

impl LearntValues {
    /// Keeps a call that succeeded, and its values.
    pub(super) fn keep(&mut self, tool: &str, call: LearntCall) {
        for (name, value) in call.arguments.as_object().into_iter().flatten() {
            if value.is_string() || value.is_number() {
                let known = self.of_all.entry(name.clone()).or_default();
                known.retain(|(other, _)| other != tool);
                known.push((tool.to_owned(), value.clone()));
            }
        }
        self.calls.insert(tool.to_owned(), call);
    }

    /// By which id the folder of a tool is called whose calls were kept.
    pub(super) fn folder_of(&self, tool: &str) -> Option<&CaseId> {
        self.calls.get(tool).map(|call| &call.folder)
    }

    /// The newest call of every other tool, those about the same thing first.
    pub(super) fn calls_of_others(&self, tool: &str) -> Vec<&LearntCall> {
        let mut calls: Vec<(bool, &LearntCall)> = self
            .calls
            .iter()
            .filter(|(other, _)| *other != tool)
            .map(|(other, call)| (!are_about_the_same(tool, other), call))
            .collect();
        // The sort is stable.
        calls.sort_by_key(|(is_far, _)| *is_far);
        calls.into_iter().map(|(_, call)| call).collect()
    }

    /// Records the arguments that differ between two refused calls, where the second was refused for another
    /// reason.
    pub(super) fn keep_progress(&mut self, tool: &str, before: &Value, after: &Value) {
        let known = self.of_tools.entry(tool.to_owned()).or_default();
        for (name, value) in after.as_object().into_iter().flatten() {
            if before.get(name) != Some(value) {
                known.insert(name.clone(), value.clone());
            }
        }
    }

    /// The arguments with values that other tools accepted under the same names; `None` if there are none.
    /// `moved` adapts a value of another tool for this one, or returns `None` if it cannot be used.
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
            // If several things have an `id`, the one that the tool's own name speaks of is meant.
            let near = known().find(|(other, _)| are_about_the_same(tool, other));
            let known = near.or_else(|| known().next());
            if let Some(known) = known.and_then(|(other, known)| moved(name, other, known)) {
                *value = known;
            }
        }
        let changed = Value::Object(members);
        (changed != *arguments).then_some(changed)
    }

    /// The arguments with the values that made a difference in earlier calls of this tool.
    pub(super) fn of_progress(&self, tool: &str, arguments: &Value) -> Value {
        let mut arguments = arguments.clone();
        if let (Some(known), Some(members)) = (self.of_tools.get(tool), arguments.as_object_mut()) {
            members.extend(known.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        arguments
    }
}

impl Driver<'_> {
    /// Keeps what calls of an earlier session that succeeded have taught, of each tool the newest.
    #[must_use]
    pub(in crate::drive) fn taught(mut self, earlier: &[Exchange]) -> Self {
        let mut newest: BTreeMap<&str, (&Exchange, CaseId)> = BTreeMap::new();
        for exchange in earlier.iter().filter(|exchange| exchange.place.step == Step::Control) {
            let case = exchange.place.case.as_ref();
            let folder = case.filter(|case| case.0.starts_with("probe/")).and_then(tool_folder);
            if let (Some(tool), Some(folder)) = (exchange.tool(), folder)
                && has_succeeded(exchange, self.contract)
            {
                newest.insert(tool, (exchange, folder));
            }
        }
        for (tool, (exchange, folder)) in newest {
            let (Some(listed), Outcome::Result(reply)) = (self.head.catalog.tool(tool), &exchange.outcome)
            else {
                continue;
            };
            let arguments = listed.unwrap(&exchange.call.arguments).clone();
            self.learn(tool, LearntCall { folder, arguments, reply: reply.clone() });
        }
        self
    }

    /// Keeps what a call that succeeded has taught.
    pub(super) fn learn(&mut self, tool: &str, call: LearntCall) {
        if let Some(draws) = &mut self.draws {
            draws.learn(tool, &call.arguments, &call.reply);
        }
        if !is_an_end(tool) {
            self.learnt.keep(tool, call);
        }
    }
}

/// The id by which the folder of a tool's probes is called, from the id of one of them.
fn tool_folder(probe: &CaseId) -> Option<CaseId> {
    let (group, rest) = probe.0.split_once('/')?;
    let (tool, _) = rest.split_once('/')?;
    Some(CaseId(format!("{group}/{tool}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_one_tool_took_is_tried_with_another_and_progress_is_kept() {
        let mut learnt = LearntValues::default();
        let folder = CaseId("probe/read".to_owned());
        let arguments = json!({"path": "/w/read/data.csv", "query": "x", "deep": {"a": 1}});
        let call = LearntCall { folder: folder.clone(), arguments, reply: json!({}) };
        learnt.keep("read", call.clone());
        assert_eq!(learnt.folder_of("read"), Some(&folder));
        assert_eq!(learnt.calls_of_others("read"), [&call; 0]);
        assert_eq!(learnt.calls_of_others("sort"), [&call]);
        assert_eq!(tool_folder(&CaseId("probe/read/path/missing".to_owned())), Some(folder));
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
