//! Recognises parameters whose values could be executed, opened or sent, by names, descriptions, schemas and
//! annotations.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::catalog::Tool;
use crate::class::Class;
use crate::json_schema::{CHOICES, listed};
use crate::words;

use super::super::names::{name_words, plain_name};
use super::{CodeLanguage, ExecutableKind};

mod label;

static SIGNS: LazyLock<Signs> =
    LazyLock::new(|| toml::from_str(include_str!("recognise.toml")).expect("a test reads this file"));

/// The signs in `recognise.toml`, which explains them, by where they are looked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signs {
    format: Vec<Sign>,
    name: Vec<Sign>,
    end: Vec<Sign>,
    description: Vec<Sign>,
    language: Vec<Sign>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Sign {
    any: Vec<String>,
    says: Vec<String>,
    silent: Vec<String>,
    only: Vec<Class>,
    kind: Option<ExecutableKind>,
}

/// Whether a value of this parameter could be executed, opened or sent, and how. `parameter` is its own name,
/// without the names it is nested in.
pub fn executable_kind(tool: &Tool, parameter: &str, schema: &Value) -> Option<ExecutableKind> {
    let is_free = schema.get("enum").is_none() && schema.get("const").is_none();
    let is_number = is(schema, "integer") || is(schema, "number");
    let name = plain_name(parameter);
    if is_number {
        return (is_free && ["port", "ports"].contains(&name.as_str())).then_some(ExecutableKind::Port);
    }
    if !is_free || !(is_text(schema) || is_array(schema)) {
        return None;
    }
    let spoken = Spoken::new(tool, schema);
    let found = by_format(schema, &spoken)
        .or_else(|| by_name(&name, &spoken))
        .or_else(|| by_text(&name, &spoken))
        .or_else(|| of_executor(&name, &spoken))?;
    Some(match found {
        ExecutableKind::Command
            if is_array(schema) && !["commands", "statements"].contains(&name.as_str()) =>
        {
            ExecutableKind::Words
        }
        ExecutableKind::Code(CodeLanguage::Other) => spoken.code(),
        found => found,
    })
}

/// The names and descriptions of a tool and its parameter, in lower case.
struct Spoken {
    /// The words of the tool's name.
    name: Vec<String>,
    /// The tool's name and description.
    tool: String,
    /// The parameter's description and title.
    parameter: String,
    class: Class,
}

impl Spoken {
    fn new(tool: &Tool, schema: &Value) -> Self {
        let text = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default().to_lowercase();
        Self {
            name: name_words(&tool.name),
            tool: format!("{} {}", tool.name, tool.description).to_lowercase(),
            parameter: format!("{} {} ", text("description"), text("title")),
            class: Class::from_tool(tool),
        }
    }

    fn says(&self, word: &str) -> bool {
        self.parameter.contains(word) || self.tool.contains(word)
    }

    /// What the first of these signs that holds means; `is` tells whether something that is looked for is there.
    fn first(&self, signs: &[Sign], is: impl Fn(&str) -> bool) -> Option<Option<ExecutableKind>> {
        let says = |words: &[String]| words.iter().any(|word| self.says(word));
        let holds = |sign: &&Sign| {
            sign.any.iter().any(|wanted| is(wanted))
                && (sign.says.is_empty() || says(&sign.says))
                && !says(&sign.silent)
                && (sign.only.is_empty() || sign.only.contains(&self.class))
        };
        signs.iter().find(holds).map(|sign| sign.kind)
    }

    fn executes(&self) -> bool {
        self.name.iter().any(|word| words!("names/recognise-executes").contains(&word.as_str()))
    }

    /// Code, in its language if that is named.
    fn code(&self) -> ExecutableKind {
        let named = self.first(&SIGNS.language, |word| self.says(word)).flatten();
        named.unwrap_or(ExecutableKind::Code(CodeLanguage::Other))
    }
}

fn by_format(schema: &Value, spoken: &Spoken) -> Option<ExecutableKind> {
    let items = schema.get("items").and_then(|items| items.get("format"));
    let format = schema.get("format").or(items)?.as_str()?;
    spoken.first(&SIGNS.format, |known| known == format)?
}

fn by_name(name: &str, spoken: &Spoken) -> Option<ExecutableKind> {
    if name == "code" && !spoken.executes() && label::is_label(&spoken.tool, &spoken.parameter, spoken.class)
    {
        return None;
    }
    let by_end = || spoken.first(&SIGNS.end, |end| name.ends_with(end));
    spoken.first(&SIGNS.name, |known| known == name).or_else(by_end)?
}

fn by_text(name: &str, spoken: &Spoken) -> Option<ExecutableKind> {
    if words!("names/recognise-otherwise").contains(&name) {
        return None;
    }
    spoken.first(&SIGNS.description, |words| spoken.parameter.contains(words))?
}

/// Any other text for a tool that executes something: in doubt it is what is executed.
fn of_executor(name: &str, spoken: &Spoken) -> Option<ExecutableKind> {
    let is_otherwise = words!("names/recognise-otherwise")
        .iter()
        .any(|other| name == *other || name.len() > other.len() && name.ends_with(other));
    if !spoken.executes() || spoken.class == Class::Read || is_otherwise {
        return None;
    }
    Some(match spoken.code() {
        ExecutableKind::Code(CodeLanguage::Other) => ExecutableKind::Command,
        code => code,
    })
}

/// Whether the schema allows texts, or says nothing about types.
pub(super) fn is_text(schema: &Value) -> bool {
    is(schema, "string")
        || schema.get("type").is_none() && !schema.get("properties").is_some_and(Value::is_object)
}

/// Whether the schema requires an array.
pub(super) fn is_array(schema: &Value) -> bool {
    is(schema, "array") && !is(schema, "string")
}

fn is(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(several)) => several.iter().any(|one| one == name),
        _ => listed(schema, &CHOICES).any(|one| one.get("type").is_some_and(|kind| kind == name)),
    }
}

#[cfg(test)]
mod tests;
