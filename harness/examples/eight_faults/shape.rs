//! What a parameter takes: its schema, and the refusal of what the schema forbids.
//!
//! The main type is [`Parameter`]. Schema and check are made from the same shape, and so the schema is honest. This
//! module knows nothing of faults.

use serde_json::{Map, Value, json};

use crate::refusal::{Refusal, excerpt, quoted};

/// One parameter, or one member of an object.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) presence: Presence,
    pub(crate) shape: Shape,
    /// A value for the schema's `examples`.
    pub(crate) example: Option<Value>,
}

/// Whether it may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    Optional,
}

/// What values it takes.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// A whole number from here, up to there where there is an end.
    Integer { least: i64, most: Option<i64> },
    /// A text of at least this many characters.
    Text { least: usize },
    /// One of these.
    Choice(Vec<&'static str>),
    /// Numbers, at least this many.
    Numbers { least: usize },
    /// An object with these members.
    Object(Vec<Parameter>),
}

impl Parameter {
    /// A required one.
    pub(crate) fn required(name: &'static str, description: &'static str, shape: Shape) -> Self {
        Self { name, description, presence: Presence::Required, shape, example: None }
    }

    /// One that may be left out.
    pub(crate) fn optional(name: &'static str, description: &'static str, shape: Shape) -> Self {
        Self { presence: Presence::Optional, ..Self::required(name, description, shape) }
    }

    /// The shape with a value that shows what is meant.
    pub(crate) fn example(self, example: Value) -> Self {
        Self { example: Some(example), ..self }
    }

    /// The smallest value that it takes.
    pub(crate) fn smallest(&self) -> Value {
        match &self.shape {
            Shape::Integer { least, .. } => json!(least),
            Shape::Text { least } => json!("a".repeat(*least)),
            Shape::Choice(values) => json!(values[0]),
            Shape::Numbers { least } => json!(vec![0; *least]),
            Shape::Object(members) => smallest(members),
        }
    }

    fn schema(&self) -> Value {
        let mut schema = match &self.shape {
            Shape::Integer { least, most: None } => json!({"type": "integer", "minimum": least}),
            Shape::Integer { least, most: Some(most) } => {
                json!({"type": "integer", "minimum": least, "maximum": most})
            }
            Shape::Text { least: 0 } => json!({"type": "string"}),
            Shape::Text { least } => json!({"type": "string", "minLength": least}),
            Shape::Choice(values) => json!({"type": "string", "enum": values}),
            Shape::Numbers { least: 0 } => json!({"type": "array", "items": {"type": "number"}}),
            Shape::Numbers { least } => {
                json!({"type": "array", "items": {"type": "number"}, "minItems": least})
            }
            Shape::Object(members) => schema(members),
        };
        schema["description"] = json!(self.description);
        if let Some(example) = &self.example {
            schema["examples"] = json!([example]);
        }
        schema
    }

    /// Refuses a value that the schema forbids; `at` is its name with those of the objects around it.
    fn check(&self, at: &str, value: &Value) -> Result<(), Refusal> {
        let fits = match (&self.shape, value) {
            (Shape::Integer { least, most }, value) => whole(value)
                .is_some_and(|n| n >= i128::from(*least) && most.is_none_or(|most| n <= i128::from(most))),
            (Shape::Text { least }, Value::String(text)) => text.chars().count() >= *least,
            (Shape::Choice(values), Value::String(text)) => values.contains(&text.as_str()),
            (Shape::Numbers { least }, Value::Array(items)) => {
                if let Some(place) = items.iter().position(|item| !item.is_number()) {
                    let item = excerpt(&items[place]);
                    return Err(Refusal::input(format!(
                        "Item {place} of {} must be a number, not {item}.",
                        quoted(at)
                    )));
                }
                items.len() >= *least
            }
            (Shape::Object(members), Value::Object(given)) => return check(members, given, at),
            _ => false,
        };
        if fits {
            return Ok(());
        }
        let (name, value) = (quoted(at), excerpt(value));
        Err(Refusal::input(match &self.shape {
            Shape::Choice(values) => {
                format!("{name} cannot be {value}. Valid values: {}.", values.join(", "))
            }
            _ => format!("{name} must be {}, not {value}.", self.shape.in_words()),
        }))
    }
}

impl Shape {
    fn in_words(&self) -> String {
        match self {
            Self::Integer { least, most: None } => format!("a whole number of at least {least}"),
            Self::Integer { least, most: Some(most) } => format!("a whole number from {least} to {most}"),
            Self::Text { least: 0 } => "a text".to_owned(),
            Self::Text { least } => format!("a text of at least {least} characters"),
            Self::Choice(values) => format!("one of {}", values.join(", ")),
            Self::Numbers { least: 0 } => "an array of numbers".to_owned(),
            Self::Numbers { least } => format!("an array of at least {least} numbers"),
            Self::Object(members) => {
                let names: Vec<_> = members.iter().map(|member| member.name).collect();
                format!("an object with the members {}", names.join(", "))
            }
        }
    }
}

/// The schema of an object with these members.
pub(crate) fn schema(members: &[Parameter]) -> Value {
    let properties: Map<String, Value> =
        members.iter().map(|member| (member.name.to_owned(), member.schema())).collect();
    let required: Vec<_> = required(members).map(|member| member.name).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// The smallest object with these members.
pub(crate) fn smallest(members: &[Parameter]) -> Value {
    required(members).map(|member| (member.name.to_owned(), member.smallest())).collect::<Map<_, _>>().into()
}

fn required(members: &[Parameter]) -> impl Iterator<Item = &Parameter> {
    members.iter().filter(|member| member.presence == Presence::Required)
}

/// Refuses an object that the schema forbids; `around` is the name of the object, empty for the arguments themselves.
pub(crate) fn check(members: &[Parameter], given: &Map<String, Value>, around: &str) -> Result<(), Refusal> {
    let at = |name: &str| if around.is_empty() { name.to_owned() } else { format!("{around}.{name}") };
    for member in required(members) {
        if !given.contains_key(member.name) {
            let name = quoted(&at(member.name));
            return Err(Refusal::input(format!(
                "{name} is required and missing. Give {}.",
                member.shape.in_words()
            )));
        }
    }
    for (name, value) in given {
        match members.iter().find(|member| member.name == name) {
            Some(member) => member.check(&at(name), value)?,
            None => {
                let known: Vec<_> = members.iter().map(|member| member.name).collect();
                let name = quoted(&at(name));
                return Err(Refusal::input(format!(
                    "There is no parameter {name}. Known parameters: {}.",
                    known.join(", ")
                )));
            }
        }
    }
    Ok(())
}

/// A number without a fraction, in whichever form it is written, as JSON Schema takes it.
pub(crate) fn whole(value: &Value) -> Option<i128> {
    let number = value.as_number()?;
    let whole = || number.as_f64().filter(|number| number.fract() == 0.0).map(|number| number as i128);
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from)).or_else(whole)
}
