//! One tool: how it is listed, and what a sound call of it comes to.
//!
//! The main type is [`Tool`]. What the server keeps is the store's.

use serde_json::{Map, Value, json};

use crate::fault::Fault;
use crate::innocent::Innocent;
use crate::refusal::{Refusal, quoted};
use crate::shape::{self, Parameter};
use crate::store::Store;

/// A tool.
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) effect: Effect,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) work: Work,
    pub(crate) fault: Option<Fault>,
}

/// What it does to what the server keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Reads,
    Creates,
    Deletes,
}

/// What a sound call of it does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work {
    /// Tells what it was called with.
    Tell,
    /// Looks a part of a manual up.
    Manual,
    Create {
        id: &'static str,
        text: &'static str,
    },
    Read {
        id: &'static str,
    },
    Delete {
        id: &'static str,
    },
    List,
    Innocent(Innocent),
}

/// The parts of the manual that there are.
const MANUAL: [&str; 4] = ["guide", "guide/intro", "guide/setup", "reference"];

impl Tool {
    /// Its entry in `tools/list`.
    pub(crate) fn listed(&self) -> Value {
        let (reads, deletes) = (self.effect == Effect::Reads, self.effect == Effect::Deletes);
        json!({
            "name": self.name,
            "description": self.description,
            "inputSchema": shape::schema(&self.parameters),
            "annotations": {"readOnlyHint": reads, "destructiveHint": deletes, "openWorldHint": false},
        })
    }

    /// The smallest arguments that it takes.
    pub(crate) fn smallest(&self) -> Value {
        shape::smallest(&self.parameters)
    }

    /// Refuses what the schema forbids.
    pub(crate) fn check(&self, arguments: &Map<String, Value>) -> Result<(), Refusal> {
        shape::check(&self.parameters, arguments, "")
    }

    /// Does what a sound call does; the arguments are those that the schema allows.
    pub(crate) fn work(&self, arguments: &Map<String, Value>, store: &mut Store) -> Result<String, Refusal> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        match self.work {
            Work::Tell => Ok(reply_text(arguments)),
            Work::Manual => {
                let path = self.fault_spot(arguments);
                let plain = path.trim_end_matches('/');
                match MANUAL.contains(&plain) {
                    true => Ok(format!("The part {plain} has {} words.", 100 + plain.len())),
                    false => Err(Refusal::path_not_found(format!(
                        "There is no part {} in the manual. Valid values: {}.",
                        quoted(path),
                        MANUAL.join(", ")
                    ))),
                }
            }
            Work::Create { id, text: body } => store.create(text(id), text(body)),
            Work::Read { id } => store.read(text(id)),
            Work::Delete { id } => store.delete(text(id)),
            Work::List => Ok(store.list()),
            Work::Innocent(innocent) => innocent.work(arguments),
        }
    }

    /// The text of the parameter that says which part of the manual is meant: the one with the example.
    fn fault_spot<'a>(&self, arguments: &'a Map<String, Value>) -> &'a str {
        let marked = |parameter: &&Parameter| parameter.description.starts_with("Path of");
        for parameter in &self.parameters {
            let value = arguments.get(parameter.name);
            if marked(&parameter) {
                return value.and_then(Value::as_str).unwrap_or_default();
            }
            if let shape::Shape::Object(members) = &parameter.shape
                && let Some(inner) = members.iter().find(marked)
            {
                return value.and_then(|value| value[inner.name].as_str()).unwrap_or_default();
            }
        }
        ""
    }
}

/// What a call was made with, in one line.
fn reply_text(arguments: &Map<String, Value>) -> String {
    let items = arguments.iter().map(|(name, value)| {
        let size = match value {
            Value::String(text) => format!("{} characters", text.chars().count()),
            Value::Array(items) => format!("{} items", items.len()),
            Value::Object(members) => format!("{} members", members.len()),
            other => other.to_string(),
        };
        format!("{name} of {size}")
    });
    let items: Vec<_> = items.collect();
    format!("Ready: {}.", if items.is_empty() { "as ever".to_owned() } else { items.join(", ") })
}
