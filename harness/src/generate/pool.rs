//! Values that made calls succeed, or that the server returned, and which tool's return values fit which
//! parameters.
//!
//! The main type is [`Pool`]. It is bounded, however much a server returns; the generator decides whether a
//! value may be sent for a parameter.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::affinity::{nearness, subject, thing_of};
use super::names::plain_name;
use super::returned::{ReturnedValue, names_one, suits};
use super::rng::Rng;

/// At most this many values are kept for one name; a later one then replaces another.
const VALUES: usize = 48;
/// At most this many values of one tool are kept in addition.
const NEWEST: usize = 8;
/// At most this many names are kept.
const NAMES: usize = 512;
/// Longer texts are not kept.
const LONG: usize = 256;
/// For at most this many values the tool that returned them is kept.
const ORIGINS: usize = 2_048;
/// At most this many flows from one tool to another are kept.
const FLOWS: usize = 512;

/// Values by the names under which they were seen.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    /// Arguments of successful calls, by tool and parameter.
    arguments: BTreeMap<String, BTreeMap<String, NamedValues>>,
    /// The number of parameters with values.
    parameters: usize,
    /// Values that the server returned, by key.
    returned: BTreeMap<String, NamedValues>,
    /// Values by the tool that returned them.
    producers: BTreeMap<String, Producer>,
    /// For each value, the tool that returned it, and its key.
    origins: BTreeMap<String, (String, String)>,
    flows: BTreeSet<DataFlow>,
}

/// A value returned by one tool that another tool's parameter accepted in a successful call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DataFlow {
    pub(super) from: String,
    /// The plain name of the key of the value.
    pub(super) key: String,
    pub(super) to: String,
    pub(super) parameter: String,
}

/// What one tool returned.
#[derive(Debug, Clone)]
struct Producer {
    /// The words of the subject in its name.
    subject: Vec<String>,
    /// Values by key, including the newest.
    returned: BTreeMap<String, NamedValues>,
}

#[derive(Debug, Clone, Default)]
struct NamedValues {
    values: Vec<Value>,
    /// The index of the value to replace next.
    next: usize,
}

impl NamedValues {
    /// Adds a value; where there are this many, it replaces another.
    fn add(&mut self, most: usize, value: Value) {
        if self.values.contains(&value) {
            return;
        }
        if self.values.len() < most {
            self.values.push(value);
        } else {
            self.values[self.next] = value;
            self.next = (self.next + 1) % most;
        }
    }
}

impl Pool {
    /// Records the values of a successful call: its arguments by name, and the values in the reply's result by
    /// key.
    pub fn learn(&mut self, tool: &str, arguments: &Value, reply: &Value) {
        for (name, value) in arguments.as_object().into_iter().flatten().filter(|(_, value)| is_kept(value)) {
            self.record_flow(tool, name, value);
            let (shelves, name) = (self.arguments.entry(tool.to_owned()).or_default(), plain_name(name));
            let is_known = shelves.contains_key(&name);
            if is_known || self.parameters < NAMES {
                self.parameters += usize::from(!is_known);
                shelves.entry(name).or_default().add(VALUES, value.clone());
            }
        }
        for ReturnedValue { key, value } in ReturnedValue::collect(reply) {
            if self.origins.len() < ORIGINS {
                let origin = || (tool.to_owned(), key.clone());
                self.origins.entry(value.to_string()).or_insert_with(origin);
            }
            if self.returned.len() < NAMES || self.returned.contains_key(&key) {
                self.returned.entry(key.clone()).or_default().add(VALUES, value.clone());
                let producer = self
                    .producers
                    .entry(tool.to_owned())
                    .or_insert_with(|| Producer { subject: subject(tool), returned: BTreeMap::new() });
                producer.returned.entry(key).or_default().add(NEWEST, value);
            }
        }
    }

    /// A value for a parameter of this plain name, whatever its schema; `None` if none is known.
    pub(super) fn take(&self, rng: &mut Rng, tool: &str, name: &str) -> Option<&Value> {
        if self.arguments.is_empty() && self.returned.is_empty() {
            return None;
        }
        let own = || self.arguments.get(tool)?.get(name);
        let returned = |rng: &mut Rng| {
            let near = if rng.one_in(4) { None } else { self.near(tool, name) };
            if near.is_some() {
                return near;
            }
            let shelves: Vec<&NamedValues> =
                self.returned.iter().filter(|(key, _)| suits(key, name)).map(|(_, shelf)| shelf).collect();
            rng.pick(&shelves).copied()
        };
        let shelf = match rng.one_in(2) {
            true => own().or_else(|| returned(rng)),
            false => returned(rng).or_else(own),
        };
        rng.pick(&shelf?.values)
    }

    /// The values returned by a tool about the same thing: the one in the parameter's name, or else the tool's
    /// own.
    fn near(&self, tool: &str, name: &str) -> Option<&NamedValues> {
        let of_subject = |is_wanted: &dyn Fn(&str) -> bool| {
            let producers = self.producers.values().filter_map(|producer| {
                let nearness = nearness(&producer.subject, is_wanted)?;
                let exact = producer.returned.get(name);
                let suited = || producer.returned.iter().find(|(key, _)| !key.is_empty() && suits(key, name));
                Some((nearness, exact.or_else(|| suited().map(|(_, shelf)| shelf))?))
            });
            producers.max_by_key(|(nearness, _)| *nearness).map(|(_, shelf)| shelf)
        };
        // With a single producer, nothing is closer than anything else.
        if self.producers.len() < 2 || !names_one(name) {
            return None;
        }
        let thing = thing_of(name);
        of_subject(&|word| thing.contains(word)).or_else(|| {
            let own = subject(tool);
            of_subject(&|word| own.iter().any(|own| own == word))
        })
    }

    /// A version of the known flows, which changes whenever a key or a flow is added.
    pub(super) fn known_flows(&self) -> usize {
        self.flows.len() + self.producers.values().map(|producer| producer.returned.len()).sum::<usize>()
    }

    /// The known flows from a tool.
    pub(super) fn flows_from<'p>(&'p self, tool: &'p str) -> impl Iterator<Item = &'p DataFlow> {
        self.flows.iter().filter(move |flow| flow.from == tool)
    }

    /// The key of a tool's return value that may fit a parameter of this plain name.
    pub(super) fn key_for(&self, tool: &str, parameter: &str) -> Option<&str> {
        let keys = &self.producers.get(tool)?.returned;
        let exact = keys.get_key_value(parameter).map(|(key, _)| key);
        exact.or_else(|| keys.keys().rev().find(|key| suits(key, parameter))).map(String::as_str)
    }

    fn record_flow(&mut self, to: &str, parameter: &str, value: &Value) {
        let Some((from, key)) = self.origins.get(&value.to_string()) else { return };
        // Short numbers and texts are often equal by chance.
        let is_telling =
            value.as_str().is_some_and(|text| text.len() > 3) || suits(key, &plain_name(parameter));
        if is_telling && self.flows.len() < FLOWS {
            self.flows.insert(DataFlow {
                from: from.clone(),
                key: key.clone(),
                to: to.to_owned(),
                parameter: parameter.to_owned(),
            });
        }
    }
}

fn is_kept(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty() && text.len() <= LONG,
        Value::Number(_) => true,
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn taken(pool: &Pool, tool: &str, name: &str) -> BTreeSet<String> {
        let mut rng = Rng::seeded(1);
        (0..200)
            .filter_map(|_| pool.take(&mut rng, tool, &plain_name(name)))
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn what_one_tool_returned_is_given_to_another_and_the_flow_is_learned() {
        let mut pool = Pool::default();
        pool.learn("create_note", &json!({"title": "x"}), &json!({"structuredContent": {"id": "n-100"}}));
        assert_eq!(taken(&pool, "read_note", "note_id"), BTreeSet::from([r#""n-100""#.to_owned()]));
        assert_eq!(pool.flows_from("create_note").count(), 0);
        pool.learn("read_note", &json!({"note_id": "n-100"}), &json!({}));
        let flow =
            pool.flows_from("create_note").next().map(|flow| (flow.to.as_str(), flow.parameter.as_str()));
        assert_eq!(flow, Some(("read_note", "note_id")));
    }

    #[test]
    fn of_several_things_with_ids_mostly_that_is_taken_which_the_names_speak_of() {
        let mut pool = Pool::default();
        for (tool, id) in [("todo_create", "d-1"), ("timer_set", "m-1"), ("todo_comment_add", "c-1")] {
            pool.learn(tool, &json!({}), &json!({"structuredContent": {"id": id}}));
        }
        let mostly = |tool: &str, name: &str| {
            let mut rng = Rng::seeded(1);
            let mut count = BTreeMap::new();
            for _ in 0..200 {
                let taken = pool.take(&mut rng, tool, name);
                *count.entry(taken.expect("there are some").to_string()).or_insert(0) += 1;
            }
            count.into_iter().max_by_key(|(_, count)| *count).expect("there are some").0
        };
        assert_eq!(mostly("timer_pause", "id"), r#""m-1""#);
        assert_eq!(mostly("todo_update", "id"), r#""d-1""#);
        assert_eq!(mostly("todo_comment_edit", "id"), r#""c-1""#);
        assert_eq!(mostly("timer_link", "todoid"), r#""d-1""#);
    }

    #[test]
    fn a_server_that_returns_without_end_fills_no_memory() {
        let mut pool = Pool::default();
        for number in 0..5_000 {
            let mut reply = serde_json::Map::new();
            reply.insert(format!("key{}", "x".repeat(number % 700)), json!(format!("value-{number}")));
            pool.learn("t", &json!({"p": number}), &Value::Object(reply));
        }
        assert!(pool.returned.len() <= NAMES && pool.origins.len() <= ORIGINS);
        assert!(pool.returned.values().all(|shelf| shelf.values.len() <= VALUES));
        assert_eq!(pool.arguments["t"]["p"].values.len(), VALUES);
    }
}
