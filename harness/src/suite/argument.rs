//! Arguments of a call as a case writes them: native TOML, `{ json = '..' }` where TOML cannot say it, `{ raw = '..' }`
//! where JSON cannot.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

/// Arguments by the role's parameter names, in the order in which they are written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arguments(pub Vec<(String, Argument)>);

/// One argument.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A JSON value.
    Json(Value),
    /// JSON text that goes out byte for byte, such as `"\ud800"`, which no JSON library writes.
    Raw(String),
}

impl Arguments {
    /// The argument of this name.
    pub fn get(&self, name: &str) -> Option<&Argument> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, argument)| argument)
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Table;
        impl<'de> Visitor<'de> for Table {
            type Value = Arguments;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a table of arguments")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Arguments, A::Error> {
                let mut arguments = Vec::new();
                while let Some(entry) = map.next_entry::<String, Argument>()? {
                    arguments.push(entry);
                }
                Ok(Arguments(arguments))
            }
        }
        deserializer.deserialize_map(Table)
    }
}

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match sole(&value, "raw") {
            Some(Value::String(raw)) => Ok(Self::Raw(raw.clone())),
            Some(_) => Err(de::Error::custom("`raw` wants a text: { raw = '..' }")),
            None => unfold(value).map(Self::Json).map_err(de::Error::custom),
        }
    }
}

/// Replaces every `{ json = '..' }` within a value by what the text says.
fn unfold(value: Value) -> Result<Value, String> {
    match sole(&value, "json") {
        Some(Value::String(text)) => {
            return serde_json::from_str(text)
                .map_err(|error| format!("`json` holds no JSON value: {error}"));
        }
        Some(_) => return Err("`json` wants a text: { json = '..' }".into()),
        None => {}
    }
    if sole(&value, "raw").is_some() {
        return Err("`raw` stands for a whole argument, not for a part of one".into());
    }
    match value {
        Value::Array(items) => items.into_iter().map(unfold).collect(),
        Value::Object(members) => {
            let members: Result<Map<_, _>, _> =
                members.into_iter().map(|(key, member)| Ok((key, unfold(member)?))).collect();
            members.map(Value::Object)
        }
        other => Ok(other),
    }
}

/// The value of a table that has this key alone.
fn sole<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    value.as_object().filter(|members| members.len() == 1)?.get(key)
}

#[cfg(test)]
impl schemars::JsonSchema for Arguments {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Arguments".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "description": "Arguments by the role's parameter names. `{ json = '..' }` gives what TOML cannot say, `{ raw = '..' }` JSON text that goes out byte for byte.",
            "additionalProperties": true
        })
    }
}
