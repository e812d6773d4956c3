//! The tools that a server lists, with their schemas.
//!
//! The main type is [`Catalog`]. It is read from the replies to `tools/list`, in which anything may be missing.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::json_schema::{chosen, first_type, required};

mod docstring;
mod untyped;

/// All tools of a server, in the order in which it lists them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Catalog {
    /// The tools.
    pub tools: Vec<Tool>,
}

/// One tool as the server lists it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Tool {
    /// The tool's name.
    pub name: String,
    /// The description; empty if there is none.
    pub description: String,
    /// The `inputSchema`; `{}` if there is none.
    pub input_schema: Value,
    /// The `outputSchema`, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// `annotations.readOnlyHint`.
    pub read_only: Option<bool>,
    /// `annotations.destructiveHint`.
    pub destructive: Option<bool>,
    /// `annotations.idempotentHint`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
}

impl Catalog {
    /// The tool of this name.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Adds the tools on one page of `tools/list`; items without a name are skipped.
    pub fn add_page(&mut self, result: &Value) {
        let items = result.get("tools").and_then(Value::as_array);
        self.tools.extend(items.into_iter().flatten().filter_map(Tool::from_item));
    }
}

impl Tool {
    /// A tool of which only the name and the schema of its arguments are known.
    pub fn named(name: &str, input_schema: Value) -> Self {
        Self { name: name.to_owned(), input_schema, ..Self::default() }
    }

    fn from_item(item: &Value) -> Option<Self> {
        let hint = |name: &str| item.get("annotations")?.get(name)?.as_bool();
        Some(Self {
            name: item.get("name")?.as_str()?.to_owned(),
            description: item.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
            input_schema: item.get("inputSchema").cloned().unwrap_or_else(|| Value::Object(Map::new())),
            output_schema: item.get("outputSchema").filter(|schema| schema.is_object()).cloned(),
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
        })
    }

    /// The argument that contains all others, if there is one: `params` in `{"params": {"path": ".."}}`.
    /// Servers whose tools take a single model list them like this.
    pub fn wrapper(&self) -> Option<&str> {
        self.wrapped().map(|(name, _)| name)
    }

    /// The schema of the object with its parameters: that of the arguments, or of the argument that contains
    /// them. References in it refer to the whole `inputSchema`.
    pub fn own_schema(&self) -> &Value {
        self.wrapped().map_or(&self.input_schema, |(_, schema)| schema)
    }

    /// Its `inputSchema`, completed from the description where the schema says nothing about a parameter, and
    /// with the likeliest types of untyped parameters. For generating values, not for deciding what is
    /// forbidden.
    pub fn described_schema(&self) -> Cow<'_, Value> {
        let properties = self.input_schema.get("properties").and_then(Value::as_object);
        let filled = properties.and_then(|properties| self.filled(properties));
        filled.map_or(Cow::Borrowed(&self.input_schema), |filled| {
            let mut schema = self.input_schema.clone();
            schema["properties"] = Value::Object(filled);
            Cow::Owned(schema)
        })
    }

    fn filled(&self, properties: &Map<String, Value>) -> Option<Map<String, Value>> {
        let filled = docstring::filled(&self.description, properties);
        untyped::assumed(filled.as_ref().unwrap_or(properties)).or(filled)
    }

    /// The parameters without a type in the schema.
    pub fn untyped(&self) -> impl Iterator<Item = &str> {
        let properties = self.own_schema().get("properties").and_then(Value::as_object);
        let open = properties.into_iter().flatten().filter(|(_, schema)| untyped::is_untyped(schema));
        open.map(|(name, _)| name.as_str())
    }

    /// The schema of the object with its parameters as a separate document, with the definitions that its
    /// references need, and completed from the description.
    pub fn own_document(&self) -> Cow<'_, Value> {
        let Some((_, schema)) = self.wrapped() else { return self.described_schema() };
        let mut document = schema.clone();
        let properties = document.get("properties").and_then(Value::as_object);
        if let Some(filled) = properties.and_then(|all| self.filled(all)) {
            document["properties"] = Value::Object(filled);
        }
        for key in ["$defs", "definitions", "$schema"] {
            if let (Some(members), Some(definitions)) = (document.as_object_mut(), self.input_schema.get(key))
            {
                members.entry(key).or_insert_with(|| definitions.clone());
            }
        }
        Cow::Owned(document)
    }

    /// Arguments as they are sent, from the values of the tool's parameters.
    pub fn wrap(&self, own: Value) -> Value {
        wrap(self.wrapper(), own)
    }

    /// The values of the tool's parameters, from arguments as they are sent; arguments of another form are
    /// returned unchanged.
    pub fn unwrap<'v>(&self, arguments: &'v Value) -> &'v Value {
        unwrap(self.wrapper(), arguments)
    }

    fn wrapped(&self) -> Option<(&str, &Value)> {
        let properties = self.input_schema.get("properties")?.as_object()?;
        let (name, schema) = properties.iter().next().filter(|_| properties.len() == 1)?;
        let schema = chosen(schema, &self.input_schema);
        let is_object = first_type(schema).is_none_or(|name| name == "object");
        let holds = schema.get("properties")?.as_object().is_some_and(|members| !members.is_empty());
        (is_object && holds).then_some((name, schema))
    }

    /// The schema of each of its parameters, in the schema's order.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &Value)> {
        let properties = self.own_schema().get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema))
    }

    /// The schema of one parameter.
    pub fn parameter(&self, name: &str) -> Option<&Value> {
        self.own_schema().get("properties")?.get(name)
    }

    /// The names of its required parameters.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        required(self.own_schema())
    }
}

/// Arguments as they are sent, from the values of a tool's parameters: within the wrapper argument, if there is
/// one.
pub fn wrap(wrapper: Option<&str>, own: Value) -> Value {
    match wrapper {
        Some(name) => Value::Object(Map::from_iter([(name.to_owned(), own)])),
        None => own,
    }
}

/// The values of a tool's parameters, from arguments as they are sent; arguments of another form are returned
/// unchanged.
pub fn unwrap<'v>(wrapper: Option<&str>, arguments: &'v Value) -> &'v Value {
    let inner =
        wrapper.and_then(|name| arguments.as_object().filter(|members| members.len() == 1)?.get(name));
    inner.filter(|inner| inner.is_object()).unwrap_or(arguments)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(schema: &Value) -> Tool {
        let mut catalog = Catalog::default();
        catalog.add_page(&json!({ "tools": [{ "name": "t", "inputSchema": schema }] }));
        catalog.tools.remove(0)
    }

    #[test]
    fn the_parameters_of_a_tool_that_takes_one_model_are_those_of_the_model() {
        let model = json!({"type": "object", "properties": {"path": {"type": "string"}, "of": {"$ref": "#/$defs/Kind"}}, "required": ["path"]});
        let tool = tool(&json!({
            "$defs": {"Read": model, "Kind": {"enum": ["file", "folder"]}},
            "type": "object",
            "properties": {"params": {"$ref": "#/$defs/Read"}},
            "required": ["params"],
        }));
        assert_eq!(tool.wrapper(), Some("params"));
        assert_eq!(tool.parameters().map(|(name, _)| name).collect::<Vec<_>>(), ["path", "of"]);
        assert_eq!(tool.required().collect::<Vec<_>>(), ["path"]);
        assert_eq!(tool.own_document()["$defs"]["Kind"]["enum"][0], "file");
        let (own, sent) = (json!({"path": "a"}), json!({"params": {"path": "a"}}));
        assert_eq!(tool.wrap(own.clone()), sent);
        assert_eq!(tool.unwrap(&sent), &own);
        for other in [json!({"params": "a"}), json!({}), json!({"params": {}, "more": 1}), json!(7)] {
            assert_eq!(tool.unwrap(&other), &other);
        }
    }

    #[test]
    fn other_tools_take_their_parameters_as_they_are() {
        let text = json!({"type": "string"});
        let model = json!({"type": "object", "properties": {"path": text}});
        for properties in [
            json!({"path": text}),
            json!({"params": model, "more": text}),
            json!({"labels": {"type": "object", "additionalProperties": text}}),
            json!({"files": {"type": "array", "items": model}}),
            json!({}),
        ] {
            let schema = json!({"type": "object", "properties": properties});
            assert_eq!(tool(&schema).wrapper(), None, "{schema}");
            assert_eq!(*tool(&schema).own_document(), schema);
        }
    }
}
