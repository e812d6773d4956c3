//! Recognises parameters whose values could be executed, opened or sent, by names, descriptions, schemas and
//! annotations.

use serde_json::Value;

use crate::catalog::Tool;
use crate::class::Class;
use crate::json_schema::{CHOICES, listed};
use crate::words;

use super::super::names::{name_words, plain_name};
use super::{CodeLanguage, ExecutableKind};

mod label;

/// The kinds of what parameters with these names take, in small letters and without what stands between their words.
fn named() -> [(ExecutableKind, &'static [&'static str]); 12] {
    [
        (ExecutableKind::Command, words!("names/executed-command")),
        (ExecutableKind::Program, words!("names/executed-program")),
        (ExecutableKind::Code(CodeLanguage::Other), words!("names/executed-code")),
        (ExecutableKind::Code(CodeLanguage::JavaScript), words!("names/executed-javascript")),
        (ExecutableKind::Code(CodeLanguage::Python), words!("names/executed-python")),
        (ExecutableKind::Sql, words!("names/executed-sql")),
        (ExecutableKind::Url, words!("names/executed-url")),
        (ExecutableKind::Host, words!("names/executed-host")),
        (ExecutableKind::Port, words!("names/executed-port")),
        (ExecutableKind::Mail, words!("names/executed-mail")),
        (ExecutableKind::Phone, words!("names/executed-phone")),
        (ExecutableKind::Template, words!("names/executed-template")),
    ]
}

/// The kinds for which these words in a parameter's description, in lower case, are sufficient evidence.
fn described() -> [(ExecutableKind, &'static [&'static str]); 8] {
    [
        (ExecutableKind::Command, words!("names/described-command")),
        (ExecutableKind::Code(CodeLanguage::Python), words!("names/described-python")),
        (ExecutableKind::Code(CodeLanguage::JavaScript), words!("names/described-javascript")),
        (ExecutableKind::Code(CodeLanguage::Other), words!("names/described-code")),
        (ExecutableKind::Sql, &["sql"]),
        (ExecutableKind::Mail, words!("names/described-mail")),
        // With the blank, so that no word begins with them.
        (ExecutableKind::Url, &["url ", "url.", "uri ", "uri.", "http://", "https://", "webhook"]),
        (ExecutableKind::Phone, &["phone number", "telephone number"]),
    ]
}

/// Whether a value of this parameter could be executed, opened or sent, and how. `parameter` is its own name,
/// without the names it is nested in.
pub fn executable_kind(tool: &Tool, parameter: &str, schema: &Value) -> Option<ExecutableKind> {
    let is_free = schema.get("enum").is_none() && schema.get("const").is_none();
    let is_number = is(schema, "integer") || is(schema, "number");
    let name = plain_name(parameter);
    if is_number {
        return (is_free && words!("names/executed-port").contains(&name.as_str()))
            .then_some(ExecutableKind::Port);
    }
    if !is_free || !(is_text(schema) || is_array(schema)) {
        return None;
    }
    let spoken = Spoken::new(tool, schema);
    let found = by_format(schema)
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

    fn says(&self, any: &[&str]) -> bool {
        any.iter().any(|word| self.parameter.contains(word) || self.tool.contains(word))
    }

    fn executes(&self) -> bool {
        self.name.iter().any(|word| words!("names/recognise-executes").contains(&word.as_str()))
    }

    /// The language, if it is named; a shell script is a command.
    fn code(&self) -> ExecutableKind {
        if self.says(&["python"]) {
            ExecutableKind::Code(CodeLanguage::Python)
        } else if self.says(&["javascript", "typescript", "node", "browser", "puppeteer", "playwright"]) {
            ExecutableKind::Code(CodeLanguage::JavaScript)
        } else if self.says(&["bash", "shell"]) {
            ExecutableKind::Command
        } else if self.says(&["sql"]) {
            ExecutableKind::Sql
        } else {
            ExecutableKind::Code(CodeLanguage::Other)
        }
    }
}

/// The formats of JSON Schema whose values are opened or written to.
fn by_format(schema: &Value) -> Option<ExecutableKind> {
    let items = schema.get("items").and_then(|items| items.get("format"));
    match schema.get("format").or(items)?.as_str()? {
        "uri" | "url" | "iri" | "uri-reference" | "iri-reference" => Some(ExecutableKind::Url),
        "email" | "idn-email" => Some(ExecutableKind::Mail),
        "hostname" | "idn-hostname" | "ipv4" | "ipv6" => Some(ExecutableKind::Host),
        _ => None,
    }
}

fn by_name(name: &str, spoken: &Spoken) -> Option<ExecutableKind> {
    match name {
        "query" | "q" if spoken.says(&["graphql"]) => {
            return Some(ExecutableKind::Code(CodeLanguage::GraphQl));
        }
        "query" | "q" if spoken.says(&["cypher", "neo4j"]) => {
            return Some(ExecutableKind::Code(CodeLanguage::Cypher));
        }
        "query" | "queries" | "q"
            if spoken.says(&[
                "sql",
                "database",
                "postgres",
                "duckdb",
                "bigquery",
                "snowflake",
                "clickhouse",
            ]) =>
        {
            return Some(ExecutableKind::Sql);
        }
        "args" | "arguments" | "argv" | "flags" | "options" if spoken.class != Class::Read => {
            return Some(ExecutableKind::Flags);
        }
        "package" | "packages" | "module" | "modules" | "dependency" | "dependencies" | "image"
        | "plugin" | "extension"
            if spoken.class == Class::Effect || spoken.says(&["install", "docker", "container"]) =>
        {
            return Some(ExecutableKind::Package);
        }
        // In tools that do not send anything, these names are the ends of a range, of a translation or of a
        // move.
        "to" | "from" | "cc" | "address" | "sender" | "source" | "hook"
            if !spoken.says(&["mail", "message", "send", "invite", "execut", "evaluat", "compile"]) =>
        {
            return None;
        }
        "code" if !spoken.executes() && label::is_label(&spoken.tool, &spoken.parameter, spoken.class) => {
            return None;
        }
        // What only looks something up calls nobody.
        "phone" | "phonenumber" | "tel" | "telephone" | "mobile"
            if spoken.class == Class::Read
                && !spoken.says(&["call", "dial", "ring", "send", "sms", "message", "verif"]) =>
        {
            return None;
        }
        _ => {}
    }
    let named = named().into_iter().find(|(_, names)| names.contains(&name));
    named.map(|(kind, _)| kind).or_else(|| by_end(name))
}

/// Kinds by the end of a longer name: `target_url`, `sql_query`, `init_script`.
fn by_end(name: &str) -> Option<ExecutableKind> {
    const ENDS: [(&str, ExecutableKind); 10] = [
        ("url", ExecutableKind::Url),
        ("uri", ExecutableKind::Url),
        ("webhook", ExecutableKind::Url),
        ("command", ExecutableKind::Command),
        ("cmd", ExecutableKind::Command),
        ("script", ExecutableKind::Code(CodeLanguage::Other)),
        ("sql", ExecutableKind::Sql),
        ("email", ExecutableKind::Mail),
        ("hostname", ExecutableKind::Host),
        ("expression", ExecutableKind::Code(CodeLanguage::Other)),
    ];
    ENDS.iter().find(|(end, _)| name.ends_with(end)).map(|(_, kind)| *kind)
}

fn by_text(name: &str, spoken: &Spoken) -> Option<ExecutableKind> {
    if words!("names/recognise-otherwise").contains(&name) {
        return None;
    }
    let holds = |words: &[&str]| words.iter().any(|word| spoken.parameter.contains(word));
    described().into_iter().find(|(_, words)| holds(words)).map(|(kind, _)| kind)
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
