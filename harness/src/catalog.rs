//! The tools that a server lists, with their schemas.
//!
//! The main type is [`Catalog`]. It is read from the replies to `tools/list`, in which anything may be missing.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// All tools of a server, in the order in which it lists them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Catalog {
    /// The tools.
    pub tools: Vec<Tool>,
}

/// One tool as the server lists it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its description, empty where there is none.
    pub description: String,
    /// Its `inputSchema`, `{}` where there is none.
    pub input_schema: Value,
    /// Its `outputSchema`, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// `annotations.readOnlyHint`.
    pub read_only: Option<bool>,
    /// `annotations.destructiveHint`.
    pub destructive: Option<bool>,
}

impl Catalog {
    /// The tool of this name.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Adds the tools of one page of `tools/list`; an item without a name is passed over.
    pub fn add_page(&mut self, result: &Value) {
        let items = result.get("tools").and_then(Value::as_array);
        self.tools.extend(items.into_iter().flatten().filter_map(Tool::from_item));
    }
}

impl Tool {
    fn from_item(item: &Value) -> Option<Self> {
        let hint = |name: &str| item.get("annotations")?.get(name)?.as_bool();
        Some(Self {
            name: item.get("name")?.as_str()?.to_owned(),
            description: item.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
            input_schema: item.get("inputSchema").cloned().unwrap_or_else(|| Value::Object(Map::new())),
            output_schema: item.get("outputSchema").filter(|schema| schema.is_object()).cloned(),
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
        })
    }

    /// The schema of each of its parameters, in the schema's order.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &Value)> {
        let properties = self.input_schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema))
    }

    /// The schema of one parameter.
    pub fn parameter(&self, name: &str) -> Option<&Value> {
        self.input_schema.get("properties")?.get(name)
    }

    /// The names of its required parameters.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        let required = self.input_schema.get("required").and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str)
    }
}
