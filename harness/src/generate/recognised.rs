//! What a parameter is taken for, in words.
//!
//! The main function is [`recognised`]. It makes no values: it says by which of the modules beside it they are made.

use std::borrow::Cow;

use serde_json::Value;

use super::executable::{CodeLanguage, ExecutableKind, executable_kind};
use super::kind::ParameterKind;
use super::names::{name_words, plain_name};
use super::text::TextRole;
use super::tool_files::ToolFiles;
use crate::catalog::Tool;
use crate::json_schema::{flattened, types};

/// How deep objects and lists are looked into.
const DEPTH: usize = 8;

/// What the parameter at a place is taken for, as `kinds.toml` and `executable` call it: `date`, `folder`, `SQL`. The place is
/// in dotted notation with `[]` for the items of a list: `edits[].old`. `None` if there is no such place.
///
/// Of a list of texts it is what its items are taken for, as each is drawn on its own.
pub fn recognised(tool: &Tool, place: &str) -> Option<&'static str> {
    let document = tool.described_schema();
    let (name, schema) = at(&document, place)?;
    Some(of_schema(tool, &name, &schema, &document))
}

/// The name and the schema, with references followed, of what stands at a place.
fn at(document: &Value, place: &str) -> Option<(String, Value)> {
    let mut schema = flattened(document, document).into_owned();
    let mut name = "";
    for step in place.split('.').take(DEPTH) {
        let mut parts = step.split("[]");
        name = parts.next()?;
        schema = flattened(schema.get("properties")?.get(name)?, document).into_owned();
        for _ in parts {
            schema = flattened(schema.get("items")?, document).into_owned();
        }
    }
    Some((name.to_owned(), schema))
}

fn of_schema(tool: &Tool, name: &str, schema: &Value, document: &Value) -> &'static str {
    if schema.get("enum").is_some() || schema.get("const").is_some() {
        return "member";
    }
    if let Some(executable) = executable_kind(tool, name, schema) {
        return of_executable(executable, name);
    }
    match types(schema).first().copied() {
        None | Some("string") => of_text(tool, name, schema),
        Some("integer" | "number") => {
            let id = || of_thing(tool, name).filter(|thing| *thing == "id").unwrap_or("number");
            ParameterKind::of_number(name).map_or_else(id, ParameterKind::name)
        }
        Some("array") => of_items(tool, name, schema, document),
        Some("boolean") => "flag",
        _ => "object",
    }
}

/// The items of a list go by its name and its description.
fn of_items(tool: &Tool, name: &str, schema: &Value, document: &Value) -> &'static str {
    let mut items: Cow<'_, Value> = flattened(schema.get("items").unwrap_or(&Value::Null), document);
    if types(&items).first() == Some(&"array") {
        return "list";
    }
    if let (None, Some(description)) = (items.get("description"), schema.get("description"))
        && items.is_object()
    {
        items.to_mut()["description"] = description.clone();
    }
    of_schema(tool, name, &items, document)
}

fn of_text(tool: &Tool, name: &str, schema: &Value) -> &'static str {
    let tool_files = ToolFiles::at("").of_tool(tool);
    match TextRole::of(name, schema, &tool_files) {
        TextRole::Format("example.invalid") => "host",
        TextRole::Format(_) | TextRole::Address => "URL",
        TextRole::Path => of_path(tool, name, schema, &tool_files),
        TextRole::Revision(_) => "revision",
        TextRole::Glob => "glob",
        TextRole::Kind(kind) => kind.name(),
        TextRole::Plain => of_thing(tool, name).unwrap_or("text"),
    }
}

/// What names a thing: a new one, or one that is there. `None` if the parameter names nothing.
fn of_thing(tool: &Tool, name: &str) -> Option<&'static str> {
    const NAMES: [&str; 4] = ["name", "names", "title", "titles"];
    const MAKES: [&str; 9] =
        ["create", "add", "new", "make", "register", "insert", "save", "define", "rename"];
    const CHANGES: [&str; 4] = ["update", "edit", "modify", "rename"];
    let words = name_words(name);
    let last = words.last().filter(|last| NAMES.contains(&last.as_str()));
    let Some(last) = last else { return ParameterKind::of_any(name).map(ParameterKind::name) };
    let own = name_words(&tool.name);
    let verb = |of: &[&str]| own.iter().any(|word| of.contains(&word.as_str()));
    let (begin, thing) = (words[0].as_str(), &words[..words.len() - 1]);
    let has_id = tool.parameters().any(|(other, _)| name_words(other).last().is_some_and(|end| end == "id"));
    let is_of_tool = thing.iter().all(|word| own.iter().any(|own| own.trim_end_matches('s') == word));
    let is_new = begin == "new" || is_of_tool && verb(&MAKES) || thing.is_empty() && has_id && verb(&CHANGES);
    match is_new {
        true => Some("new name"),
        // A title need not be a thing's only one.
        false => (!last.starts_with("title")).then_some("id"),
    }
}

/// A folder is what gets one first.
fn of_path(tool: &Tool, name: &str, schema: &Value, tool_files: &ToolFiles) -> &'static str {
    let description = schema.get("description").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let first = tool_files.path(&plain_name(name), &description, 0);
    let folders =
        [tool_files.sub(), tool_files.repository(), format!("/{}", ToolFiles::PROJECT), String::new()];
    if folders.contains(&first) {
        return "folder";
    }
    if is_written(tool, name) { "path to write" } else { "path to read" }
}

/// Whether a path leads to what a tool makes, by its name and the tool's.
fn is_written(tool: &Tool, name: &str) -> bool {
    const OWN: [&str; 8] = ["output", "out", "destination", "dest", "target", "backup", "save", "new"];
    const MAKES: [&str; 6] = ["write", "create", "save", "export", "new", "generate"];
    let has = |words: &[String], of: &[&str]| words.iter().any(|word| of.contains(&word.as_str()));
    let other = tool.parameters().any(|(other, _)| other != name && has(&name_words(other), &OWN));
    has(&name_words(name), &OWN) || !other && has(&name_words(&tool.name), &MAKES)
}

fn of_executable(executable: ExecutableKind, name: &str) -> &'static str {
    match executable {
        ExecutableKind::Command | ExecutableKind::Words | ExecutableKind::Flags | ExecutableKind::Program => {
            "command"
        }
        ExecutableKind::Code(CodeLanguage::Other)
            if ["expression", "expr", "formula"].iter().any(|end| plain_name(name).ends_with(end)) =>
        {
            "expression"
        }
        ExecutableKind::Code(_) => "code",
        ExecutableKind::Sql => "SQL",
        ExecutableKind::Url => "URL",
        ExecutableKind::Mail => "e-mail",
        other => other.name(),
    }
}

#[cfg(test)]
mod tests;
