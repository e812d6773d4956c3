//! What a tool's parameters are: one table for the published schema and for the check of each call.
//!
//! The main type is [`Parameter`]. Schema and check cannot differ, since both are derived from it.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::edit::{self, Edit, FileEdits, Misfit};
use crate::failure::{Code, Failure, Quoted};
use crate::tools::kept;

/// One parameter of a tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) presence: Presence,
    pub(crate) kind: Kind,
    pub(crate) description: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Presence {
    Required,
    Optional,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case", bound(deserialize = "'de: 'static"))]
pub(crate) enum Kind {
    /// Any string.
    Text,
    /// A string that must hold something; the code for one that does not.
    NonEmptyText(Code),
    /// One of a closed set; the code for anything else.
    Choice(#[serde(deserialize_with = "kept")] &'static [&'static str], Code),
    /// A whole number from the first to the second.
    Integer(i64, i64),
    Flag,
    /// `[first line, last line]`, counted from 1.
    LineRange,
    /// A list of edits of one file.
    Edits,
    /// A list of files, each with its edits.
    FileEdits,
}

impl Kind {
    fn expected(self) -> String {
        match self {
            Kind::Text | Kind::NonEmptyText(_) | Kind::Choice(..) => "a string".to_owned(),
            Kind::Integer(least, most) => format!("an integer from {least} to {most}"),
            Kind::Flag => "a boolean, true or false".to_owned(),
            Kind::LineRange => "an array of two line numbers, [first, last]".to_owned(),
            Kind::Edits => "an array of edits".to_owned(),
            Kind::FileEdits => "an array of files with their edits".to_owned(),
        }
    }

    fn placeholder(self) -> &'static str {
        match self {
            Kind::Text | Kind::NonEmptyText(_) | Kind::Choice(..) => "\"<string>\"",
            Kind::Integer(..) => "<integer>",
            Kind::Flag => "true",
            Kind::LineRange => "[1, 20]",
            Kind::Edits => "[{\"old_string\": \"<string>\", \"new_string\": \"<string>\"}]",
            Kind::FileEdits => {
                "[{\"file_path\": \"<string>\", \"edits\": [{\"old_string\": \"<string>\", \"new_string\": \"<string>\"}]}]"
            }
        }
    }
}

impl Parameter {
    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({"type": "string"}),
            Kind::NonEmptyText(_) => json!({"type": "string", "minLength": 1}),
            Kind::Choice(values, _) => json!({"type": "string", "enum": values}),
            Kind::Integer(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::LineRange => json!({
                "type": "array",
                "items": {"type": "integer", "minimum": 1},
                "minItems": 2,
                "maxItems": 2,
            }),
            Kind::Edits => edit::edits_schema(),
            Kind::FileEdits => edit::files_schema(),
        };
        schema["description"] = self.description.into();
        schema
    }

    fn check(&self, value: &Value, tool: &str) -> Result<(), Failure> {
        let fits = match (self.kind, value) {
            (Kind::Text, Value::String(_)) | (Kind::Flag, Value::Bool(_)) => true,
            (Kind::NonEmptyText(code), Value::String(text)) => {
                return if text.is_empty() { Err(empty(self.name, code, tool)) } else { Ok(()) };
            }
            (Kind::Choice(values, code), Value::String(text)) => {
                return if values.contains(&text.as_str()) {
                    Ok(())
                } else {
                    Err(self.unknown_choice(text, values, code))
                };
            }
            (Kind::Integer(least, most), Value::Number(_)) => {
                whole(value).is_some_and(|number| (least..=most).contains(&number))
            }
            (Kind::LineRange, Value::Array(_)) => lines(value).is_some(),
            (Kind::Edits, Value::Array(_)) => {
                return edit::edits(value, self.name).map(|_| ()).map_err(|misfit| self.unfit(&misfit, tool));
            }
            (Kind::FileEdits, Value::Array(_)) => {
                return edit::files(value, self.name).map(|_| ()).map_err(|misfit| self.unfit(&misfit, tool));
            }
            _ => false,
        };
        if fits { Ok(()) } else { Err(self.misfit(value, tool)) }
    }

    fn unknown_choice(&self, text: &str, values: &'static [&'static str], code: Code) -> Failure {
        let failure = Failure::new(code, format!("{} is not a valid value of '{}'", Quoted(text), self.name));
        failure.about(text).valid_values(values).hint("Use one of these, or leave it out.")
    }

    /// A part of a list that does not fit.
    fn unfit(&self, misfit: &Misfit<'_>, tool: &str) -> Failure {
        let Misfit { at, expected, found } = misfit;
        let what = match found {
            None => format!("Parameter '{at}' is missing"),
            Some(found) => format!("Parameter '{at}' must be {expected}, but {} was sent", described(found)),
        };
        let hint = format!("Call {tool} with {{\"{}\": {}}}.", self.name, self.kind.placeholder());
        Failure::new(Code::InvalidInput, what).about(self.name).hint(hint)
    }

    fn misfit(&self, value: &Value, tool: &str) -> Failure {
        let expected = self.kind.expected();
        let name = self.name;
        let what = format!("Parameter '{name}' must be {expected}, but {} was sent", described(value));
        let mend = format!("Call {tool} with {{\"{name}\": {}}}", self.kind.placeholder());
        Failure::new(Code::InvalidInput, what).about(name).hint(match self.presence {
            Presence::Required => format!("{mend}."),
            Presence::Optional => format!("{mend}, or leave it out."),
        })
    }
}

/// A text without content where something must stand.
pub(crate) fn empty(name: &str, code: Code, tool: &str) -> Failure {
    Failure::new(code, format!("Parameter '{name}' is empty"))
        .about(name)
        .hint(format!("Call {tool} with a value for it: {{\"{name}\": \"<string>\"}}."))
}

/// The number, if it is whole: `5.0` is as much an integer to JSON Schema as `5`.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let float = value.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 9e15)?;
        Some(float as i64)
    })
}

fn lines(value: &Value) -> Option<(u64, u64)> {
    let [first, last] = value.as_array()?.as_slice() else { return None };
    let line = |value| u64::try_from(whole(value)?).ok().filter(|line| *line >= 1);
    Some((line(first)?, line(last)?))
}

fn described(value: &Value) -> String {
    let kind = match value {
        Value::Null => return "null".to_owned(),
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(text) => return format!("the string {}", Quoted(text)),
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    format!("the {kind} {}", Quoted(&value.to_string()))
}

/// The JSON Schema of all parameters of a tool.
pub(crate) fn schema(parameters: &[Parameter]) -> Map<String, Value> {
    let properties: Map<_, _> =
        parameters.iter().map(|parameter| (parameter.name.to_owned(), parameter.schema())).collect();
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    schema.insert("required".into(), required(parameters).map(|parameter| parameter.name).collect());
    schema.insert("additionalProperties".into(), false.into());
    schema
}

fn required(parameters: &[Parameter]) -> impl Iterator<Item = &Parameter> {
    parameters.iter().filter(|parameter| parameter.presence == Presence::Required)
}

/// The arguments of one call, checked against the tool's table.
#[derive(Debug)]
pub(crate) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Refuses, in this order: what is missing, what does not fit, what is not known.
    pub(crate) fn checked(
        arguments: Map<String, Value>,
        parameters: &[Parameter],
        tool: &str,
    ) -> Result<Self, Failure> {
        if let Some(missing) = required(parameters).find(|parameter| !arguments.contains_key(parameter.name))
        {
            return Err(Failure::new(
                Code::InvalidInput,
                format!("Required parameter '{}' is missing", missing.name),
            )
            .about(missing.name)
            .hint(format!("Call {tool} with {}.", example(parameters))));
        }
        for parameter in parameters {
            if let Some(value) = arguments.get(parameter.name) {
                parameter.check(value, tool)?;
            }
        }
        let is_known = |name: &str| parameters.iter().any(|parameter| parameter.name == name);
        if let Some(unknown) = arguments.keys().find(|name| !is_known(name)) {
            let known: Vec<_> = parameters.iter().map(|parameter| parameter.name).collect();
            return Err(Failure::new(
                Code::InvalidInput,
                format!("{tool} has no parameter {}", Quoted(unknown)),
            )
            .about(unknown.as_str())
            .hint(format!("Its parameters are {}.", known.join(", "))));
        }
        Ok(Self(arguments))
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// The text of a required parameter. It is there, since the arguments are checked.
    pub(crate) fn required(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    pub(crate) fn integer(&self, name: &str) -> Option<u64> {
        u64::try_from(whole(self.0.get(name)?)?).ok()
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// The edits of one file. They have their form, since the arguments are checked.
    pub(crate) fn edits(&self, name: &str) -> Vec<Edit> {
        self.0.get(name).and_then(|value| edit::edits(value, name).ok()).unwrap_or_default()
    }

    /// The files with their edits.
    pub(crate) fn files(&self, name: &str) -> Vec<FileEdits> {
        self.0.get(name).and_then(|value| edit::files(value, name).ok()).unwrap_or_default()
    }

    pub(crate) fn lines(&self, name: &str) -> Option<(u64, u64)> {
        self.0.get(name).and_then(lines)
    }
}

/// The smallest call that has everything required.
pub(crate) fn example(parameters: &[Parameter]) -> String {
    let members: Vec<_> = required(parameters)
        .map(|parameter| format!("\"{}\": {}", parameter.name, parameter.kind.placeholder()))
        .collect();
    format!("{{{}}}", members.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters() -> Vec<Parameter> {
        let parameters = r#"[
            {"name": "path", "presence": "required", "kind": {"non-empty-text": "invalid-input"}, "description": ""},
            {"name": "mode", "presence": "optional", "kind": {"choice": [["a", "b"], "grep-invalid-output-mode"]}, "description": ""},
            {"name": "limit", "presence": "optional", "kind": {"integer": [1, 10]}, "description": ""},
            {"name": "range", "presence": "optional", "kind": "line-range", "description": ""}
        ]"#;
        serde_json::from_str(parameters).unwrap()
    }

    fn check(arguments: &Value, expected: Result<(), (Code, &str)>) {
        let Value::Object(map) = arguments.clone() else { panic!("not an object: {arguments}") };
        let checked = Arguments::checked(map, &parameters(), "tool").map(|_| ());
        match (checked, expected) {
            (Ok(()), Ok(())) => {}
            (Err(failure), Err((code, words))) => {
                assert_eq!(failure.code, code, "{arguments}");
                let message = format!("{} {}", failure.what, failure.hint.unwrap_or_default());
                assert!(message.contains(words), "{message}");
            }
            (checked, expected) => panic!("{arguments}: {checked:?}, not {expected:?}"),
        }
    }

    #[test]
    fn arguments_that_fit_are_taken() {
        check(&json!({"path": "p"}), Ok(()));
        check(&json!({"path": "p", "mode": "b", "limit": 10, "range": [1, 2]}), Ok(()));
        check(&json!({"path": "p", "limit": 5.0}), Ok(()));
    }

    #[test]
    fn a_refusal_names_the_parameter_and_the_way_on() {
        let invalid = |words| Err((Code::InvalidInput, words));
        check(&json!({}), invalid("'path' is missing Call tool with {\"path\": \"<string>\"}."));
        check(&json!({"path": ""}), invalid("'path' is empty"));
        check(&json!({"path": 7}), invalid("must be a string, but the number '7' was sent"));
        check(&json!({"path": null}), invalid("'path' must be a string, but null was sent"));
        check(&json!({"path": "p", "limit": 11}), invalid("an integer from 1 to 10"));
        check(&json!({"path": "p", "limit": 1e30}), invalid("an integer from 1 to 10"));
        check(&json!({"path": "p", "limit": 1.5}), invalid("leave it out"));
        check(&json!({"path": "p", "range": [0, 4]}), invalid("two line numbers"));
        check(&json!({"path": "p", "colour": 1}), invalid("no parameter 'colour'"));
        check(&json!({"path": "p", "mode": "c"}), Err((Code::GrepInvalidOutputMode, "'c' is not a valid")));
    }

    #[test]
    fn the_schema_closes_the_object_and_lists_closed_sets() {
        let schema = Value::Object(schema(&parameters()));
        assert_eq!(schema["required"], json!(["path"]));
        assert_eq!(schema["additionalProperties"], json!(false));
        assert_eq!(schema["properties"]["mode"]["enum"], json!(["a", "b"]));
    }
}
