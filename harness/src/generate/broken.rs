//! Calls in which every required argument is invalid, which are all that a tool that could do harm may get.
//!
//! The main type is [`Broken`].

use serde_json::{Map, Value};

use super::compiled::{CompiledSchema, NodeId, SchemaType};
use super::input::AppliedMutation;
use super::odd::{OF_ALL_TYPES, has_text};
use super::rng::Rng;

/// The required arguments of a tool.
#[derive(Debug)]
pub(super) struct Broken {
    /// Their names and types; an argument without a type can only be left out.
    required: Vec<(String, Vec<SchemaType>)>,
}

impl Broken {
    pub(super) fn new(compiled: &CompiledSchema) -> Self {
        let members = &compiled.node(CompiledSchema::ROOT).members.known;
        let required = members.iter().filter(|member| member.is_required);
        Self { required: required.map(|member| (member.name.clone(), kinds(compiled, member.id))).collect() }
    }

    /// Whether there is no required argument, so that every call is complete.
    pub(super) fn is_empty(&self) -> bool {
        self.required.is_empty()
    }

    pub(super) fn draw(&self, rng: &mut Rng) -> Value {
        let mut members = Map::new();
        let all_missing = rng.one_in(6);
        for (name, kinds) in self.required.iter().filter(|(_, kinds)| !all_missing && !kinds.is_empty()) {
            let wrong: Vec<&Value> = OF_ALL_TYPES.iter().filter(|value| is_wrong(value, kinds)).collect();
            if let Some(value) = rng.pick(&wrong).filter(|_| !rng.one_in(4)) {
                members.insert(name.clone(), (*value).clone());
            }
        }
        Value::Object(members)
    }

    /// Whether the arguments are invalid in each of them.
    pub(super) fn breaks(&self, value: &Value) -> bool {
        let Value::Object(members) = value else { return false };
        let is_broken = |(name, kinds): &(String, Vec<SchemaType>)| {
            members.get(name).is_none_or(|value| !kinds.is_empty() && is_wrong(value, kinds))
        };
        let is_required = |name: &String| self.required.iter().any(|(required, _)| required == name);
        !self.is_empty() && self.required.iter().all(is_broken) && members.keys().all(is_required)
    }

    pub(super) fn changes(&self) -> Vec<AppliedMutation> {
        vec![AppliedMutation {
            path: String::new(),
            keyword: "required".to_owned(),
            label: "every required argument is missing or has the wrong type".to_owned(),
        }]
    }
}

/// The types of a parameter including those of its alternatives; empty if any type is allowed.
fn kinds(compiled: &CompiledSchema, id: NodeId) -> Vec<SchemaType> {
    let node = compiled.node(id);
    let mut kinds = if node.alternatives.is_empty() { node.kinds.clone() } else { Vec::new() };
    for value in &node.closed {
        kinds.push(SchemaType::from_value(value));
    }
    for alternative in &node.alternatives {
        let node = compiled.node(*alternative);
        if node.kinds.is_empty() || !node.alternatives.is_empty() {
            return Vec::new();
        }
        kinds.extend(&node.kinds);
    }
    kinds
}

/// Whether a value has none of these types, and a lenient server would not convert it to one.
fn is_wrong(value: &Value, kinds: &[SchemaType]) -> bool {
    let is = |kind: SchemaType| kinds.contains(&kind);
    match value {
        Value::Null => !is(SchemaType::Null),
        Value::Bool(_) => false,
        Value::Number(_) => !is(SchemaType::Integer) && !is(SchemaType::Number) && !is(SchemaType::Boolean),
        // A single text is often accepted for an array of texts.
        Value::String(text) => !is(SchemaType::Text) && !is(SchemaType::List) && text == "twelve",
        // A single text in an array is often taken for the text.
        Value::Array(_) => !is(SchemaType::List) && !has_text(value),
        Value::Object(_) => !is(SchemaType::Members),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::generator::tests::generator;
    use super::super::{Calls, Pool, Validity};
    use super::*;

    #[test]
    fn every_required_argument_is_broken_and_nothing_else_is_sent() {
        let schema = json!({
            "type": "object",
            "properties": {"path": {"type": "string"}, "mode": {"enum": ["a", "b"]}, "limit": {"type": "integer"}},
            "required": ["path", "mode"]
        });
        let generator = generator("delete_file", &schema, Calls::Broken);
        let (mut rng, pool) = (Rng::seeded(1), Pool::default());
        let mut before = generator.draw(&mut rng, &pool);
        for _ in 0..500 {
            for input in [generator.draw(&mut rng, &pool), generator.near(&mut rng, &pool, &before)] {
                assert_eq!(input.validity, Validity::Invalid);
                let value = input.value().unwrap();
                assert!(!value["path"].is_string() && !value["mode"].is_string(), "{value}");
                assert!(value.get("limit").is_none());
                for smaller in generator.simpler(&input) {
                    assert_eq!(smaller.validity, Validity::Invalid, "{}", smaller.arguments);
                }
                before = input;
            }
        }
    }

    #[test]
    fn a_tool_without_a_required_argument_gets_nothing() {
        let schema = json!({"properties": {"path": {"type": "string"}}});
        assert!(generator("delete_all", &schema, Calls::Broken).draws_nothing());
        assert!(!generator("list_all", &schema, Calls::Complete).draws_nothing());
    }
}
