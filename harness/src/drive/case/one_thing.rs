//! Calls upon a part of a thing, such as a section of a document: of which thing it is one, a call that succeeded says, and
//! which parts there are its result.
//!
//! The main function is [`calls_upon_parts`]. A part that is asked for in another thing is not there.

use serde_json::Value;

use crate::generate::executable::bound_executable_kind;
use crate::generate::returned_for;
use crate::json_schema::flattened;
use crate::plan::ProbedTool;

use super::Driver;
use super::learnt_values::LearntCall;

/// At most this many calls are tried for one tool.
const MOST: usize = 4;
/// At most this many parts of one thing are tried.
const PARTS: usize = 2;

impl Driver<'_> {
    /// The calls that take the same thing as another tool's call and a part that this one returned, in the tool's own folder.
    /// Only where calls are drawn: what a server returned may be anything.
    pub(super) fn upon_parts(&self, tool: &ProbedTool, tries: &[Value]) -> Vec<Value> {
        let (Some(first), true) = (tries.first(), self.draws.is_some()) else { return Vec::new() };
        let Some(listed) = self.head.catalog.tool(&tool.name) else { return Vec::new() };
        let document = listed.own_document();
        let properties = document.pointer("/properties").and_then(Value::as_object);
        let takes: Vec<(&str, Value)> = properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| (name.as_str(), flattened(schema, &document).into_owned()))
            .filter(|(name, schema)| {
                let is_closed = schema.get("enum").is_some() || schema.get("const").is_some();
                !is_closed && bound_executable_kind(listed, &self.head.bindings, name, schema).is_none()
            })
            .collect();
        let mut calls: Vec<Value> = Vec::new();
        for other in self.learnt.calls_of_others(&tool.name) {
            for call in calls_upon_parts(first, &takes, other) {
                let call = self.in_the_folder_of(tool, &other.folder, &call);
                if calls.len() < MOST && !calls.contains(&call) && !tool.tries.contains(&call) {
                    calls.push(call);
                }
            }
        }
        calls
    }
}

/// The call with what the other one took under the same names, and for what it did not take with what it returned; a call for
/// each of the first parts. None if the two have nothing in common. `takes` are the parameters that may be given a value, with
/// their schemas.
fn calls_upon_parts(first: &Value, takes: &[(&str, Value)], other: &LearntCall) -> Vec<Value> {
    let (Some(members), Some(taken)) = (first.as_object(), other.arguments.as_object()) else {
        return Vec::new();
    };
    let is_named = |value: &Value| value.is_string() || value.is_number();
    let shared: Vec<(&str, &Value)> = takes
        .iter()
        .filter_map(|(name, _)| Some((*name, taken.get(*name).filter(|value| is_named(value))?)))
        .collect();
    if shared.is_empty() {
        return Vec::new();
    }
    let mut whole = members.clone();
    whole.extend(shared.iter().map(|(name, value)| ((*name).to_owned(), (*value).clone())));
    let parts: Vec<(&str, Vec<Value>)> = takes
        .iter()
        .filter(|(name, _)| !shared.iter().any(|(other, _)| other == name))
        .map(|(name, schema)| (*name, returned_for(&other.reply, name, schema)))
        .filter(|(_, values)| !values.is_empty())
        .collect();
    let of_turn = |turn: usize| {
        let mut call = whole.clone();
        for (name, values) in &parts {
            call.insert((*name).to_owned(), values[turn.min(values.len() - 1)].clone());
        }
        Value::Object(call)
    };
    let turns = parts.iter().map(|(_, values)| values.len()).max().unwrap_or(0).min(PARTS);
    (0..turns).map(of_turn).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::condition::CaseId;

    fn check(first: &Value, arguments: &Value, reply: &Value, expected: &[Value]) {
        let text = json!({"type": "string"});
        let takes = [("document", text.clone()), ("section_id", text)];
        let folder = CaseId("probe/list_sections".to_owned());
        let other = LearntCall { folder, arguments: arguments.clone(), reply: reply.clone() };
        assert_eq!(calls_upon_parts(first, &takes, &other), expected, "{first} {other:?}");
    }

    #[test]
    fn a_part_is_asked_for_in_the_thing_that_has_it() {
        let first = json!({"document": "/w/notes.txt", "section_id": "alpha", "level": 1});
        let reply = json!({"structuredContent": {"sections": [{"id": "s-1"}, {"id": "s-2"}, {"id": "s-3"}]}});
        let call = |id: &str| json!({"document": "/w/data.md", "section_id": id, "level": 1});
        check(&first, &json!({"document": "/w/data.md"}), &reply, &[call("s-1"), call("s-2")]);
        // What both take is no part.
        check(&first, &json!({"document": "/w/data.md", "section_id": "s-9"}), &reply, &[]);
        check(&first, &json!({"folder": "/w"}), &reply, &[]);
        check(&first, &json!({"document": "/w/data.md"}), &json!({"content": []}), &[]);
    }
}
