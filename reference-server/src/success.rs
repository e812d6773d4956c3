//! What tools return when they did what was asked.
//!
//! The main type is [`Success`]: a text for a reader, and the same as named fields. Which of the two is sent, and with
//! what around it, is the business of `contract`; a tool lists its fields as a table of [`Field`].

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A call that was done, told twice: as text and as fields.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Success {
    pub(crate) text: String,
    fields: Map<String, Value>,
}

impl Success {
    /// A success that says this, and has no field yet.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), fields: Map::new() }
    }

    /// Adds a field.
    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// All fields of a tool, in the order of its table; one that was not given is empty.
    pub(crate) fn object(&self, fields: &[Field]) -> Map<String, Value> {
        let unlisted =
            self.fields.keys().find(|name| !fields.iter().any(|field| field.name == name.as_str()));
        debug_assert_eq!(unlisted, None, "a tool gives a field that its table does not list");
        let value =
            |field: &Field| self.fields.get(field.name).cloned().unwrap_or_else(|| field.holds.empty());
        fields.iter().map(|field| (field.name.to_owned(), value(field))).collect()
    }

    /// The success in other words.
    #[must_use]
    pub(crate) fn saying(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }
}

impl<T: Into<String>> From<T> for Success {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}

/// One field of a tool's result.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) holds: Holds,
    pub(crate) description: &'static str,
}

/// What a field holds.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", bound(deserialize = "'de: 'static"))]
pub(crate) enum Holds {
    Text,
    /// A whole number from 0.
    Count,
    /// A whole number, or null where there is none.
    MaybeNumber,
    Flag,
    Texts,
    /// Objects with these fields.
    Items(Vec<Field>),
}

impl Holds {
    /// What stands where there is nothing.
    pub(crate) fn empty(&self) -> Value {
        match self {
            Holds::Text => json!(""),
            Holds::Count => json!(0),
            Holds::MaybeNumber => Value::Null,
            Holds::Flag => json!(false),
            Holds::Texts | Holds::Items(_) => json!([]),
        }
    }

    fn schema(&self) -> Value {
        match self {
            Holds::Text => json!({"type": "string"}),
            Holds::Count => json!({"type": "integer", "minimum": 0}),
            Holds::MaybeNumber => json!({"type": ["integer", "null"]}),
            Holds::Flag => json!({"type": "boolean"}),
            Holds::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Holds::Items(fields) => json!({"type": "array", "items": schema(fields)}),
        }
    }
}

/// The JSON Schema of a result with these fields. It leaves room for more: a refusal has them too.
pub(crate) fn schema(fields: &[Field]) -> Map<String, Value> {
    let described = |field: &Field| {
        let mut schema = field.holds.schema();
        schema["description"] = field.description.into();
        (field.name.to_owned(), schema)
    };
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), fields.iter().map(described).collect::<Map<_, _>>().into());
    schema.insert("required".into(), fields.iter().map(|field| field.name).collect());
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> Vec<Field> {
        let fields = r#"[
            {"name": "path", "holds": "text", "description": "The path."},
            {"name": "lines", "holds": "count", "description": "How many."},
            {"name": "exit_code", "holds": "maybe-number", "description": "How it ended."},
            {"name": "blame", "description": "The lines.", "holds": {"items": [
                {"name": "line", "holds": "count", "description": "Its number."}
            ]}}
        ]"#;
        serde_json::from_str(fields).unwrap()
    }

    #[test]
    fn a_field_that_was_not_given_is_empty_and_the_order_is_that_of_the_table() {
        let object = Success::new("done").with("lines", 2).with("path", "a").object(&fields());
        assert_eq!(
            Value::Object(object).to_string(),
            r#"{"path":"a","lines":2,"exit_code":null,"blame":[]}"#
        );
    }

    #[test]
    fn the_schema_requires_every_field_and_fits_an_empty_one() {
        let schema = Value::Object(schema(&fields()));
        assert_eq!(schema["required"], json!(["path", "lines", "exit_code", "blame"]));
        assert_eq!(schema["properties"]["exit_code"]["type"], json!(["integer", "null"]));
        assert_eq!(schema["properties"]["blame"]["items"]["required"], json!(["line"]));
    }
}
