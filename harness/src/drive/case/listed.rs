//! Values that tools which list or read have returned, tried in the calls of others.
//!
//! The main function is [`Driver::with_listed`]. What could be executed, and paths, stay as they were made.

use serde_json::{Map, Value};

use crate::catalog::Tool;
use crate::class::Class;
use crate::generate::executable::bound_executable_kind;
use crate::generate::{are_about_the_same, entries, is_harmless, is_path, plain_name, returned_for, texts};
use crate::json_schema::flattened;
use crate::plan::ProbedTool;
use crate::wording::mention::stands_in;

use super::Driver;

/// At most this many replies are used for one tool.
const LISTS: usize = 4;
/// At most this many values of each reply.
const VALUES: usize = 3;
/// At most this many calls are made of them.
const CALLS: usize = 8;

/// A reply that may name what another tool takes.
struct Listing<'r> {
    reply: &'r Value,
    /// The refusal says that its tool is to be called.
    is_named: bool,
}

impl Driver<'_> {
    /// The refused call with what another tool has returned in the place of its values: one without parameters, or one that
    /// the refusal names.
    pub(super) fn with_listed(&self, tool: &ProbedTool, refused: usize) -> Vec<Value> {
        let sent = self.own_arguments(&tool.name, refused);
        let (Some(listed), Some(members)) = (self.head.catalog.tool(&tool.name), sent.as_object()) else {
            return Vec::new();
        };
        if tool.class != Class::Read && self.draws.is_none() {
            return Vec::new();
        }
        let words = self.pool.exchanges[refused].outcome.words().join("\n");
        let slots = self.slots(listed, members);
        let mut calls: Vec<Value> = Vec::new();
        for Listing { reply, is_named } in self.listings(tool, &words) {
            let filled: Vec<(&str, Vec<Value>)> = slots
                .iter()
                .map(|(name, schema)| {
                    let is_quoted = members[*name].as_str().is_some_and(|text| words.contains(text));
                    let is_meant = is_named && (slots.len() == 1 || is_quoted);
                    (*name, values_for(reply, name, schema, is_meant))
                })
                .collect();
            for turn in 0..VALUES {
                let mut call = members.clone();
                for (name, values) in &filled {
                    let value = values.get(turn);
                    call.extend(value.map(|value| ((*name).to_owned(), value.clone())));
                }
                let call = Value::Object(call);
                if call != sent && !calls.contains(&call) {
                    calls.push(call);
                }
            }
        }
        calls.truncate(CALLS);
        calls
    }

    /// The arguments of a call that may be replaced, with their schemas.
    fn slots<'m>(&self, tool: &Tool, members: &'m Map<String, Value>) -> Vec<(&'m str, Value)> {
        let document = tool.own_document();
        let slot = |name: &'m String| {
            let schema = flattened(document.pointer("/properties")?.get(name)?, &document).into_owned();
            let described = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            let is_closed = schema.get("enum").is_some() || schema.get("const").is_some();
            let is_executed = bound_executable_kind(tool, &self.head.bindings, name, &schema).is_some();
            let is_fixed = is_closed || is_executed || is_path(&plain_name(name), &described.to_lowercase());
            (!is_fixed).then_some((name.as_str(), schema))
        };
        members.keys().filter_map(slot).collect()
    }

    /// The replies that may name what a tool takes: of the tools that its refusal names first, then of those about the same.
    fn listings(&self, tool: &ProbedTool, words: &str) -> Vec<Listing<'_>> {
        let listing = |other: &Tool| {
            let (met, found) = self.valid_call(&other.name).filter(|(met, _)| met.class == Class::Read)?;
            let is_named = words.contains(&other.name) && stands_in(words, &other.name);
            let reply = self.pool.exchanges[found.control].outcome.result()?;
            let rank = match are_about_the_same(&tool.name, &other.name) {
                _ if is_named => 0,
                true => 1,
                false => 2,
            };
            (is_named || met.is_bare()).then_some((rank, Listing { reply, is_named }))
        };
        let others = self.head.catalog.tools.iter().filter(|other| other.name != tool.name);
        let mut found: Vec<(usize, Listing<'_>)> = others.filter_map(listing).collect();
        found.sort_by_key(|(rank, _)| *rank);
        found.truncate(LISTS);
        found.into_iter().map(|(_, listing)| listing).collect()
    }
}

/// What a reply holds for a parameter. `is_meant` where the parameter is known to take what is listed,
/// whatever it is called.
fn values_for(reply: &Value, name: &str, schema: &Value, is_meant: bool) -> Vec<Value> {
    let mut values = returned_for(reply, name, schema);
    if values.is_empty() && is_meant {
        values = entries(reply, schema);
    }
    values.retain(|value| {
        let mut is_plain = true;
        texts(value, &mut |text| is_plain &= is_harmless(text));
        is_plain
    });
    values.truncate(VALUES);
    values
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_parameter_takes_what_is_listed_in_its_own_type() {
        let reply = json!({"content": [{"type": "text", "text": r#"[{"note_id": "n-17", "text": "a"}]"#}]});
        let (text, list) = (json!({"type": "string"}), json!({"type": "array", "items": {"type": "string"}}));
        assert_eq!(values_for(&reply, "note_id", &text, false), [json!("n-17")]);
        assert_eq!(values_for(&reply, "note_ids", &list, false), [json!(["n-17"])]);
        assert!(values_for(&reply, "colour", &text, false).is_empty());
        assert_eq!(values_for(&reply, "colour", &text, true), [json!("n-17")]);
        let harmful = json!({"content": [{"type": "text", "text": r#"["$(x)"]"#}]});
        assert!(values_for(&harmful, "note_id", &text, true).is_empty());
    }
}
